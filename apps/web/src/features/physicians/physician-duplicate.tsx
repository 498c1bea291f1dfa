import type { PossibleDuplicatePhysician } from '@lis/contract/physicians.ts'

/** A physician with the same NPI. Opens in a new tab, so that the input is kept. */
export const renderDuplicate = ({
  id,
  physFirstName,
  physLastName,
  physTitle,
  npiNumber,
}: PossibleDuplicatePhysician) => (
  <a href={`/physicians/${id}/show`} target="_blank" rel="noreferrer">
    {physFirstName} {physLastName}, {physTitle} (NPI {npiNumber})
  </a>
)
