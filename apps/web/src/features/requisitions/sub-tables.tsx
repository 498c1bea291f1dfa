import { can, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { DocumentsSubTable } from '../../domain/documents/documents-sub-table.tsx'
import { ReleasedReportsSubTable } from '../../domain/released-reports-sub-table.tsx'
import { ResultGrid } from '../../domain/result-grid/result-grid.tsx'
import { ResultedTestsSubTable } from '../../domain/resulted-tests-sub-table.tsx'
import { SpecimensSubTable } from '../../domain/specimens-sub-table.tsx'

const Framed = styled('section')({
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  boxShadow: 'var(--shadow-1)',
  overflow: 'hidden',
})

interface RowSubTable {
  /** All of them. */
  visibleTo: readonly Permission[]
  render: (row: RequisitionRow) => ReactNode
}

const specimens: RowSubTable = {
  visibleTo: ['requisitionTabs.specimens'],
  render: ({ id }) => <SpecimensSubTable requisitionId={id} />,
}

const releasedReports: RowSubTable = {
  visibleTo: ['reports.view'],
  render: ({ id }) => <ReleasedReportsSubTable requisitionId={id} />,
}

const documents: RowSubTable = {
  visibleTo: ['documents.list'],
  render: ({ id }) => <DocumentsSubTable requisitionId={id} />,
}

const current = { isRetest: '0' }
const results: RowSubTable = {
  visibleTo: ['requisitionTabs.tests'],
  render: ({ id }) => (
    <Framed aria-label="Test results">
      <ResultGrid requisitionId={id} filters={current} codesAreOpen />
    </Framed>
  ),
}

const resultedTests: RowSubTable = {
  visibleTo: ['requisitionTabs.tests', 'tests.seeResults'],
  render: ({ id }) => <ResultedTestsSubTable requisitionId={id} />,
}

/** What opens under a row, by view (LIST-G22). */
const subTables: Partial<Record<RequisitionView, RowSubTable>> = {
  All: specimens,
  Logged: documents,
  Accessioned: specimens,
  Processing: results,
  Resulted: resultedTests,
  Reported: resultedTests,
  Released: releasedReports,
  Delivered: releasedReports,
  Billing: documents,
  AllForClient: releasedReports,
  AllForPhysician: releasedReports,
}

export const subTableOf = (view: RequisitionView, role: Role): RowSubTable['render'] | undefined => {
  const found = subTables[view]
  return found?.visibleTo.every((permission) => can(role, permission)) ? found.render : undefined
}
