import { deletedBillingKinds } from './modules/billing/restore.ts'
import { deletedClientKinds } from './modules/clients/restore.ts'
import { deletedCollaboratorKinds } from './modules/collaborators/restore.ts'
import type { DeletedKind } from './modules/deleted-records/service.ts'
import { deletedDocumentKind } from './modules/documents/restore.ts'
import { deletedInstrumentKind } from './modules/instrument-records/restore.ts'
import { deletedInterfaceKind } from './modules/interfaces/restore.ts'
import { deletedPhysicianKinds } from './modules/physicians/restore.ts'
import { deletedRequisitionKind } from './modules/requisition-entry/restore.ts'
import { deletedSalesKind } from './modules/sales/restore.ts'
import { deletedSmartViewKind } from './modules/smart-filters/restore.ts'
import { deletedUserKind } from './modules/users/restore.ts'

/** Every kind of record that can be restored, listed by hand; their modules define them. */
export const allDeletedKinds: readonly DeletedKind[] = [
  deletedRequisitionKind,
  deletedDocumentKind,
  ...deletedBillingKinds,
  ...deletedClientKinds,
  ...deletedPhysicianKinds,
  ...deletedCollaboratorKinds,
  deletedSalesKind,
  deletedUserKind,
  deletedSmartViewKind,
  deletedInstrumentKind,
  deletedInterfaceKind,
]
