import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { formatLongDate } from '../lib/formats.ts'

type Named = Pick<RequisitionDetail, 'id' | 'patientFirstName' | 'patientLastName' | 'patientDob'>

/** Number, name and birth date: identifies a requisition wherever a user acts on it. */
export const requisitionTitle = (row: Named) =>
  `#${row.id} | ${row.patientLastName}, ${row.patientFirstName} (${formatLongDate(row.patientDob)})`
