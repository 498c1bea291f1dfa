import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import { type ReactNode, useEffect } from 'react'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { ZoneProvider } from '../../ui/timestamp.tsx'
import { type SubTableKind, subTableKind } from './sub-table-kinds.ts'

const SubTable = lazyPart(async () => (await import('./sub-table.tsx')).SubTable)
const ignore = () => undefined // opening a row loads it again and shows the error

/** Preloads the sub-tables while the list is loading. */
export const usePreloadSubTables = () => {
  useEffect(() => {
    const soon = setTimeout(() => SubTable.fetch().catch(ignore), 1000)
    return () => clearTimeout(soon)
  }, [])
}

type Render = (row: RequisitionRow) => ReactNode

const renderOf =
  (kind: SubTableKind): Render =>
  ({ id, labTz }) => (
    <ZoneProvider zone={labTz}>
      <SubTable kind={kind} requisitionId={id} />
    </ZoneProvider>
  )

// Defined once: another function would re-render all rows.
const renders: Record<SubTableKind, Render> = {
  specimens: renderOf('specimens'),
  documents: renderOf('documents'),
  results: renderOf('results'),
  resultedTests: renderOf('resultedTests'),
  releasedReports: renderOf('releasedReports'),
}

/** The sub-table of this view for this role. */
export const subTableOf = (view: RequisitionView, role: Role): Render | undefined => {
  const kind = subTableKind(view, role)
  return kind && renders[kind]
}
