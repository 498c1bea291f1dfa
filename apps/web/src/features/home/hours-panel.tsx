import type { ReceivedHour } from '@lis/contract/home.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useId, useState } from 'react'
import { hourInZone, weekdayInZone } from '../../lib/formats.ts'
import { Legend, Panel } from './panel.tsx'

const Body = styled('div')({
  padding: '10px 12px 8px',
  '& svg': { display: 'block', width: '100%', height: 'auto' },
  '& text': { font: '400 10px/12px var(--font)', fill: 'var(--text-3)' },
  '& text.strong': { fontWeight: 600, fill: 'var(--text)' },
})
const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& th, & td': { height: 24, padding: '0 8px', textAlign: 'right', borderBottom: '1px solid var(--line)' },
  '& th': { fontSize: 11, fontWeight: 400, color: 'var(--text-3)' },
})

const width = 436
const base = 116
const top = 16
const left = 26

/** Requisitions by the hour of their receipt; the running hour is hatched, because it is not over. */
export const HoursPanel = ({ hours, now, zone }: { hours: readonly ReceivedHour[]; now: number; zone: string }) => {
  const [isTable, setTable] = useState(false)
  const at = new Date(now).toISOString()
  const hour = hourInZone(at, zone)
  const weekday = weekdayInZone(at, zone)
  const shown = withinDay(hours, hour)
  const sum = hours.reduce((all, { count }) => all + count, 0)
  const usual = Math.round(hours.filter((one) => one.hour <= hour).reduce((all, one) => all + one.usual, 0))
  const text = `${sum} received today, usually ${usual} on a ${weekday} by the end of this hour`
  return (
    <Panel
      title="Received by hour"
      note={`${sum} today, usually ${usual}`}
      actions={
        <>
          {!isTable && (
            <Legend>
              <span>
                <i className="today" />
                Today
              </span>
              <span>
                <i className="usual" />
                Usual {weekday}
              </span>
            </Legend>
          )}
          <Button onClick={() => setTable(!isTable)}>{isTable ? 'Show as chart' : 'Show as table'}</Button>
        </>
      }
    >
      <Body>
        {isTable ? (
          <Table>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                <th scope="col">Today</th>
                <th scope="col">Usual {weekday}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <tr key={one.hour}>
                  <td>{twoDigits(one.hour)}</td>
                  <td>{one.hour <= hour ? one.count : '–'}</td>
                  <td>{one.usual}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        ) : (
          <Chart hours={shown} current={hour} label={text} />
        )}
      </Body>
    </Panel>
  )
}

/** From the first to the last hour with anything in it, the running one included; at least eight. */
const withinDay = (hours: readonly ReceivedHour[], current: number): ReceivedHour[] => {
  const busy = hours
    .filter(({ hour, count, usual }) => count > 0 || usual > 0 || hour === current)
    .map(({ hour }) => hour)
  const last = Math.max(Math.max(...busy), Math.min(23, Math.min(...busy) + 7))
  const first = Math.min(Math.min(...busy), Math.max(0, last - 7))
  return hours.filter(({ hour }) => hour >= first && hour <= last)
}

const twoDigits = (hour: number) => String(hour).padStart(2, '0')

/** The next 1, 2 or 5 times a power of ten. */
const roundUp = (value: number) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return (([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power) as number
}

const Chart = ({ hours, current, label }: { hours: readonly ReceivedHour[]; current: number; label: string }) => {
  const pattern = useId()
  const largest = roundUp(Math.max(2, ...hours.flatMap(({ count, usual }) => [count, usual])))
  const step = (width - left) / hours.length
  const y = (value: number) => base - ((base - top) * value) / largest
  const line = hours
    .map(({ usual }, index) => `V${y(usual).toFixed(1)}H${(left + (index + 1) * step).toFixed(1)}`)
    .join('')
  return (
    <svg viewBox={`0 0 ${width} 134`} role="img" aria-label={label}>
      <defs>
        <pattern id={pattern} width="5" height="5" patternTransform="rotate(45)" patternUnits="userSpaceOnUse">
          <rect width="5" height="5" fill="var(--p-100)" />
          <rect width="2" height="5" fill="var(--p)" />
        </pattern>
      </defs>
      {[0, largest / 2, largest].map((value) => (
        <g key={value}>
          <path d={`M${left} ${y(value)}H${width}`} stroke="var(--line)" />
          <text x={left - 6} y={y(value) + 3} textAnchor="end">
            {value}
          </text>
        </g>
      ))}
      {hours.map(({ hour, count }, index) => {
        const x = left + index * step
        const isCurrent = hour === current
        return (
          <g key={hour}>
            {count > 0 && (
              <rect
                x={x + step * 0.12}
                width={step * 0.76}
                y={y(count)}
                height={base - y(count)}
                rx="2"
                fill={isCurrent ? `url(#${pattern})` : 'var(--p)'}
                stroke={isCurrent ? 'var(--p)' : 'none'}
              />
            )}
            {count > 0 && (
              <text className="strong" x={x + step / 2} y={y(count) - 4} textAnchor="middle">
                {count}
              </text>
            )}
            <text className={isCurrent ? 'strong' : undefined} x={x + step / 2} y="130" textAnchor="middle">
              {twoDigits(hour)}
            </text>
          </g>
        )
      })}
      <path d={`M${left} ${y(0)}${line}`} fill="none" stroke="var(--n-450)" strokeWidth="1.5" />
    </svg>
  )
}
