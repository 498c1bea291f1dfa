import { type BoardView, boardRoutes } from '@lis/contract/boards.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { ApiError } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const Wall = styled('main')({
  minHeight: '100vh',
  display: 'flex',
  flexDirection: 'column',
  gap: 24,
  padding: 32,
  background: 'var(--bg)',
  color: 'var(--text)',
  '& header': { display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: '4px 16px' },
  '& h1': { fontSize: 28, lineHeight: '36px', fontWeight: 600, color: 'var(--text-strong)' },
  '& header p': { flex: '1 1 auto', fontSize: 16, color: 'var(--text-2)' },
  '& header .lost': { color: 'var(--warning)', fontWeight: 600 },
  '& h2': { fontSize: 18, lineHeight: '24px', fontWeight: 600, margin: '0 0 8px' },
  '& ul': {
    margin: 0,
    padding: 0,
    listStyle: 'none',
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(170px, 1fr))',
    gap: 12,
  },
  '& li': {
    padding: 16,
    background: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-md)',
    fontSize: 16,
  },
  '& li b': { display: 'block', fontSize: 40, lineHeight: '48px', fontWeight: 600, color: 'var(--text-strong)' },
  '& li.late b': { color: 'var(--error)' },
  '& li small': { display: 'block', fontSize: 13, color: 'var(--text-3)' },
})

const refreshMs = 10_000

/** A wall board: numbers of one laboratory, without sign-in and without patient data. */
export const BoardPage = () => {
  const { key = '' } = useParams()
  useDocumentTitle('Board')
  const { data, error, isError } = useQuery({
    ...read(boardRoutes.view, { params: { key } }),
    staleTime: 0,
    refetchInterval: refreshMs,
    refetchIntervalInBackground: true,
  })
  const isGone = error instanceof ApiError && [400, 404].includes(error.status)
  if (isGone) return <EmptyState title="This board has ended">Ask the laboratory for a new address.</EmptyState>
  if (!data) return <LoadingState label="Board loading" isPage />
  return <Numbers board={data.data} isLost={isError} />
}

const Numbers = ({ board, isLost }: { board: BoardView; isLost: boolean }) => {
  const { boardName, labName, labTz, asOf, queues, flow, turnaround } = board
  const { shareWithinTarget, released, stages } = turnaround
  return (
    <Wall>
      <header>
        <h1>{boardName}</h1>
        <p>{labName}</p>
        <span className={isLost ? 'lost' : undefined}>
          {isLost ? 'Not updated since ' : 'Live, '}
          <Timestamp at={asOf} zone={labTz} />
        </span>
      </header>
      <section aria-label="What waits">
        <ul>
          {queues.map(({ code, title, count, oldestDate }) => (
            <li key={code} className={code === 'LATE' && count > 0 ? 'late' : undefined}>
              <b>{count}</b>
              {title}
              {oldestDate && (
                <small>
                  since <Timestamp at={oldestDate} zone={labTz} />
                </small>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Flow by status</h2>
        <ul>
          {flow.map(({ reqStatusCode, reqStatusDesc, count, ages }) => (
            <li key={reqStatusCode}>
              <b>{count}</b>
              {reqStatusDesc}
              <small>{ages.over4Days} over 4 days</small>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Turnaround today</h2>
        <ul>
          <li>
            <b>{shareWithinTarget === null ? '–' : `${shareWithinTarget}%`}</b>
            within target
            <small>{released} released</small>
          </li>
          {stages
            .filter(({ count }) => count > 0)
            .map(({ reqStatusCode, reqStatusDesc, p50Hours, p90Hours, targetHours }) => (
              <li key={reqStatusCode} className={(p90Hours ?? 0) > targetHours ? 'late' : undefined}>
                <b>{p90Hours} h</b>
                {reqStatusDesc}, 90 of 100
                <small>
                  median {p50Hours} h, target {targetHours} h
                </small>
              </li>
            ))}
        </ul>
      </section>
    </Wall>
  )
}
