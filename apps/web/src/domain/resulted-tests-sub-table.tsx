import { reqTestLabels as labels, type ReqTest, reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import { rangeText } from '@lis/contract/results/display.ts'
import type { BandName } from '@lis/contract/results/rules.ts'
import { useMemo } from 'react'
import { LoadingState } from '../ui/states.tsx'
import type { Column } from '../ui/table/column.ts'
import { allRows } from '../ui/table/read-list.ts'
import { SubTable } from '../ui/table/sub-table.tsx'
import { LoadFailed } from '../ui/table/table-states.tsx'
import { Timestamp } from '../ui/timestamp.tsx'
import { type FailCode, FailTag, useFailCodes } from './fail-codes.tsx'
import { Interpretation, missingResult, RangeName } from './result-grid/interpretation.tsx'

const idOf = ({ id }: ReqTest) => String(id)
const query = { ...allRows, filters: { isRetest: '0' } }

/** The outcome of a test: its result, or why there is none. Failed tests are included. */
const Outcome = ({ row, isUnreported }: { row: ReqTest; isUnreported: boolean }) => {
  if (isUnreported) return <RangeName className="unf">Not reported</RangeName>
  if (row.testFailCodes.length > 0) return <RangeName className="unf">Failed</RangeName>
  if (row.reportableResult) return <b>{row.reportableResult}</b>
  return <RangeName className="nor">{missingResult(row)}</RangeName>
}

const rangeColumn = (band: BandName): Column<ReqTest> => ({
  key: band,
  header: labels[band],
  cell: ({ ranges }) => {
    const range = ranges.find((one) => one.band === band)
    return range && rangeText(range)
  },
})

const columnsFor = (failCodes: readonly FailCode[]): Column<ReqTest>[] => {
  const isUnreported = failCodes.length > 0
  return [
    { key: 'testCode', header: labels.testCode, cell: (row) => row.testCode },
    { key: 'testDesc', header: labels.testDesc, cell: (row) => row.testDesc },
    { key: 'result', header: labels.result, cell: (row) => <Outcome row={row} isUnreported={isUnreported} /> },
    { key: 'units', header: labels.units, cell: (row) => row.units },
    {
      key: 'interpretation',
      header: labels.interpretation,
      cell: (row) => !isUnreported && row.isResulted === 1 && <Interpretation row={row} />,
    },
    rangeColumn('normal'),
    rangeColumn('borderline'),
    rangeColumn('unfavorable'),
    {
      key: 'failCodes',
      header: labels.testFailCodes,
      cell: (row) =>
        [
          ...failCodes,
          ...row.testFailCodes.map(({ reasonId, failCode, failDesc }) => ({
            id: reasonId,
            code: failCode,
            text: failDesc,
          })),
        ].map((code) => <FailTag key={code.id} {...code} />),
    },
    {
      key: 'processDate',
      header: labels.processDate,
      cell: (row) => row.processDate && <Timestamp at={row.processDate} zone={row.labTz} />,
    },
  ]
}

/** Under a row of the requisition list: all its tests with their results. */
export const ResultedTestsSubTable = ({ requisitionId }: { requisitionId: number }) => {
  const { data: failCodes, error, refetch } = useFailCodes(requisitionId)
  const columns = useMemo(() => failCodes && columnsFor(failCodes), [failCodes])
  // Without the fail codes of the requisition, results would look reported.
  if (!columns) return error ? <LoadFailed error={error} onRetry={refetch} /> : <LoadingState label="Data loading" />
  return (
    <SubTable
      title="Resulted tests"
      columns={columns}
      route={reqTestRoutes.list}
      params={{ id: requisitionId }}
      query={query}
      rowId={idOf}
      level={2}
    />
  )
}
