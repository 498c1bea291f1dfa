import { can } from '@lis/contract/access/permissions.ts'
import { billingRoutes } from '@lis/contract/billing.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { useQuery } from '@tanstack/react-query'
import { DocumentsCard } from '../../domain/documents/documents-card.tsx'
import { useRole } from '../../lib/session.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { BillToCard } from './bill-to-card.tsx'
import { GuarantorCard } from './guarantor-card.tsx'
import { IcdCard } from './icd-card.tsx'
import { InsuranceCard } from './insurance-card.tsx'
import { NotesCard } from './notes-card.tsx'
import { PatientCard } from './patient-card.tsx'
import { WorkColumns } from './work-columns.tsx'

/** Billing data of a requisition. */
export const BillingTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  const query = useQuery(readList(billingRoutes.billings, { id: requisition.id }, allRows))
  return (
    <Loaded query={query}>
      {({ data: [billing] }) =>
        billing && (
          <WorkColumns>
            <div>
              <PatientCard requisition={requisition} />
              <BillToCard requisition={requisition} billing={billing} />
              <GuarantorCard requisition={requisition} billing={billing} />
            </div>
            <div>
              <InsuranceCard billing={billing} />
              <IcdCard requisitionId={requisition.id} />
              {can(role, 'billingNotes.read') && <NotesCard requisitionId={requisition.id} />}
              {/* Hidden for users who may neither download nor upload. */}
              {(can(role, 'documents.section') || can(role, 'documents.upload')) && (
                <DocumentsCard requisitionId={requisition.id} />
              )}
            </div>
          </WorkColumns>
        )
      }
    </Loaded>
  )
}
