import type { MoveCondition } from '@lis/contract/requisitions/status.ts'
import { type RawBuilder, sql } from 'kysely'
import { isDemographicQcReopened, isRequisitionFailed } from '../requisition-record/queries.ts'
import { currentDeliveries } from './current-deliveries.ts'

/**
 * The result of test `t` with its catalogue entry `k` is still missing. A test with a fail code gets none; a result that is open for
 * modification is in doubt, so it counts as missing.
 */
export const isResultAwaited = sql`t.deleted_at is null and not t.is_retest and not k.is_calculated and (t.is_modifiable or (t.result is null
  and not exists (select from requisition_test_reason x join reason f on f.id = x.reason_id and f.type_code = 'FAIL' where x.requisition_test_id = t.id)))`

/** Of requisition `r`; null without a bill type. */
export const isPaidByInsurance = sql<boolean>`(r.bill_type_code in ('INSURANCE', 'MEDICARE', 'MEDICAID'))`

const hasReleasedReport = sql<boolean>`exists (select from report p where p.requisition_id = r.id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE')`

/** The conditions for moves of requisition `r`; the contract's table of moves says which move needs which. */
export const conditionSql: Record<MoveCondition, RawBuilder<boolean>> = {
  hasTest: sql`exists (select from requisition_test t where t.requisition_id = r.id and t.deleted_at is null)`,
  hasReceivedSpecimen: sql`exists (select from specimen s where s.requisition_id = r.id and s.deleted_at is null)`,
  isCollected: sql`not r.is_to_collect`,
  // A fail code on the requisition finishes every test.
  resultsComplete: sql`(${isRequisitionFailed(sql`r.id`)}
    or not exists (select from requisition_test t join test k on k.id = t.test_id
    where t.requisition_id = r.id and ${isResultAwaited}))`,
  hasReport: sql`exists (select from report p where p.requisition_id = r.id and p.deleted_at is null)`,
  demographicQcPassed: sql`r.is_dem_qc_pass`,
  demographicQcNotReopened: sql`not ${isDemographicQcReopened}`,
  hasReleasedReport,
  qualityControlSettled: sql`not exists (select from qc_lookback b where b.requisition_id = r.id and b.state = 'OPEN')`,
  // Without a signature no report of such a laboratory is released.
  signedWhereRequired: sql`(${hasReleasedReport} or not exists (select from lab b where b.id = r.lab_id and b.is_signature_required))`,
  releasedReportsDelivered: sql`not exists (select from report p where p.requisition_id = r.id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE'
    and not exists (${currentDeliveries}))`,
  hasBillType: sql`r.bill_type_code is not null`,
  hasIcd: sql`exists (select from requisition_icd i where i.requisition_id = r.id)`,
  hasPrimaryInsurance: sql`(not ${isPaidByInsurance} or exists (
    select from billing b join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null where b.requisition_id = r.id))`,
  noSampleStored: sql`not exists (select from specimen_location l where l.requisition_id = r.id and l.discarded_at is null)`,
  noReportReleased: sql`not exists (select from report p where p.requisition_id = r.id and p.release_at is not null)`,
  noPayment: sql`not exists (select from payment p where p.requisition_id = r.id and p.deleted_at is null)`,
  // Not in an open batch either, which would lose it silently.
  notBilled: sql`not exists (select from billing_batch_item i join billing_batch b on b.id = i.batch_id
    where i.requisition_id = r.id and i.left_out is null and (i.is_open or b.send_status_code = 'SENT'))`,
}

/** The tab of the requisition's page where the missing condition can be met. */
export const tabOfCondition: Record<MoveCondition, string> = {
  hasTest: 'tests',
  hasReceivedSpecimen: 'specimens',
  isCollected: 'view',
  resultsComplete: 'tests',
  hasReport: 'reportsDelivery',
  demographicQcPassed: 'reportsDelivery',
  demographicQcNotReopened: 'reportsDelivery',
  hasReleasedReport: 'reportsDelivery',
  qualityControlSettled: 'tests',
  signedWhereRequired: 'reportsDelivery',
  releasedReportsDelivered: 'reportsDelivery',
  hasBillType: 'billing',
  hasIcd: 'billing',
  hasPrimaryInsurance: 'billing',
  noSampleStored: 'locations',
  noReportReleased: 'reportsDelivery',
  noPayment: 'payments',
  notBilled: 'billing',
}
