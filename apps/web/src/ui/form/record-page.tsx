import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ApiError, isNotFound } from '../../lib/api-error.ts'
import { PageHeader, type ParentPage } from '../page-header.tsx'
import { EmptyState, ErrorState } from '../states.tsx'
import { Banner } from './banner.tsx'

const Background = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  padding: '12px 16px',
  background: 'var(--bg)',
  borderTop: '1px solid var(--line)',
  '& .zone': { fontSize: 11, color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { padding: 12, borderTop: 0 },
}))
const Column = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  maxWidth: 1040,
  '&.wide': { maxWidth: 1680 },
})
export const CardGrid = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 3fr) minmax(0, 2fr)',
  gap: 12,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '& > div': { display: 'flex', flexDirection: 'column', gap: 12 },
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))

interface RecordPageProps {
  title: string
  /** The list that the record belongs to: the breadcrumbs. */
  parent?: ParentPage
  action?: ReactNode
  /** For tables and three cards in a row; forms are easier to read when narrower. */
  isWide?: boolean
  children: ReactNode
}

/** The page of a record or a form: header, and cards on a grey background. */
export const RecordPage = ({ title, parent, action, isWide = false, children }: RecordPageProps) => (
  <>
    <PageHeader title={title} parent={parent} action={action} />
    <Background>
      <Column className={isWide ? 'wide' : undefined}>{children}</Column>
    </Background>
  </>
)

interface MissingRecordProps {
  /** Link to the list, for users who may open it. */
  list?: { to: string; label: string }
  children?: ReactNode
}

/** Deleted, never existed, or outside the user's scope: the server does not tell which. */
export const MissingRecord = ({ list, children }: MissingRecordProps) => (
  <EmptyState
    title={messages.notFoundPage}
    actions={
      list && (
        <Button component={Link} to={list.to}>
          Back to {list.label}
        </Button>
      )
    }
  >
    {children ?? 'There is no record at this address. It may have been deleted.'}
  </EmptyState>
)

/** Shown above a record that was deleted during editing; it stays until the input is discarded. */
export const DeletedBanner = ({ query }: { query: Pick<UseQueryResult, 'data' | 'error'> }) =>
  query.data !== undefined &&
  isNotFound(query.error) && (
    <Banner type="error">
      There is no such record for you any more. It may have been deleted. What you typed is still here, but cannot be
      saved.
    </Banner>
  )

interface LoadedProps<T> {
  query: UseQueryResult<T>
  /** For the record of the page: shown when it does not exist. */
  missing?: ReactNode
  children: (data: T) => ReactNode
}

/** The data of a query, or its loading or error state. Data stays visible while it is read again. */
export const Loaded = <T,>({ query, missing, children }: LoadedProps<T>) => {
  if (query.data !== undefined)
    return (
      <>
        {missing && <DeletedBanner query={query} />}
        {children(query.data)}
      </>
    )
  // 400 means an invalid id in the address.
  if (query.error instanceof ApiError && [400, 404].includes(query.error.status)) return missing ?? <MissingRecord />
  if (query.isError)
    return (
      <ErrorState title={messages.listFailed} onRetry={() => query.refetch()}>
        {query.error.message}
      </ErrorState>
    )
  return (
    <div role="status" aria-label="Data loading">
      {[220, 280, 180, 240, 200].map((width) => (
        <Skeleton key={width} variant="rectangular" width={width} height={8} sx={{ my: 4 }} />
      ))}
    </div>
  )
}
