import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { styled } from '@mui/material/styles'
import { DocumentsCard } from '../../domain/documents/documents-card.tsx'
import { useRole } from '../../lib/session.ts'
import { ChecklistCard } from './checklist-card.tsx'
import { IcdNotesCard } from './icd-notes-card.tsx'
import { PatientCards } from './patient-cards.tsx'
import { RequisitionCard } from './requisition-card.tsx'

const stack = { display: 'flex', flexDirection: 'column', gap: 12, minWidth: 0 } as const
const Columns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '352px minmax(0, 1fr) 348px',
  gap: 12,
  alignItems: 'start',
  '& > div': stack,
  // Roles without checklist and files (clients) have more room for the rest.
  '&:not(:has(> .side > *))': {
    gridTemplateColumns: '352px minmax(0, 1fr)',
    '& > .side': { display: 'none' },
  },
  // The order and the patient side by side, below them the checklist and the files.
  [theme.breakpoints.down('lg')]: {
    gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
    '& > .side': { display: 'contents' },
  },
  // On phones the checklist first, and the files last.
  [theme.breakpoints.down('md')]: { ...stack, alignItems: 'stretch', '& .stops': { order: -1 } },
}))

/** The order: its data, its patient, and its files. */
export const ViewTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  return (
    <Columns>
      <div>
        <RequisitionCard requisition={requisition} />
        <IcdNotesCard requisition={requisition} />
      </div>
      <div className="patient">
        <PatientCards requisition={requisition} />
      </div>
      <div className="side">
        {can(role, 'requisitions.edit') && (
          <div className="stops">
            <ChecklistCard requisition={requisition} />
          </div>
        )}
        <DocumentsCard requisitionId={requisition.id} />
      </div>
    </Columns>
  )
}
