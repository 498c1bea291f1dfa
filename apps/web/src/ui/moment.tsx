import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { readConfig } from '../lib/api.ts'
import { formatMoment } from '../lib/formats.ts'

const ZoneContext = createContext('UTC')

/** The zone in which things are told here: that of the laboratory, never that of the browser. */
export const useZone = () => useContext(ZoneContext)

/** Everything within is told by the clocks of this zone: under a requisition, of the laboratory that works on it. */
export const InZone = ({ zone, children }: { zone: string; children: ReactNode }) => (
  <ZoneContext value={zone}>{children}</ZoneContext>
)

/** Around all pages: what belongs to no requisition is told by the clocks of the default laboratory. Until it is known, by UTC. */
export const InLabZone = ({ children }: { children: ReactNode }) => {
  const [zone, setZone] = useState('UTC')
  useEffect(() => {
    readConfig().then(
      ({ labTz }) => setZone(labTz),
      () => undefined, // the next page asks again
    )
  }, [])
  return <InZone zone={zone}>{children}</InZone>
}

interface MomentProps {
  /** ISO text. */
  at: string
  /** The zone it was meant in; that of the laboratory without. */
  zone?: string | undefined
  /** Further zones that the tooltip names: client, lab. */
  also?: readonly { label: string; zone: string }[]
}

/** A moment with its zone, '11/08/26 07:05 PST'; pointing at it shows it in the other zones and in UTC. */
export const Moment = ({ at, zone, also = [] }: MomentProps) => {
  const own = useZone()
  const shown = formatMoment(at, zone ?? own)
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
