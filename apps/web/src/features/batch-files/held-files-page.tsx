import { batchFileRoutes, type HeldFile } from '@lis/contract/batch-files.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useUnsaved } from '../../lib/unsaved.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { readList } from '../../ui/table/read-list.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { initialInput, MatchCard, type MatchInput } from './match-card.tsx'

const Layout = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  display: 'grid',
  gridTemplateColumns: 'minmax(220px, 320px) minmax(0, 1fr)',
  gap: 16,
  padding: '0 16px 16px',
  alignItems: 'start',
  // Stacked, they do not share the height of the page.
  alignContent: 'start',
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)', paddingTop: 12 },
}))
const List = styled('ul')(({ theme }) => ({
  display: 'flex',
  flexDirection: 'column',
  gap: 4,
  '& button': {
    width: '100%',
    display: 'block',
    padding: '8px 12px',
    textAlign: 'left',
    font: 'inherit',
    color: 'var(--text)',
    background: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-md)',
    cursor: 'pointer',
  },
  '& button[aria-current=true]': { borderColor: 'var(--p)', background: 'var(--p-100)' },
  '& strong, & span': { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis' },
  '& strong': { fontWeight: 600, color: 'var(--text-strong)', whiteSpace: 'nowrap' },
  '& span': { color: 'var(--error)', fontSize: 12 },
  // Above the comparison, it must not push that out of view.
  [theme.breakpoints.down('md')]: { maxHeight: 190, overflowY: 'auto' },
}))
const More = styled('p')({ color: 'var(--text-3)', padding: '4px 12px' })

const whole = { page: 1, perPage: 100, filters: {}, sort: null }

/** Files that do not match the record they would be filed under: shown side by side, for a user to decide. */
export const HeldFilesPage = () => {
  const { data, error, refetch } = useQuery({ ...readList(batchFileRoutes.held, undefined, whole), staleTime: 0 })
  const [chosen, setChosen] = useState<number>()
  // Input for a file is kept while another one is viewed.
  const [typed, setTyped] = useState<ReadonlyMap<number, MatchInput>>(new Map())
  const files = data?.data ?? []
  const current = files.find(({ id }) => id === chosen) ?? files[0]
  useUnsaved(
    useId(),
    files.some(({ id }) => (typed.get(id)?.reason ?? '') !== ''),
  )
  return (
    <>
      <PageHeader title="Matching desk" />
      {error ? (
        <LoadFailed error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <LoadingState label="Data loading" />
      ) : current ? (
        <Layout>
          <div>
            <List aria-label="Files to decide on">
              {files.map((file) => (
                <li key={file.id}>
                  <Item file={file} isCurrent={file === current} onChoose={() => setChosen(file.id)} />
                </li>
              ))}
            </List>
            {data.total > files.length && (
              <More>
                The first {files.length} of {data.total} files.
              </More>
            )}
          </div>
          <MatchCard
            key={current.id}
            file={current}
            typed={typed.get(current.id) ?? initialInput(current)}
            onInput={(what) => setTyped((before) => new Map(before).set(current.id, what))}
          />
        </Layout>
      ) : (
        <EmptyState title="Nothing to decide">Every uploaded file agrees with its record.</EmptyState>
      )}
    </>
  )
}

const Item = ({ file, isCurrent, onChoose }: { file: HeldFile; isCurrent: boolean; onChoose: () => void }) => (
  <button type="button" aria-current={isCurrent} onClick={onChoose}>
    <strong>{file.reportOriginalFileName}</strong>
    <span>{file.note}</span>
  </button>
)
