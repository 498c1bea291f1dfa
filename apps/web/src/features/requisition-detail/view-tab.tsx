import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { styled } from '@mui/material/styles'
import { DocumentsCard } from '../../domain/documents/documents-card.tsx'
import { useRole } from '../../lib/session.ts'
import { ChecklistCard } from './checklist-card.tsx'
import { IcdNotesCard } from './icd-notes-card.tsx'
import { PatientCards } from './patient-cards.tsx'
import { RequisitionCard } from './requisition-card.tsx'

const Columns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '352px minmax(0, 1fr) 348px',
  gap: 12,
  alignItems: 'start',
  '& > div': { display: 'flex', flexDirection: 'column', gap: 12, minWidth: 0 },
  [theme.breakpoints.down('lg')]: { gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)' },
  // On phones first what is to be done.
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)', '& > .stops': { order: -1 } },
}))

/** The order itself: what was ordered by whom, for whom, and its files. */
export const ViewTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  return (
    <Columns>
      <div>
        <RequisitionCard requisition={requisition} />
        <IcdNotesCard requisition={requisition} />
      </div>
      <div>
        <PatientCards requisition={requisition} />
      </div>
      <div className="stops">
        {can(role, 'requisitions.edit') && <ChecklistCard requisition={requisition} />}
        <DocumentsCard requisitionId={requisition.id} />
      </div>
    </Columns>
  )
}
