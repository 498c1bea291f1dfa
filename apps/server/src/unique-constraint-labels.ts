import { priceLabels } from '@lis/contract/client-records.ts'
import { clientLabels } from '@lis/contract/clients.ts'
import { rangeLabels } from '@lis/contract/collaborator-ranges.ts'
import { collaboratorLabels } from '@lis/contract/collaborators.ts'
import { reqTestLabels } from '@lis/contract/requisition-tests.ts'
import { salesLabels } from '@lis/contract/sales.ts'
import { locationLabels } from '@lis/contract/spec-locations.ts'
import { targetLabels } from '@lis/contract/turnaround.ts'
import { userLabels } from '@lis/contract/users.ts'
import type { FieldLabel } from './platform/http/error-handler.ts'

/** The field and label that an error names when a unique index rejects a value, by the name of the index. */
export const uniqueConstraintLabels: Record<string, FieldLabel> = {
  client_legacy_id_key: { field: 'legacyClientId', label: clientLabels.legacyClientId },
  client_test_price_key: { field: 'testId', label: `${priceLabels.testId} in this ${priceLabels.currencyCode}` },
  collaborator_name_key: { field: 'colaName', label: collaboratorLabels.colaName },
  collaborator_test_range_key: { field: 'testId', label: rangeLabels.testCode },
  sales_person_rep_code_key: { field: 'salesRepCode', label: salesLabels.salesRepCode },
  app_user_name_key: { field: 'userName', label: userLabels.userName },
  requisition_test_key: { field: 'testIds', label: reqTestLabels.testCode },
  tat_target_key: { field: 'testId', label: `${targetLabels.testId} in this ${targetLabels.labId}` },
  specimen_location_one_occupant: { field: 'slot', label: locationLabels.slot },
}
