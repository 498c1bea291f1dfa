import { type Specimen, specimenRoutes } from '@lis/contract/specimens.ts'
import { SubTable } from '../ui/table/sub-table.tsx'
import { specimenColumns } from './specimen-columns.tsx'

const idOf = ({ id }: Specimen) => String(id)
const countOf = (rows: readonly Specimen[]) => `${rows.length} received`

/** Under a row of the requisition list: its received specimens. */
export const SpecimensSubTable = ({ requisitionId }: { requisitionId: number }) => (
  <SubTable
    title="Specimens"
    note={countOf}
    columns={specimenColumns}
    route={specimenRoutes.list}
    params={{ id: requisitionId }}
    rowId={idOf}
    level={2}
  />
)
