import { type QcStatus, qcTopic, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { StateWord } from '../../domain/control-state-word.tsx'
import { useLive } from '../../lib/use-live.ts'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const live = [qualityControlRoutes.status]
// Controls become due with time.
const refreshMs = 60_000
const codeOf = ({ testCode }: QcStatus) => testCode

const columns: readonly Column<QcStatus>[] = [
  {
    key: 'testCode',
    header: 'Test',
    width: 220,
    card: 'title',
    cell: ({ instrumentId, testCode, testDesc }) => (
      <Link to={`/quality-control?instrumentId=${instrumentId}&testCode=${encodeURIComponent(testCode)}`}>
        {testCode}, {testDesc}
      </Link>
    ),
  },
  { key: 'state', header: 'State', width: 130, card: 'head', cell: ({ state }) => <StateWord state={state} /> },
  {
    key: 'since',
    header: 'Since',
    width: 150,
    cell: ({ since, labZone }) => since && <Timestamp at={since} zone={labZone} />,
  },
  {
    key: 'lastGoodRunAt',
    header: 'Last run in control',
    width: 150,
    cell: ({ lastGoodRunAt, labZone }) =>
      lastGoodRunAt ? <Timestamp at={lastGoodRunAt} zone={labZone} /> : 'No run yet',
  },
  {
    key: 'lookBackCount',
    header: 'To look at again',
    width: 130,
    align: 'right',
    cell: ({ lookBackCount }) => lookBackCount,
  },
]

/** Whether each test of the instrument is in control: results of one that is out or due wait for a person. */
export const StatusCard = ({ instrumentId }: { instrumentId: number }) => {
  useLive(qcTopic, live)
  const query = useQuery({
    ...readList(qualityControlRoutes.status, undefined, {
      ...allRows,
      filters: { instrumentId: String(instrumentId) },
    }),
    refetchInterval: refreshMs,
  })
  return (
    <CardTable
      title="Quality control"
      query={query}
      columns={columns}
      rowId={codeOf}
      rowName={codeOf}
      empty="No test is measured on this instrument: it has no codes."
    />
  )
}
