import { can } from '@lis/contract/access/permissions.ts'
import type { ScanCode } from '@lis/contract/scans.ts'
import { parseScannedCode } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { selectRequisitionLabel, visibleRequisition } from '../requisition-record/queries.ts'

/** The record of a scanned code; unknown codes, and those out of scope, are not found. */
export const getScanCode = async (db: Db, actor: Actor, code: string): Promise<ScanCode> => {
  const found =
    (await findBoxCode(db, actor, code)) ??
    (await findSampleCode(db, actor, code)) ??
    (await findRequisitionCode(db, actor, code))
  if (!found) throw new AppError('notFound', `The code ${code} is not known`)
  return found
}

const findRequisitionCode = async (db: Db, actor: Actor, code: string): Promise<ScanCode | undefined> => {
  const scanned = parseScannedCode(code)
  if (!scanned) return undefined
  const { reqId, suffix } = scanned
  const label = await findLabel(db, actor, reqId)
  if (label === undefined) return undefined
  const page = `/requisitions/${reqId}/show`
  return suffix === null
    ? { kind: 'REQUISITION', id: reqId, reqId, href: page, label }
    : { kind: 'TUBE', id: reqId, reqId, href: `${page}/specimens`, label: `${label}, tube ${suffix}` }
}

const findLabel = async (db: Db, actor: Actor, reqId: number): Promise<string | undefined> => {
  const { rows } = await sql<{ label: string }>`
    select (${selectRequisitionLabel(sql`x.id`)}) as label from requisition x
    where x.id = ${reqId} and x.deleted_at is null and ${visibleRequisition(actor, sql`x.id`)}`.execute(db)
  return rows[0]?.label
}

const findSampleCode = async (db: Db, actor: Actor, code: string): Promise<ScanCode | undefined> => {
  const id = Number(/^S-(\d{1,15})$/i.exec(code)?.[1] ?? 0)
  if (id === 0 || !can(actor.role, 'requisitionTabs.locations')) return undefined
  const { rows } = await sql<{ reqId: number; place: string | null }>`
    select l.requisition_id as "reqId", case when l.discarded_at is null
      then concat_ws(' / ', f.code, b.shelf, b.rack, b.box, s.row_letter || s.slot) end as place
    from specimen_location l join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id
    where l.id = ${id}`.execute(db)
  const [found] = rows
  const label = found && (await findLabel(db, actor, found.reqId))
  if (!found || label === undefined) return undefined
  const { reqId, place } = found
  return {
    kind: 'SAMPLE',
    id,
    reqId,
    href: `/requisitions/${reqId}/show/locations`,
    label: `${label}, ${place === null ? 'sample taken out' : `sample in ${place}`}`,
  }
}

const findBoxCode = async (db: Db, actor: Actor, code: string): Promise<ScanCode | undefined> => {
  if (!/^B-\d/i.test(code) || !can(actor.role, 'freezer.open')) return undefined
  // Names may contain the separator, so the whole address is compared.
  const { rows } = await sql<{ id: number; freezer: string; shelf: string; rack: string; box: string }>`
    select b.id, f.code as freezer, b.shelf, b.rack, b.box from freezer_box b join freezer f on f.id = b.freezer_id
    where f.deleted_at is null and f.lab_id = ${Number(/^B-(\d{1,9})/i.exec(code)?.[1] ?? 0)}
      and lower(concat_ws('-', 'B', f.lab_id, f.code, b.shelf, b.rack, b.box)) = lower(${code}) order by b.id limit 1`.execute(
    db,
  )
  const [found] = rows
  if (!found) return undefined
  const { id, freezer, shelf, rack, box } = found
  const filter = [
    ['sampleStorageCode', freezer],
    ['shelf', shelf],
    ['rack', rack],
    ['box', box],
  ].map(([name, value]) => ({ id: name, value, viewValue: value }))
  return {
    kind: 'BOX',
    id,
    reqId: null,
    href: `/freezer-specs?smartFilter=${encodeURIComponent(JSON.stringify(filter))}`,
    label: [freezer, shelf, rack, box].join(' / '),
  }
}
