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
import { useNameUnderRow } from '../../ui/table/under-row.ts'
import { type SubTableKind, subTableKind } from './sub-table-kinds.ts'

const Framed = styled('section')({
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  boxShadow: 'var(--shadow-1)',
  overflow: 'hidden',
})

const current = { isRetest: '0' }
const Results = ({ requisitionId }: { requisitionId: number }) => (
  <Framed aria-label={useNameUnderRow('Test results')}>
    <ResultGrid requisitionId={requisitionId} filters={current} codesAreOpen />
  </Framed>
)

type Render = (row: RequisitionRow) => ReactNode

// Outside of any component: a table whose rows are told to draw something else draws all of them anew.
const renders: Record<SubTableKind, Render> = {
  specimens: ({ id }) => <SpecimensSubTable requisitionId={id} />,
  documents: ({ id }) => <DocumentsSubTable requisitionId={id} />,
  results: ({ id }) => <Results requisitionId={id} />,
  resultedTests: ({ id }) => <ResultedTestsSubTable requisitionId={id} />,
  releasedReports: ({ id }) => <ReleasedReportsSubTable requisitionId={id} />,
}

/** What opens under a row of this view for this reader. */
export const subTableOf = (view: RequisitionView, role: Role): Render | undefined => {
  const kind = subTableKind(view, role)
  return kind && renders[kind]
}
