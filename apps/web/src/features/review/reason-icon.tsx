import {
  ClockIcon,
  CloseIcon,
  ErrorIcon,
  type Icon,
  InfoIcon,
  lineIcon,
  RetryIcon,
  SearchIcon,
  WarningIcon,
} from '../../ui/icons.tsx'
import type { ReasonKind } from './review-groups.ts'

const icons: Record<ReasonKind, readonly [Icon, string]> = {
  critical: [ErrorIcon, 'var(--error)'],
  delta: [WarningIcon, 'var(--warning)'],
  qc: [lineIcon('M2 2.5v11h12M4.5 8h1L7 5l2 6 1.5-3h3'), 'var(--error)'],
  instrument: [lineIcon('M6.5 2.5v4l-3.5 7h10l-3.5-7v-4M5.5 2.5h5M4.8 10h6.4'), 'var(--error)'],
  range: [lineIcon('M8 2 14 8l-6 6-6-6Z'), 'var(--text-2)'],
  repeat: [RetryIcon, 'var(--text-2)'],
  specimen: [ClockIcon, 'var(--text-2)'],
  rule: [InfoIcon, 'var(--text-3)'],
  place: [SearchIcon, 'var(--warning)'],
}
export const PassedIcon = lineIcon('M3 8.5 6.5 12 13 4.5')
export const BrokenIcon = CloseIcon

/** The icon of a kind of reason; the text is beside it. */
export const ReasonIcon = ({ kind, size = 14 }: { kind: ReasonKind; size?: number }) => {
  const [Glyph, color] = icons[kind]
  return <Glyph size={size} style={{ flex: 'none', color }} />
}
