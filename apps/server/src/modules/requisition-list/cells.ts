import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { announce } from '../../platform/domain-events.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { replaceCodes } from '../lab-tests/replace-codes.ts'
import { moveCompleted } from '../lab-tests/service.ts'
import { reopenIncomplete } from '../life-cycle/service.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

interface Locked {
  id: number
  version: number
  is_send_notif: boolean
  is_dem_qc_pass: boolean
}

/** The requisition of an editable cell, locked until the save is done; outside the person's scope it does not exist. */
const lockForEdit = async ({ db: trx, actor }: WriteCall, id: number, expected: number | null): Promise<Locked> => {
  const { rows } = await sql<Locked>`
    select r.id, r.version, r.is_send_notif, r.is_dem_qc_pass from requisition r join requisition_list l on l.requisition_id = r.id
    where r.id = ${id} and r.deleted_at is null and ${visibleRequisitions(actor)} for no key update of r`.execute(trx)
  const found = rows[0]
  if (!found) throw notFound('Requisition')
  if (expected !== null && expected !== found.version)
    await requireVersion(trx, 'requisition', expected, await cellsOf(trx, found))
  return found
}

/** The current values of the cells by their wire names, for the conflict dialog. */
const cellsOf = async (trx: Trx, { id, version, is_send_notif, is_dem_qc_pass }: Locked) => {
  const { rows } = await sql<{ passIds: number[]; failIds: number[]; flagIds: number[] }>`
    select coalesce(array_agg(r.id order by r.id) filter (where r.type_code = 'PASS'), '{}') as "passIds",
      coalesce(array_agg(r.id order by r.id) filter (where r.type_code = 'FAIL'), '{}') as "failIds",
      coalesce((select array_agg(f.flag_id order by f.flag_id) from requisition_flag f where f.requisition_id = ${id}), '{}') as "flagIds"
    from requisition_reason x join reason r on r.id = x.reason_id where x.requisition_id = ${id}`.execute(trx)
  return { id, version, isSendNotif: is_send_notif ? 1 : 0, isDemQcPass: is_dem_qc_pass ? 1 : 0, ...rows[0] }
}

const raiseVersion = async ({ db: trx }: WriteCall, id: number) => {
  const { rows } = await sql<{
    id: number
    version: number
  }>`update requisition set version = version + 1 where id = ${id} returning id, version`.execute(trx)
  return rows[0] as { id: number; version: number }
}

const flags = { isSendNotif: 'is_send_notif', isDemQcPass: 'is_dem_qc_pass' } as const

/** A yes-or-no cell: 'Notify Patient?' and 'Demographic QC'. */
export const setFlag = async (
  write: WriteCall,
  id: number,
  name: keyof typeof flags,
  value: 0 | 1,
  expected: number | null,
) => {
  const column = flags[name]
  const before = await lockForEdit(write, id, expected)
  if (before[column] === (value === 1)) return { id, version: before.version }
  await sql`update requisition set ${sql.ref(column)} = ${value === 1} where id = ${id}`.execute(write.db)
  await recordAudit(write.db, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: name === 'isDemQcPass' ? 'DEMQC' : 'NOTIFY',
    old: { [name]: before[column] ? 1 : 0 },
    new: { [name]: value },
  })
  return raiseVersion(write, id)
}

/** Replaces the pass or fail codes of a requisition. */
export const setReasons = async (
  write: WriteCall,
  id: number,
  type: 'PASS' | 'FAIL',
  reasonIds: readonly number[],
  expected: number | null,
) => {
  const { db: trx } = write
  const before = await lockForEdit(write, id, expected)
  const { name, old, now } = await replaceCodes(write, { kind: 'REQ', id }, type, reasonIds)
  if (old.codes === now.codes) return { id, version: before.version }
  await recordAudit(trx, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: type,
    old: { [name]: old.codes },
    new: { [name]: now.codes },
  })
  // Texts of these codes are printed on reports.
  if (old.printed !== now.printed)
    await announce(write, 'recordChanged', {
      requisitionIds: [id],
      changed: [type === 'PASS' ? 'Pass Codes' : 'Fail Codes'],
    })
  if (type === 'FAIL') await (now.codes === '' ? reopenIncomplete(write, id) : moveCompleted(write, [id]))
  return raiseVersion(write, id)
}

/** Replaces the flags of a requisition, except those set by the system. */
export const setFlags = async (write: WriteCall, id: number, flagIds: readonly number[], expected: number | null) => {
  const { db: trx } = write
  const before = await lockForEdit(write, id, expected)
  const { rows } = await sql<{ id: number }>`
    select id from flag where id = any(${[...flagIds]}::int[])`.execute(trx)
  if (rows.length !== flagIds.length) throw invalid('flagIds', messages.invalid('Flags'))
  const old = await flagsOf(write, id)
  await sql`delete from requisition_flag x using flag f where f.id = x.flag_id and not f.is_set_by_system and x.requisition_id = ${id}`.execute(
    trx,
  )
  await sql`insert into requisition_flag (requisition_id, flag_id)
    select ${id}, f.id from flag f where f.id = any(${[...flagIds]}::int[]) and not f.is_set_by_system on conflict do nothing`.execute(
    trx,
  )
  const now = await flagsOf(write, id)
  if (old === now) return { id, version: before.version }
  await recordAudit(trx, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: 'FLAG',
    old: { flags: old },
    new: { flags: now },
  })
  return raiseVersion(write, id)
}

const flagsOf = async ({ db: trx }: WriteCall, id: number): Promise<string> => {
  const { rows } = await sql<{ names: string }>`
    select coalesce(string_agg(f.description, ', ' order by f.sort_order), '') as names from requisition_flag x join flag f on f.id = x.flag_id
    where x.requisition_id = ${id}`.execute(trx)
  return rows[0]?.names ?? ''
}
