import {
  qaReportRoutes,
  type ReportTab,
  reportTabOf,
  reportTabs,
  summaryReportRoutes,
} from '@lis/contract/reports-pages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Link, Navigate, useParams } from 'react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { LongReports } from './long-reports.tsx'
import { MiscReports } from './misc-reports.tsx'
import { ReportList } from './report-list.tsx'

const Background = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  padding: '12px 16px',
  background: 'var(--bg)',
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))

const panels: Record<ReportTab, () => React.ReactNode> = {
  qaReports: () => <ReportList key="qa" label={reportTabs.qaReports} routes={qaReportRoutes} />,
  adHocReports: () => <MiscReports />,
  summaryReports: () => <ReportList key="summary" label={reportTabs.summaryReports} routes={summaryReportRoutes} />,
}

/** The laboratory's reports, in three tabs. */
export const ReportsPage = () => {
  const { tabSlug } = useParams()
  const current = reportTabOf(tabSlug)
  const tabs = Object.entries(reportTabs).map(([slug, label]) => ({
    to: `/reports/${slug}`,
    label,
    isCurrent: slug === current,
  }))
  if (tabSlug !== undefined && tabSlug !== current) return <Navigate to="/reports" replace />
  return (
    <>
      <PageHeader
        title="Reports"
        action={
          <Button component={Link} to="/insights">
            Insights
          </Button>
        }
      />
      <TabLinks label="Kinds of reports" tabs={tabs} />
      <Background>
        <LongReports />
        {panels[current]()}
      </Background>
    </>
  )
}
