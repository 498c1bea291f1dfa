import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ApiError, isNotFound } from '../../lib/api-error.ts'
import { PageHeader } from '../page-header.tsx'
import { EmptyState, ErrorState } from '../states.tsx'
import { Banner } from './banner.tsx'

const Ground = styled('div')(({ theme }) => ({
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
  action?: ReactNode
  /** For tables and three cards side by side; forms read better when they are not too wide. */
  isWide?: boolean
  children: ReactNode
}

/** The page of one record or one form: header, and cards on the grey ground. */
export const RecordPage = ({ title, action, isWide = false, children }: RecordPageProps) => (
  <>
    <PageHeader title={title} action={action} />
    <Ground>
      <Column className={isWide ? 'wide' : undefined}>{children}</Column>
    </Ground>
  </>
)

interface MissingRecordProps {
  /** The way out: the list of such records, which everybody may open who may open one of them. */
  list?: { to: string; label: string }
  children?: ReactNode
}

/** Gone, never there, or somebody else's: the server does not tell which, and neither does this. */
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

/** Over a record that has gone while somebody was typing: it stays until what was typed is given up. */
export const GoneBanner = ({ query }: { query: Pick<UseQueryResult, 'data' | 'error'> }) =>
  query.data !== undefined &&
  isNotFound(query.error) && (
    <Banner type="error">
      There is no such record for you any more. It may have been deleted. What you typed is still here, but cannot be
      saved.
    </Banner>
  )

interface LoadedProps<T> {
  query: UseQueryResult<T>
  /** For the record of the page: what is said, and offered, when there is no such record. */
  missing?: ReactNode
  children: (data: T) => ReactNode
}

/** What a read has brought, or that it is on its way, or why it failed. What is there stays while it is read again. */
export const Loaded = <T,>({ query, missing, children }: LoadedProps<T>) => {
  if (query.data !== undefined)
    return (
      <>
        {missing && <GoneBanner query={query} />}
        {children(query.data)}
      </>
    )
  // 400 is an address that can name no record.
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
