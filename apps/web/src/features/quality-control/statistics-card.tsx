import { type QcChart, type QcStatistics, type QcStatus, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Card } from '../../ui/card.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { comparisonsOf } from './chart-data.ts'

const number = (text: string | null, decimals: number) => (text === null ? '–' : Number(text).toFixed(decimals))
const idOf = ({ month, lotId }: QcStatistics) => `${month} ${lotId}`
const nameOf = ({ month, lotNumber }: QcStatistics) => `${month}, lot ${lotNumber}`

const columns: readonly Column<QcStatistics>[] = [
  { key: 'month', header: 'Month', width: 80, card: 'title', cell: ({ month }) => month },
  { key: 'level', header: 'Level', width: 60, align: 'right', cell: ({ level }) => level },
  { key: 'lotNumber', header: 'Lot', width: 100, cell: ({ lotNumber }) => lotNumber },
  { key: 'n', header: 'n', width: 60, align: 'right', cell: ({ n }) => n },
  { key: 'mean', header: 'Mean', width: 80, align: 'right', cell: ({ mean }) => number(mean, 3) },
  { key: 'sd', header: 'SD', width: 80, align: 'right', cell: ({ sd }) => number(sd, 3) },
  { key: 'cv', header: 'CV %', width: 70, align: 'right', cell: ({ cv }) => number(cv, 2) },
  { key: 'biasPct', header: 'Bias %', width: 70, align: 'right', cell: ({ biasPct }) => number(biasPct, 2) },
  {
    key: 'rejectedShare',
    header: 'Rejected',
    width: 80,
    align: 'right',
    cell: ({ rejectedShare }) => `${(100 * Number(rejectedShare)).toFixed(1)} %`,
  },
  { key: 'sigma', header: 'Sigma', width: 70, align: 'right', cell: ({ sigma }) => number(sigma, 1) },
]

/** By month, lot and level; and a parallel lot beside the lot in use. */
export const StatisticsCard = ({ status, chart }: { status: QcStatus; chart: QcChart }) => {
  const { instrumentId, testCode } = status
  const query = useQuery(
    read(qualityControlRoutes.statistics, { query: { instrumentId, testCode, lotId: null, from: null, to: null } }),
  )
  const comparisons = comparisonsOf(chart)
  return (
    <>
      {comparisons.length > 0 && (
        <Card title="Parallel lots">
          <ul>
            {comparisons.map(({ level, lotNumber, inUse, parallel, differencePct }) => (
              <li key={`${level} ${lotNumber}`}>
                Level {level}, lot {lotNumber}: mean {parallel.mean.toFixed(3)} of {parallel.n} runs
                {inUse && `, beside ${inUse.mean.toFixed(3)} of ${inUse.n}`}
                {differencePct !== null && ` (${differencePct > 0 ? '+' : ''}${differencePct.toFixed(2)} %)`}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <CardTable
        title="Statistics"
        query={query}
        columns={columns}
        rowId={idOf}
        rowName={nameOf}
        empty="No runs yet."
      />
    </>
  )
}
