import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { useRole } from '../../lib/session.ts'
import { CardGrid } from '../../ui/form/record-page.tsx'
import { BillingStatusCard } from './billing-status-card.tsx'
import { CodesCard } from './codes-card.tsx'
import { StatusCard } from './status-card.tsx'

/** The requisition's status in laboratory and billing, and its codes. */
export const StatusTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  return (
    <CardGrid>
      <div>
        <StatusCard requisition={requisition} />
        {can(role, 'requisitions.billingStatus') && <BillingStatusCard requisition={requisition} />}
      </div>
      <div>
        <CodesCard requisition={requisition} />
      </div>
    </CardGrid>
  )
}
