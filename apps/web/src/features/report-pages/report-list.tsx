import type { ReportItem } from '@lis/contract/reports-pages.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ReportItemRow, type ReportRoutes } from './report-item.tsx'

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  maxWidth: 1280,
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  boxShadow: 'var(--shadow-1)',
  '& > li + li': { borderTop: '1px solid var(--line)' },
})

/** The reports of a tab, each with its period, preview and download. */
export const ReportList = ({ label, routes }: { label: string; routes: ReportRoutes }) => {
  const [open, setOpen] = useState<string | null>(null)
  const query = useQuery(read(routes.list))
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No reports" />
        ) : (
          <List aria-label={label}>
            {data.map((item: ReportItem) => (
              <li key={item.reportCode}>
                <ReportItemRow
                  item={item}
                  routes={routes}
                  isOpen={open === item.reportCode}
                  onToggle={() => setOpen(open === item.reportCode ? null : item.reportCode)}
                />
              </li>
            ))}
          </List>
        )
      }
    </Loaded>
  )
}
