import type { Role } from '@lis/contract/access/roles.ts'
import { type RequisitionView, requisitionViews, viewsFor } from '@lis/contract/requisitions/views.ts'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useSearchParams } from 'react-router'
import { TabLinks } from '../../ui/tab-links.tsx'
import type { StageCounts } from './status-bar.tsx'

const Count = styled('span')({ fontWeight: 400, color: 'var(--text-3)' })

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
  const countOf = (name: RequisitionView) => (isSmall ? counts?.get(name) : undefined)
  return (
    <TabLinks
      label="Views"
      tabs={viewsFor(role).map((name) => {
        const count = countOf(name)
        return {
          to: `?${new URLSearchParams({ status: name, ...kept })}`,
          label: requisitionViews[name].label,
          isCurrent: name === view,
          mark: count !== undefined && <Count>{count.toLocaleString('en-US')}</Count>,
        }
      })}
    />
  )
}
