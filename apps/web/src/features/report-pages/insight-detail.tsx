import type { ReportItem, ReportPreview } from '@lis/contract/reports-pages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { SchedulesDialog } from '../../ui/schedules/schedules-dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { BarsChart } from './bars-chart.tsx'
import { type Chosen, sentChosen } from './insights-address.ts'
import { PreviewTable } from './preview-table.tsx'
import type { ReportRoutes } from './report-item.tsx'
import { savePng } from './save-png.ts'
import { useReportDownload } from './use-report-download.ts'

const Column = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  '& .bar': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8 },
  '& .bar p': { flex: '1 1 auto', color: 'var(--text-3)' },
})

interface InsightDetailProps {
  item: ReportItem
  routes: ReportRoutes
  chosen: Chosen
  back: string
}

/** One report with its chart, its rows and its files. */
export const InsightDetail = ({ item, routes, chosen, back }: InsightDetailProps) => {
  const { reportCode, reportDesc, purpose } = item
  const input = { ...sentChosen(chosen), reportCode }
  const query = useQuery({
    ...read(routes.preview, { query: input }),
    enabled: chosen.errors === null,
    placeholderData: keepPreviousData,
  })
  const { mutate, isPending } = useReportDownload(
    routes.download,
    ({ fromDate, toDate }) => `${reportDesc}, ${fromDate} to ${toDate}`,
  )
  const svg = useRef<SVGSVGElement>(null)
  const [isScheduling, setScheduling] = useState(false)
  const hasChart = (query.data?.data.chart.points.length ?? 0) > 0
  const download = (format: 'CSV' | 'XLSX') => !isPending && chosen.errors === null && mutate({ ...input, format })
  return (
    <Column className="report">
      <div className="bar">
        <Button component={Link} to={back}>
          All reports
        </Button>
        <p>{purpose}</p>
        <Button aria-haspopup="dialog" onClick={() => setScheduling(true)}>
          Schedule
        </Button>
        <ActionButton isBusy={isPending} onClick={() => download('CSV')}>
          CSV
        </ActionButton>
        <ActionButton isBusy={isPending} onClick={() => download('XLSX')}>
          XLSX
        </ActionButton>
        <Button
          disabled={!hasChart}
          onClick={() =>
            svg.current && savePng(svg.current, `${reportCode} ${chosen.period.fromDate} ${chosen.period.toDate}`)
          }
        >
          PNG
        </Button>
      </div>
      {isScheduling && (
        <SchedulesDialog subject={{ reportCode, name: reportDesc }} onClose={() => setScheduling(false)} />
      )}
      <Card title={reportDesc}>
        <Loaded query={query}>
          {({ data }: { data: ReportPreview }) => <Content title={reportDesc} preview={data} svg={svg} />}
        </Loaded>
      </Card>
    </Column>
  )
}

const Content = ({
  title,
  preview,
  svg,
}: {
  title: string
  preview: ReportPreview
  svg: React.RefObject<SVGSVGElement | null>
}) => {
  const { rows, rowCount, chart, isLong } = preview
  if (isLong)
    return (
      <EmptyState title="A long period">
        CSV and XLSX are prepared in the background and offered when they are ready.
      </EmptyState>
    )
  if (!rows.some(({ rowKind }) => rowKind === 'row'))
    return <EmptyState title="None in this period">Choose other dates or fewer filters.</EmptyState>
  return (
    <div style={{ display: 'flex', flexDirection: 'column', gap: 12 }}>
      {chart.points.length > 0 && <BarsChart title={title} chart={chart} svgRef={svg} />}
      <PreviewTable title={title} preview={preview} />
      {rowCount > rows.length && (
        <span style={{ color: 'var(--text-3)' }}>
          The first {rows.length} of {rowCount} rows. The file has all of them.
        </span>
      )}
    </div>
  )
}
