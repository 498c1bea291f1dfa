import type { ReportChart as Chart } from '@lis/contract/reports-pages.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { VisuallyHidden } from '../../ui/table/table-frame.tsx'

const sideBySide = ['var(--p)', 'var(--warning-solid)', 'var(--success)']
/** Parts of a whole are ordered from good to bad. */
const stacked: Record<number, readonly string[]> = {
  3: ['var(--success)', 'var(--warning-solid)', 'var(--error)'],
  4: ['var(--success)', 'var(--info)', 'var(--warning-solid)', 'var(--error)'],
  5: ['var(--success)', 'var(--info)', 'var(--p)', 'var(--warning-solid)', 'var(--error)'],
}
const tick = { fontSize: 11, fill: 'var(--text-3)' }
const shortest = 220
const perPoint = 26

const truncate = (label: string, most: number) => (label.length > most ? `${label.slice(0, most - 1)}…` : label)

/** Horizontal bars, because names are long; with a text alternative. */
export const ReportChart = ({ title, chart: { series, points, isStacked } }: { title: string; chart: Chart }) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const data = points.map(({ label, values }) => ({
    label,
    ...Object.fromEntries(series.map((name, index) => [name, values[index] ?? 0])),
  }))
  const colours = (isStacked && stacked[series.length]) || sideBySide
  const perGroup = isStacked ? 1 : series.length
  const height = Math.max(shortest, points.length * perPoint * (perGroup > 1 ? 1.4 : 1) + 80)
  return (
    <figure style={{ margin: 0 }} aria-label={`Chart of ${title}`}>
      <ResponsiveContainer width="100%" height={height}>
        <BarChart data={data} layout="vertical" margin={{ top: 4, right: 24, bottom: 4, left: 8 }} accessibilityLayer>
          <CartesianGrid stroke="var(--line)" horizontal={false} />
          <XAxis
            type="number"
            tick={tick}
            allowDecimals={points.some(({ values }) => !values.every(Number.isInteger))}
          />
          <YAxis
            type="category"
            dataKey="label"
            width={isSmall ? 130 : 230}
            tick={tick}
            tickFormatter={(label: string) => truncate(label, isSmall ? 20 : 38)}
            interval={0}
          />
          <Tooltip
            cursor={{ fill: 'var(--n-100)' }}
            itemSorter={({ dataKey }) => series.indexOf(String(dataKey))}
            contentStyle={{ background: 'var(--surface)', border: '1px solid var(--line)', fontSize: 12 }}
          />
          {series.length > 1 && <Legend itemSorter={null} wrapperStyle={{ fontSize: 12 }} />}
          {series.map((name, index) => (
            <Bar
              key={name}
              dataKey={name}
              fill={colours[index % colours.length] ?? 'var(--p)'}
              {...(isStacked && { stackId: 'one' })}
              maxBarSize={18}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
      <VisuallyHidden as="figcaption">
        {points
          .map(({ label, values }) => `${label}: ${series.map((name, index) => `${name} ${values[index]}`).join(', ')}`)
          .join('; ')}
      </VisuallyHidden>
    </figure>
  )
}
