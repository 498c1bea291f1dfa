import type { Role } from '@lis/contract/access/roles.ts'
import { type RequisitionView, requisitionViews, viewsFor } from '@lis/contract/requisitions/views.ts'
import { TabLinks } from '../../ui/tab-links.tsx'

/** The tabs that a role has. They are addresses: changing one begins at page 1 without filters of the other. */
export const ViewTabs = ({ role, view }: { role: Role; view: RequisitionView }) => (
  <TabLinks
    label="Views"
    tabs={viewsFor(role).map((name) => ({
      to: `?status=${name}`,
      label: requisitionViews[name].label,
      isCurrent: name === view,
    }))}
  />
)
