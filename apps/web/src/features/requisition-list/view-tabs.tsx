import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { type RequisitionView, requisitionViews, viewsFor } from '@lis/contract/requisitions/views.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useSearchParams } from 'react-router'
import { TabLinks } from '../../ui/tab-links.tsx'
import type { StageCounts } from './status-bar.tsx'

interface ViewTabsProps {
  role: Role
  view: RequisitionView
  counts: StageCounts | undefined
}

/** The tabs of a role. They are links: each starts at page 1 with the filters and the view of the other. */
export const ViewTabs = ({ role, view, counts }: ViewTabsProps) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const [params] = useSearchParams()
  const kept = Object.fromEntries(
    ['smartFilter', 'view'].flatMap((name) => (params.get(name) ? [[name, params.get(name) ?? '']] : [])),
  )
  // Whoever has the status bar has the counts in it, except on phones.
  const showsCounts = isSmall || !can(role, 'requisitions.statusBar')
  return (
    <TabLinks
      label="Views"
      tabs={viewsFor(role).map((name) => ({
        to: `?${new URLSearchParams({ status: name, ...kept })}`,
        label: requisitionViews[name].label,
        isCurrent: name === view,
        count: showsCounts ? counts?.get(requisitionViews[name].label) : undefined,
      }))}
    />
  )
}
