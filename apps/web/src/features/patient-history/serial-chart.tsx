import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatDay } from '../../lib/formats.ts'
import { ForReaders } from '../../ui/table/table-frame.tsx'
import type { Point } from './serial-points.ts'

const Tip = styled('div')({
  padding: '8px 12px',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  boxShadow: 'var(--shadow-2)',
  '& dl': { display: 'grid', gridTemplateColumns: 'auto auto', gap: '2px 12px', margin: 0 },
  '& dt': { color: 'var(--text-3)' },
  '& dd': { margin: 0, textAlign: 'right' },
  '& a': { color: 'var(--link)' },
})

const yesNo = (flag: 0 | 1 | null) => (flag === null ? '–' : flag === 1 ? 'Yes' : 'No')
const dayOf = (at: number) => formatDay(new Date(at).toISOString())

const PointTip = ({ payload = [] }: { payload?: readonly { payload?: unknown }[] }) => {
  const point = payload[0]?.payload as Point | undefined
  if (!point) return null
  const { result, isDiabetic, isFamilyHistory, processDate, reqId } = point.row
  return (
    <Tip>
      <dl>
        <dt>Result</dt>
        <dd>{result}</dd>
        <dt>Diabetic</dt>
        <dd>{yesNo(isDiabetic)}</dd>
        <dt>Family history of MI</dt>
        <dd>{yesNo(isFamilyHistory)}</dd>
        <dt>Process Date</dt>
        <dd>{formatDay(processDate)}</dd>
        <dt>Requisition</dt>
        <dd>
          <Link to={`/requisitions/${reqId}/show`}>#{reqId}</Link>
        </dd>
      </dl>
    </Tip>
  )
}

/** SVDx over process date; told in words to those who cannot see a line. */
export const SerialChart = ({ points }: { points: readonly Point[] }) => (
  <figure style={{ flex: '1 1 auto', minWidth: 0, margin: 0 }} aria-label="SVDx results over process date">
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={[...points]} margin={{ top: 8, right: 24, bottom: 16, left: 8 }} accessibilityLayer>
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis
          dataKey="at"
          type="number"
          scale="time"
          domain={['dataMin', 'dataMax']}
          tickFormatter={dayOf}
          tick={{ fontSize: 11, fill: 'var(--text-3)' }}
          label={{ value: 'Process Date', position: 'insideBottom', offset: -8, fontSize: 11, fill: 'var(--text-2)' }}
        />
        <YAxis
          tick={{ fontSize: 11, fill: 'var(--text-3)' }}
          label={{ value: 'Result', angle: -90, position: 'insideLeft', fontSize: 11, fill: 'var(--text-2)' }}
        />
        {/* It holds a link, so the mouse must be able to move into it. */}
        <Tooltip content={<PointTip />} wrapperStyle={{ pointerEvents: 'auto' }} offset={0} />
        <Line
          dataKey="value"
          name="Result"
          stroke="var(--p)"
          strokeWidth={2}
          dot={{ r: 4, fill: 'var(--p)', cursor: 'pointer' }}
          activeDot={{ r: 6 }}
          isAnimationActive={false}
        />
      </LineChart>
    </ResponsiveContainer>
    <ForReaders as="figcaption">
      {points.map(({ row: { processDate, result } }) => `${formatDay(processDate)}: ${result}`).join(', ')}
    </ForReaders>
  </figure>
)
