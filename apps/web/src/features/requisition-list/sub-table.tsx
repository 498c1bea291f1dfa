import { styled } from '@mui/material/styles'
import type { ComponentType } from 'react'
import { DocumentsSubTable } from '../../domain/documents/documents-sub-table.tsx'
import { ReleasedReportsSubTable } from '../../domain/released-reports-sub-table.tsx'
import { ResultGrid } from '../../domain/result-grid/result-grid.tsx'
import { ResultedTestsSubTable } from '../../domain/resulted-tests-sub-table.tsx'
import { SpecimensSubTable } from '../../domain/specimens-sub-table.tsx'
import { useNameWithRow } from '../../ui/table/row-name-context.ts'
import type { SubTableKind } from './sub-table-kinds.ts'

const Framed = styled('section')({
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  boxShadow: 'var(--shadow-1)',
  overflow: 'hidden',
})

const current = { isRetest: '0' }
const Results = ({ requisitionId }: { requisitionId: number }) => (
  <Framed aria-label={useNameWithRow('Test results')}>
    <ResultGrid requisitionId={requisitionId} filters={current} codesAreOpen />
  </Framed>
)

const tables: Record<SubTableKind, ComponentType<{ requisitionId: number }>> = {
  specimens: SpecimensSubTable,
  documents: DocumentsSubTable,
  results: Results,
  resultedTests: ResultedTestsSubTable,
  releasedReports: ReleasedReportsSubTable,
}

export const SubTable = ({ kind, requisitionId }: { kind: SubTableKind; requisitionId: number }) => {
  const Table = tables[kind]
  return <Table requisitionId={requisitionId} />
}
