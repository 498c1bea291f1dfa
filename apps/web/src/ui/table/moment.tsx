import { formatMoment } from '../../lib/formats.ts'

interface MomentProps {
  /** ISO text. */
  at: string
  /** The zone it was meant in; the reader's own without. */
  zone?: string | undefined
  /** Further zones that the tooltip names: client, lab. */
  also?: readonly { label: string; zone: string }[]
}

/** A moment with its zone, '11/08/26 07:05 PST'; pointing at it shows it in the other zones and in UTC. */
export const Moment = ({ at, zone, also = [] }: MomentProps) => {
  const shown = formatMoment(at, zone)
  const others = [...also, { label: 'UTC', zone: 'UTC' }].map(({ label, zone: other }) => {
    const text = formatMoment(at, other)
    return `${label} ${text.text}${text.zone === label ? '' : ` ${text.zone}`}`
  })
  return (
    <time dateTime={at} title={others.join('\n')} style={{ whiteSpace: 'nowrap' }}>
      {shown.text} <span style={{ fontSize: 11, color: 'var(--text-3)' }}>{shown.zone}</span>
    </time>
  )
}
