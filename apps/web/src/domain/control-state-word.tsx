import type { QcRunState } from '@lis/contract/qc-rules.ts'
import type { QcStatus } from '@lis/contract/quality-control.ts'
import { styled } from '@mui/material/styles'
import { ClockIcon, CloseIcon, type Icon, SuccessIcon, WarningIcon } from '../ui/icons.tsx'

const Tag = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  whiteSpace: 'nowrap',
  fontWeight: 600,
  '&.error': { color: 'var(--error)' },
  '&.warning': { color: 'var(--warning)' },
  '&.success': { color: 'var(--success)' },
})

const looks: Record<QcStatus['state'] | QcRunState, readonly [words: string, tone: string, icon: Icon]> = {
  IN: ['In', 'success', SuccessIcon],
  OUT: ['Out of control', 'error', CloseIcon],
  DUE: ['Due', 'warning', ClockIcon],
  WARNING: ['In, warning', 'warning', WarningIcon],
  REJECTED: ['Out', 'error', CloseIcon],
  NOT_EVALUATED: ['Not evaluated', 'warning', ClockIcon],
}

/** A control state, or the verdict on a run, as a word with an icon. */
export const StateWord = ({ state, isVoid = false }: { state: keyof typeof looks; isVoid?: boolean }) => {
  const [words, tone, Glyph] = looks[state]
  if (isVoid) return <Tag>Void</Tag>
  return (
    <Tag className={tone}>
      <Glyph size={12} />
      {words}
    </Tag>
  )
}
