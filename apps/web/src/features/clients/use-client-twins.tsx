import type { ClientTwin } from '@lis/contract/clients.ts'
import { useDuplicateCheck } from '../../domain/use-duplicate-check.tsx'
import { formatPhone } from '../../lib/formats.ts'

/** Asks before a second client of the same name and zip is saved, and shows those that are there. */
export const useClientTwins = () => useDuplicateCheck(drawTwin)

const drawTwin = ({ id, clientName, legacyClientId, ...twin }: ClientTwin) => (
  <>
    {/* In a tab of its own: what is typed here stays. */}
    <a href={`/clients/${id}/show`} target="_blank" rel="noreferrer">
      {clientName} ({legacyClientId})
    </a>
    <br />
    {twin.clientAddr1}, {twin.clientCity}, {twin.clientState} {twin.clientZip}, {formatPhone(twin.clientPhone)}
  </>
)
