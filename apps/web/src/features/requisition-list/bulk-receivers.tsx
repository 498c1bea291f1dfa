import type { BulkReceiver } from '@lis/contract/deliveries.ts'
import { styled } from '@mui/material/styles'

const Frame = styled('section')({
  marginTop: 12,
  '& h3': { margin: 0, fontSize: 13, fontWeight: 600, color: 'var(--text-strong)' },
  '& ul': { margin: '4px 0 0', paddingLeft: 18, maxHeight: 240, overflowY: 'auto', overflowWrap: 'anywhere' },
  '& .where': { color: 'var(--text-3)' },
  '& small': { display: 'block', color: 'var(--warning)' },
})

const countOf = (count: number) => `${count} ${count === 1 ? 'report' : 'reports'}`

/** Who would get what, before anything is sent: how many reports go by which way, and then each receiver. */
export const BulkReceivers = ({ receivers }: { receivers: readonly BulkReceiver[] }) => {
  const ways = new Map<string, number>()
  for (const { transmitMethodDesc: way, reportCount, problem } of receivers)
    if (problem === null) ways.set(way, (ways.get(way) ?? 0) + reportCount)
  const summary = [...ways].map(([way, count]) => `${countOf(count)} by ${way}`).join(', ')
  return (
    <Frame aria-label="Receivers">
      <h3>Receivers{summary && `: ${summary}`}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by the keyboard too */}
      <ul aria-label="Receivers" tabIndex={0}>
        {receivers.map(({ name, transmitMethodDesc, recipient, problem, reqIds, reportCount }) => (
          <li key={`${name} ${transmitMethodDesc} ${recipient}`}>
            <bdi>{name}</bdi>, {transmitMethodDesc}
            {recipient !== name && recipient !== '' && ` to ${recipient}`}{' '}
            <span className="where">
              ({countOf(reportCount)} of {joinIds(reqIds)})
            </span>
            {problem && <small>{problem}</small>}
          </li>
        ))}
      </ul>
    </Frame>
  )
}

/** The first few numbers, and how many more there are. */
export const joinIds = (ids: readonly number[]) =>
  `${ids
    .slice(0, 5)
    .map((id) => `#${id}`)
    .join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
