import type { QueryIn } from '@lis/contract/kit/route.ts'
import type { ReportPreview as Preview, qaReportRoutes } from '@lis/contract/reports-pages.ts'
import { styled } from '@mui/material/styles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { BarsChart } from './bars-chart.tsx'
import { PreviewTable } from './preview-table.tsx'

const Frame = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  minHeight: 120,
  padding: 12,
  borderTop: '1px solid var(--line)',
  background: 'var(--bg)',
  '&.old > :not([role=status])': { opacity: 0.4 },
  '& > .line': { fontSize: 12, color: 'var(--text-3)' },
})

type PreviewRoute = typeof qaReportRoutes.preview

/** A preview of the file: a chart and the first rows. */
export const ReportPreview = ({
  route,
  title,
  input,
}: {
  route: PreviewRoute
  title: string
  input: QueryIn<PreviewRoute>
}) => {
  const query = useQuery({ ...read(route, { query: input }), placeholderData: keepPreviousData })
  return (
    // Until the new period is loaded, the old one is shown and marked as such.
    <Frame aria-busy={query.isPlaceholderData || undefined} className={query.isPlaceholderData ? 'old' : undefined}>
      {query.isPlaceholderData && <LoadingState label="Data loading" />}
      <Loaded query={query}>{({ data }) => <Content title={title} preview={data} />}</Loaded>
    </Frame>
  )
}

const Content = ({ title, preview }: { title: string; preview: Preview }) => {
  const { rows, rowCount, chart, isLong } = preview
  if (isLong)
    return (
      <EmptyState title="A long period">
        It is prepared in the background, and a notice appears when it is ready.
      </EmptyState>
    )
  if (!rows.some(({ rowKind }) => rowKind === 'row'))
    return <EmptyState title="Nothing in this period">Choose other dates.</EmptyState>
  return (
    <>
      {chart.points.length > 0 && <BarsChart title={title} chart={chart} />}
      <PreviewTable title={title} preview={preview} />
      {rowCount > rows.length && (
        <span className="line">
          The first {rows.length} of {rowCount} rows. The file has all of them.
        </span>
      )}
    </>
  )
}
