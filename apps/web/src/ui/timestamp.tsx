import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { readConfig } from '../lib/api.ts'
import { formatTimestamp } from '../lib/formats.ts'

const ZoneContext = createContext('UTC')

/** The time zone of this part of the page: the laboratory's, never the browser's. */
export const useZone = () => useContext(ZoneContext)

/** Shows all times inside in this zone: for a requisition, that of its laboratory. */
export const ZoneProvider = ({ zone, children }: { zone: string; children: ReactNode }) => (
  <ZoneContext value={zone}>{children}</ZoneContext>
)

/** Around all pages: times that belong to no requisition use the zone of the default laboratory. Until it is known, UTC. */
export const LabZoneProvider = ({ children }: { children: ReactNode }) => {
  const [zone, setZone] = useState('UTC')
  useEffect(() => {
    readConfig().then(
      ({ labTz }) => setZone(labTz),
      () => undefined, // the next page asks again
    )
  }, [])
  return <ZoneProvider zone={zone}>{children}</ZoneProvider>
}

interface TimestampProps {
  /** ISO timestamp. */
  at: string
  /** Zone of the timestamp; by default the laboratory's. */
  zone?: string | undefined
  /** Further zones for the tooltip: client, lab. */
  also?: readonly { label: string; zone: string }[]
}

/** A timestamp with its zone, '11/08/26 07:05 PST'; its tooltip shows the other zones and UTC. */
export const Timestamp = ({ at, zone, also = [] }: TimestampProps) => {
  const labZone = useZone()
  const shown = formatTimestamp(at, zone ?? labZone)
  const others = [...also, { label: 'UTC', zone: 'UTC' }].map(({ label, zone: other }) => {
    const text = formatTimestamp(at, other)
    return `${label} ${text.text}${text.zone === label ? '' : ` ${text.zone}`}`
  })
  return (
    <time dateTime={at} title={others.join('\n')} style={{ whiteSpace: 'nowrap' }}>
      {shown.text} <span style={{ fontSize: 11, color: 'var(--text-3)' }}>{shown.zone}</span>
    </time>
  )
}
