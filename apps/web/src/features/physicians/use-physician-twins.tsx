import type { PhysicianTwin } from '@lis/contract/physicians.ts'
import { useDuplicateCheck } from '../../domain/use-duplicate-check.tsx'

/** Asks before a second physician with the same number is saved. */
export const usePhysicianTwins = () => useDuplicateCheck(drawTwin)

const drawTwin = ({ id, physFirstName, physLastName, physTitle, npiNumber }: PhysicianTwin) => (
  // In a tab of its own: what is typed here stays.
  <a href={`/physicians/${id}/show`} target="_blank" rel="noreferrer">
    {physFirstName} {physLastName}, {physTitle} (NPI {npiNumber})
  </a>
)
