import { type SampleEvent, specimenRoutes } from '@lis/contract/specimens.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const Line = styled('ol')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  '& > li': {
    position: 'relative',
    display: 'grid',
    gridTemplateColumns: '128px minmax(0, 1fr)',
    columnGap: 28,
    padding: '4px 0',
    // The line, and a dot for each event.
    '&::before': {
      content: '""',
      position: 'absolute',
      left: 141,
      top: 0,
      bottom: 0,
      width: 1,
      background: 'var(--line-strong)',
    },
    '&:first-of-type::before': { top: 12 },
    '&:last-of-type::before': { bottom: 'calc(100% - 12px)' },
    '&::after': {
      content: '""',
      position: 'absolute',
      left: 137,
      top: 9,
      width: 9,
      height: 9,
      borderRadius: '50%',
      background: 'var(--surface)',
      border: '2px solid var(--n-450)',
    },
    '&.mark::after': { borderColor: 'var(--p)', background: 'var(--p)' },
    '&.end::after': { borderColor: 'var(--error)', background: 'var(--error)' },
  },
  '& b': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .by': { color: 'var(--text-3)' },
  '& .detail': { color: 'var(--text-2)', overflowWrap: 'anywhere' },
})

const marks: Partial<Record<SampleEvent['kind'], string>> = {
  COLLECTED: 'mark',
  RECEIVED: 'mark',
  PLACED: 'mark',
  DISCARDED: 'end',
}

/** Everything that happened to the samples, in order. */
export const SpecimenHistoryCard = ({ requisitionId }: { requisitionId: number }) => {
  const query = useQuery(read(specimenRoutes.lifeLine, { params: { id: requisitionId } }))
  return (
    <Card title="Life Line">
      <Loaded query={query}>
        {({ data }) => (
          <Line>
            {data.map(({ id, kind, at, zone, title, detail, byName }) => (
              <li key={id} className={marks[kind]}>
                <Timestamp at={at} zone={zone} />
                <div>
                  <b>{title}</b> {byName && <span className="by">by {byName}</span>}
                  {detail && <div className="detail">{detail}</div>}
                </div>
              </li>
            ))}
          </Line>
        )}
      </Loaded>
    </Card>
  )
}
