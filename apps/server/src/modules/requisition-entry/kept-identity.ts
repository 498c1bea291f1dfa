import type { IdentityAtRelease } from '@lis/contract/requisitions/edit.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'

const columns = sql`k.first_name as "patientFirstName", k.middle_name as "patientMiddleName", k.last_name as "patientLastName", k.dob as "patientDob"`

/** The patient's identity as the requisition keeps it, where it differs from the current record. */
export const findKeptIdentity = async (db: Db, id: number): Promise<IdentityAtRelease | null> => {
  const { rows } = await sql<IdentityAtRelease>`
    select ${columns} from requisition_identity k join requisition r on r.id = k.requisition_id join patient p on p.id = r.patient_id
    where r.id = ${id}::bigint and (k.first_name, k.middle_name, k.last_name, k.dob) is distinct from (p.first_name, p.middle_name, p.last_name, p.dob)`.execute(
    db,
  )
  return rows[0] ?? null
}

interface Removed extends IdentityAtRelease {
  /** Kept at an earlier change of the record, not by this transaction. */
  isEarlier: boolean
}

export const removeKeptIdentity = async (trx: Trx, id: number): Promise<Removed | undefined> => {
  const { rows } = await sql<Removed>`
    delete from requisition_identity k where k.requisition_id = ${id}::bigint returning ${columns}, k.kept_at < now() as "isEarlier"`.execute(
    trx,
  )
  return rows[0]
}
