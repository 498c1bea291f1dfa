import type { RequisitionCopy } from '@lis/contract/requisitions/edit.ts'
import { sql } from 'kysely'
import type { WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { updateClientZoneIssues } from '../issues/service.ts'
import type { PatientCall } from '../patients/service.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { recordCreation } from './create.ts'
import { requireCollected } from './order-checks.ts'
import { askAboutAge } from './order-questions.ts'

/**
 * Copies an order with patient, client, physicians, collaborator, lab, event, history, insurances and ordered tests. Not specimens,
 * results, reports, documents, notes or issues, and nothing about the old collection. The copy starts at Logged, collected at the given
 * time or now, and references its source.
 */
export const copyRequisition = async (
  call: PatientCall & WriteCallWithQuestions,
  sourceId: number,
  { dateCollected }: RequisitionCopy = {},
): Promise<{ id: number }> => {
  const { db, actor } = call
  // Locked: if the source got another patient meanwhile, the copy would mix one person's order with another's insurances.
  const head = await lockRequisition(db, actor, sourceId)
  const known = await db
    .selectFrom(['client as c', 'patient as p'])
    .select(['c.zone', 'p.dob'])
    .where('c.id', '=', head.client_id)
    .where('p.id', '=', head.patient_id)
    .executeTakeFirst()
  const { zone = 'TZNA', dob = '' } = known ?? {}
  const collected = zone === 'TZNA' ? head.collected_zone : zone
  const at = dateCollected ? requireCollected(dateCollected, { zone, dob }) : new Date().toISOString()
  askAboutAge(call, at, collected)
  call.questions.requireAnswers()
  const { rows } = await sql<{ id: number; client_id: number }>`
    insert into requisition (patient_id, client_id, collaborator_id, lab_id, ordering_client_physician_id, physician_id, copy_to_client_id,
      copy_client_physician_id, copy_physician_id, event_id, collected_at, collected_zone, bill_type_code, source_requisition_id, created_by)
    select patient_id, client_id, collaborator_id, lab_id, ordering_client_physician_id, physician_id, copy_to_client_id,
      copy_client_physician_id, copy_physician_id, event_id, ${at}::timestamptz, ${collected}, bill_type_code, id, ${actor.userId}
    from requisition where id = ${sourceId} returning id, client_id`.execute(db)
  const { id, client_id: clientId } = rows[0] as { id: number; client_id: number }
  await copyHistory(call, sourceId, id)
  await copyInsurances(call, sourceId, id)
  await sql`
    insert into requisition_test (requisition_id, test_id, panel_id)
    select ${id}, test_id, panel_id from requisition_test
    where requisition_id = ${sourceId} and deleted_at is null and not is_retest order by id`.execute(db)
  await recordCreation(call, [id], 'COPY')
  await updateClientZoneIssues(db, clientId, id)
  return { id }
}

const historyColumns =
  sql.raw(`is_smoker, is_diabetic, is_family_history, is_patient_history, is_stress, is_low_hdl, is_lipid_med,
  is_hypertension, is_blood_med, is_med_necessity, is_obesity, is_covid_vac, fam_hist_t2d_code, is_self_t2d_gest, sbp, dbp, weight,
  weight_uom, height_inches, height_cm, height_uom`)

const copyHistory = ({ db }: PatientCall, from: number, to: number) =>
  sql`insert into patient_history (requisition_id, ${historyColumns})
    select ${to}, ${historyColumns} from patient_history where requisition_id = ${from}`.execute(db)

/** Insurances belong to the guarantor, who is copied with them. */
const copyInsurances = async ({ db }: PatientCall, from: number, to: number) => {
  await sql`
    insert into billing (requisition_id, relation_type_code, guarantor_gender_code, guarantor_first_name, guarantor_middle_name,
      guarantor_last_name, guarantor_dob, state_id, city, zip, addr1, addr2)
    select ${to}, relation_type_code, guarantor_gender_code, guarantor_first_name, guarantor_middle_name, guarantor_last_name,
      guarantor_dob, state_id, city, zip, addr1, addr2
    from billing where requisition_id = ${from}`.execute(db)
  await sql`
    insert into insurance (billing_id, patient_id, billing_order, bill_type_code, insurance_company_id, company_name, company_no,
      policy_holder, policy_no, group_no, insured_dob)
    select (select id from billing where requisition_id = ${to}), i.patient_id, i.billing_order, i.bill_type_code,
      i.insurance_company_id, i.company_name, i.company_no, i.policy_holder, i.policy_no, i.group_no, i.insured_dob
    from insurance i join billing b on b.id = i.billing_id where b.requisition_id = ${from} and i.deleted_at is null`.execute(
    db,
  )
}
