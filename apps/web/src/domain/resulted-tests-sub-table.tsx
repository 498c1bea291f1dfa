import { type ResultedTests, reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import { type ResultKey, resultColumns } from '@lis/contract/results/result-keys.ts'
import { useQuery } from '@tanstack/react-query'
import type { Column } from '../ui/table/column.ts'
import { Moment } from '../ui/table/moment.tsx'
import { readList, wholeList } from '../ui/table/read-list.ts'
import { SubTable } from '../ui/table/sub-table.tsx'

const idOf = ({ id }: ResultedTests) => String(id)
const processDate: Column<ResultedTests> = {
  key: 'processDate',
  header: 'Process Date',
  cell: (row) => <Moment at={row.processDate} zone={row.labTz} />,
}
const keys = Object.keys(resultColumns) as ResultKey[]

/** Under a row of the requisition list: one line per process date. Of the 27 results only those that anybody has entered. */
export const ResultedTestsSubTable = ({ requisitionId }: { requisitionId: number }) => {
  const params = { id: requisitionId }
  const { data } = useQuery(readList(reqTestRoutes.resulted, params, wholeList))
  const columns: Column<ResultedTests>[] = keys
    .filter((key) => data?.data.some((row) => row[key] !== null))
    .map((key) => ({ key, header: resultColumns[key], align: 'right', cell: (row) => row[key] }))
  return (
    <SubTable
      title="Resulted tests"
      columns={[processDate, ...columns]}
      route={reqTestRoutes.resulted}
      params={params}
      rowId={idOf}
      level={2}
    />
  )
}
