import { can, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import type { ReactNode } from 'react'
import { ReleasedReportsSubTable } from '../../domain/released-reports-sub-table.tsx'
import { SpecimensSubTable } from '../../domain/specimens-sub-table.tsx'

interface RowSubTable {
  visibleTo: Permission
  render: (row: RequisitionRow) => ReactNode
}

const specimens: RowSubTable = {
  visibleTo: 'requisitionTabs.specimens',
  render: ({ id }) => <SpecimensSubTable requisitionId={id} />,
}

const releasedReports: RowSubTable = {
  visibleTo: 'reports.view',
  render: ({ id }) => <ReleasedReportsSubTable requisitionId={id} />,
}

/** What opens under a row, by view (LIST-G22). */
const subTables: Partial<Record<RequisitionView, RowSubTable>> = {
  All: specimens,
  Accessioned: specimens,
  Released: releasedReports,
  Delivered: releasedReports,
  AllForClient: releasedReports,
  AllForPhysician: releasedReports,
}

export const subTableOf = (view: RequisitionView, role: Role): RowSubTable['render'] | undefined => {
  const found = subTables[view]
  return found && can(role, found.visibleTo) ? found.render : undefined
}
