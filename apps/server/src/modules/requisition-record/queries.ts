import { superAdmins } from '@lis/contract/access/roles.ts'
import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import type { DB } from '../../platform/db/types.ts'
import { notFound } from '../../platform/errors.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Sql } from '../../platform/lists.ts'

/** Which requisitions a person may see, as a condition on their list row `l`; every query about requisitions carries it. */
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

/** What every part of a requisition asks about the whole: whose it is and how far it has come. */
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

const headsOf = (actor: Actor, which: Sql) => sql`
  select r.id, r.version, r.status_code, r.patient_id, r.client_id, r.collaborator_id, r.lab_id, lab.zone as lab_zone, r.physician_id, r.collected_at,
    r.collected_zone, r.bill_type_code
  from requisition r join requisition_list l on l.requisition_id = r.id join lab on lab.id = r.lab_id
  where ${which} and r.deleted_at is null and ${visibleRequisitions(actor)}`
const headOf = (actor: Actor, id: number) => headsOf(actor, sql`r.id = ${id}`)

/** A requisition that this person may see; outside the scope it does not exist. Every read of its parts begins here. */
export const requireRequisition = async (db: Db, actor: Actor, id: number): Promise<RequisitionHead> => {
  const { rows } = await sql<RequisitionHead>`${headOf(actor, id)}`.execute(db)
  if (!rows[0]) throw notFound('Requisition')
  return rows[0]
}

/** The same, held until the write is done. Every write on its parts begins here, so that two of them follow each other. */
export const lockRequisition = async (
  trx: Trx,
  actor: Actor,
  id: number,
  expected: number | null = null,
): Promise<RequisitionHead> => {
  const { rows } = await sql<RequisitionHead>`${headOf(actor, id)} for no key update of r`.execute(trx)
  const found = rows[0]
  if (!found) throw notFound('Requisition')
  await requireVersion(trx, 'requisition', expected, found)
  return found
}

/** The requisitions of a patient that this person may see, as the end of a query. */
export const requisitionsOfPatient = (actor: Actor, patientId: Expression<unknown>): Sql => sql`
  from requisition r join requisition_list l on l.requisition_id = r.id
  where r.patient_id = ${patientId} and r.deleted_at is null and ${visibleRequisitions(actor)}`

/** A patient is known to whoever may see one of their requisitions; to super admins also before the first. */
export const isPatientInScope = (actor: Actor, patientId: Expression<unknown>): RawBuilder<boolean> =>
  superAdmins.some((role) => role === actor.role)
    ? sql`true`
    : sql`exists (select ${requisitionsOfPatient(actor, patientId)})`

/** A patient this person may know; of any other not even the existence. Every read of a patient's records begins here. */
export const requirePatientInScope = async (db: Db, actor: Actor, patientId: number): Promise<void> => {
  const { rows } = await sql`select 1 from patient p
    where p.id = ${patientId}::bigint and p.deleted_at is null and ${isPatientInScope(actor, sql`p.id`)}`.execute(db)
  if (rows.length === 0) throw notFound('Patient')
}

/**
 * Demographic QC of requisition `r` has to be repeated: its patient was replaced, or the pass was withdrawn. Before the first check
 * partial reports go out without it.
 */
export const isDemographicQcReopened = sql<boolean>`(not r.is_dem_qc_pass and exists (select from audit_entry a
  where a.requisition_id = r.id and a.entity = 'requisition' and (a.old_data ? 'patientId' or a.old_data ->> 'isDemQcPass' = '1')))`

/** Many at once, in the order of their numbers, so that two loads wait for each other; what is outside the scope is not among them. */
export const lockRequisitions = async (
  trx: Trx,
  actor: Actor,
  ids: readonly number[],
): Promise<Map<number, RequisitionHead>> => {
  const { rows } = await sql<RequisitionHead>`
    ${headsOf(actor, sql`r.id = any(${[...ids]}::bigint[])`)} order by r.id for no key update of r`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The numbers of all requisitions with a fail code on the whole, for reports over many: there they are collected once. */
export const failedRequisitions: Sql = sql`select whole.requisition_id from requisition_reason whole
  where whole.reason_id = any(array(select fail.id from reason fail where fail.type_code = 'FAIL'))`

/** None of its tests counts as performed, nor any result of it as the patient's, whatever has been entered. Looked up by key. */
export const isRequisitionFailed = (id: Expression<unknown>): RawBuilder<boolean> =>
  sql`exists (${failedRequisitions} and whole.requisition_id = ${id})`

/** The same scope for queries that begin elsewhere, as a condition on the number of a requisition. */
export const visibleRequisition = (actor: Pick<Actor, 'scope'>, id: Expression<unknown>): RawBuilder<boolean> =>
  sql`exists (select from requisition_list l where l.requisition_id = ${id} and ${visibleRequisitions(actor)})`

const labelColumns = expressionBuilder<{ r: DB['requisition']; p: DB['requisition_patient'] }, 'r' | 'p'>()

/** What people call a requisition: number, patient and date of birth. For a statement with `requisition r` and `requisition_patient p`. */
export const requisitionLabel: RawBuilder<string> = sql`'#' || ${labelColumns.ref('r.id')} || ' | ' || ${labelColumns.ref('p.last_name')} || ', '
  || ${labelColumns.ref('p.first_name')} || ' (' || to_char(${labelColumns.ref('p.dob')}, 'MM/DD/YYYY') || ')'`

/** Selects the label of one requisition, also of a deleted one. */
export const selectRequisitionLabel = (id: Expression<unknown>): RawBuilder<string> => sql`
  select ${requisitionLabel} from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = ${id}`
