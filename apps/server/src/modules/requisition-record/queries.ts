import { superAdmins } from '@lis/contract/access/roles.ts'
import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { DB } from '../../platform/db/types.ts'
import { notFound } from '../../platform/errors.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Sql } from '../../platform/lists.ts'

/** Which requisitions the actor may see, as a condition on `requisition_list l`; every query about requisitions has it. */
export const visibleRequisitions = ({ scope }: Pick<Actor, 'scope'>): RawBuilder<boolean> => {
  const [first = 0] = scope.ids
  switch (scope.role) {
    case 'SYSTEM':
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return sql`true`
    case 'CLNT':
      return sql`l.client_id = ${first}`
    case 'COLA':
      return sql`l.collaborator_id = ${first}`
    case 'PHYS':
      return sql`(l.physician_id = ${first} or l.copy_physician_id = ${first})`
    case 'SLS':
      return sql`l.client_id = any(${[...scope.ids]}::int[])`
    case 'BILL':
      return sql`l.is_batched`
    default:
      return sql`false`
  }
}

/** What the modules need to know about the requisition that their record belongs to. */
export interface RequisitionHead {
  id: number
  version: number
  status_code: StatusCode
  patient_id: number
  client_id: number
  collaborator_id: number
  lab_id: number
  lab_zone: string
  physician_id: number
  collected_at: string
  collected_zone: string
  bill_type_code: string | null
}

const heads = (db: Db, actor: Actor) =>
  db
    .selectFrom('requisition as r')
    .innerJoin('requisition_list as l', 'l.requisition_id', 'r.id')
    .innerJoin('lab', 'lab.id', 'r.lab_id')
    .select([
      'r.id',
      'r.version',
      'r.patient_id',
      'r.client_id',
      'r.collaborator_id',
      'r.lab_id',
      'lab.zone as lab_zone',
    ])
    .select(['r.physician_id', 'r.collected_at', 'r.collected_zone', 'r.bill_type_code'])
    .select((eb) => eb.ref('r.status_code').$castTo<StatusCode>().as('status_code'))
    .where('r.deleted_at', 'is', null)
    .where(visibleRequisitions(actor))

/** A requisition that the actor may see; one outside the scope is not found. Every read of its records starts here. */
export const requireRequisition = async (db: Db, actor: Actor, id: number): Promise<RequisitionHead> => {
  const found = await heads(db, actor).where('r.id', '=', id).executeTakeFirst()
  if (!found) throw notFound('Requisition')
  return found
}

/** The same, locked until the transaction ends. Every write to its records starts here, which serializes them. */
export const lockRequisition = async (
  trx: Trx,
  actor: Actor,
  id: number,
  expected: number | null = null,
): Promise<RequisitionHead> => {
  const found = await heads(trx, actor).where('r.id', '=', id).forNoKeyUpdate('r').executeTakeFirst()
  if (!found) throw notFound('Requisition')
  await requireVersion(trx, 'requisition', expected, found)
  return found
}

/** The requisitions of a patient that this person may see, as the end of a query. */
export const requisitionsOfPatient = (actor: Actor, patientId: Expression<unknown>): Sql => sql`
  from requisition r join requisition_list l on l.requisition_id = r.id
  where r.patient_id = ${patientId} and r.deleted_at is null and ${visibleRequisitions(actor)}`

/** A patient is visible to those who may see one of their requisitions, and to super admins even without any. */
export const isPatientInScope = (actor: Actor, patientId: Expression<unknown>): RawBuilder<boolean> =>
  superAdmins.some((role) => role === actor.role)
    ? sql`true`
    : sql`exists (select ${requisitionsOfPatient(actor, patientId)})`

/** The current record of a patient number: its own, or the one it was merged into (DAY-30). */
export const currentPatientId = (patientId: Expression<unknown>): RawBuilder<number> =>
  sql<number>`current_patient_id(${patientId}::bigint)`

/**
 * A patient outside the scope is not found. Every read of a patient's records starts here and goes on with the id that it gives: that of
 * the kept record, if the one that was asked for has been merged.
 */
export const requirePatientInScope = async (db: Db, actor: Actor, patientId: number): Promise<number> => {
  const found = await db
    .selectFrom('patient as p')
    .select('p.id')
    .where('p.id', '=', currentPatientId(sql`${patientId}`))
    .where('p.deleted_at', 'is', null)
    .where(isPatientInScope(actor, sql.ref('p.id')))
    .executeTakeFirst()
  if (!found) throw notFound('Patient')
  return found.id
}

/**
 * Demographic QC of requisition `r` has to be repeated: its patient was replaced, or the pass was withdrawn. Before the first check
 * partial reports are delivered without it.
 */
export const isDemographicQcReopened = sql<boolean>`(not r.is_dem_qc_pass and exists (select from audit_entry a
  where a.requisition_id = r.id and a.entity = 'requisition' and (a.old_data ? 'patientId' or a.old_data ->> 'isDemQcPass' = '1')))`

/** Locks many in the order of their ids, so that two loads do not deadlock; those outside the scope are left out. */
export const lockRequisitions = async (
  trx: Trx,
  actor: Actor,
  ids: readonly number[],
): Promise<Map<number, RequisitionHead>> => {
  const rows = await heads(trx, actor).where('r.id', '=', anyId(ids)).orderBy('r.id').forNoKeyUpdate('r').execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Without a check of scope, which the caller does. */
export const lockRequisitionsOf = (trx: Trx, ids: readonly number[]) =>
  sql`select 1 from requisition where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(trx)

/** The ids of all requisitions with a fail code on the requisition itself, for reports over many: the list is built once per statement. */
export const failedRequisitions: Sql = sql`select failed.requisition_id from requisition_reason failed
  where failed.reason_id = any(array(select code.id from reason code where code.type_code = 'FAIL'))`

/** None of its tests counts as performed and none of its results as the patient's, whatever has been entered. Looked up by key. */
export const isRequisitionFailed = (id: Expression<unknown>): RawBuilder<boolean> =>
  sql`exists (${failedRequisitions} and failed.requisition_id = ${id})`

/** The scope of `visibleRequisitions` for queries without `requisition_list l`, as a condition on the id of a requisition. */
export const visibleRequisition = (actor: Pick<Actor, 'scope'>, id: Expression<unknown>): RawBuilder<boolean> =>
  sql`exists (select from requisition_list l where l.requisition_id = ${id} and ${visibleRequisitions(actor)})`

const labelColumns = expressionBuilder<{ r: DB['requisition']; p: DB['requisition_patient'] }, 'r' | 'p'>()

/** What people call a requisition: number, patient and date of birth. For a statement with `requisition r` and `requisition_patient p`. */
export const requisitionLabel: RawBuilder<string> = sql`'#' || ${labelColumns.ref('r.id')} || ' | ' || ${labelColumns.ref('p.last_name')} || ', '
  || ${labelColumns.ref('p.first_name')} || ' (' || to_char(${labelColumns.ref('p.dob')}, 'MM/DD/YYYY') || ')'`

/** Selects the label of one requisition, also of a deleted one. */
export const selectRequisitionLabel = (id: Expression<unknown>): RawBuilder<string> => sql`
  select ${requisitionLabel} from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = ${id}`
