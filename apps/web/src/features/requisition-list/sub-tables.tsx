import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import { type ReactNode, useEffect } from 'react'
import { InZone } from '../../ui/moment.tsx'
import { partOf } from '../../ui/part.tsx'
import { type SubTableKind, subTableKind } from './sub-table-kinds.ts'

const SubTable = partOf(async () => (await import('./sub-table.tsx')).SubTable)
const ignore = () => undefined // the row that is opened asks again, and says what failed

/** The list is drawn without what opens under its rows; that follows while the list is being read. */
export const useSubTablesSoon = () => {
  useEffect(() => {
    const soon = setTimeout(() => SubTable.fetch().catch(ignore), 1000)
    return () => clearTimeout(soon)
  }, [])
}

type Render = (row: RequisitionRow) => ReactNode

const renderOf =
  (kind: SubTableKind): Render =>
  ({ id, labTz }) => (
    <InZone zone={labTz}>
      <SubTable kind={kind} requisitionId={id} />
    </InZone>
  )

// Outside of any component: a table whose rows are told to draw something else draws all of them anew.
const renders: Record<SubTableKind, Render> = {
  specimens: renderOf('specimens'),
  documents: renderOf('documents'),
  results: renderOf('results'),
  resultedTests: renderOf('resultedTests'),
  releasedReports: renderOf('releasedReports'),
}

/** What opens under a row of this view for this reader. */
export const subTableOf = (view: RequisitionView, role: Role): Render | undefined => {
  const kind = subTableKind(view, role)
  return kind && renders[kind]
}
