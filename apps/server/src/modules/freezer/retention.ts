import { messages } from '@lis/contract/messages.ts'
import { type DiscardInput, locationLabels, type RetentionRule } from '@lis/contract/spec-locations.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { counted } from '../../platform/db/undo.ts'
import { conflict, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { ListDefinition, Sql } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { unknownCodes } from '../lookups/queries.ts'
import { lockRequisitions } from '../requisition-record/queries.ts'
import { discardPlacements } from './queries.ts'
import { readPlaces, recordLocationUndo } from './undo.ts'

export const listRules = async (db: Db, labId: number): Promise<RetentionRule[]> =>
  db
    .selectFrom('retention_rule')
    .select(['spec_loc_type_code as specLocTypeCode', 'days'])
    .where('lab_id', '=', labId)
    .orderBy('spec_loc_type_code')
    .execute()

/** Replaces all rules of a laboratory. */
export const saveRules = async (
  { db, actor, requestId }: WriteCall,
  labId: number,
  rules: readonly RetentionRule[],
) => {
  const lab = await db.selectFrom('lab').select('id').where('id', '=', labId).forNoKeyUpdate().executeTakeFirst()
  if (!lab) throw notFound('Laboratory')
  const wrong = await unknownCodes(
    db,
    rules.map(({ specLocTypeCode }, index) => ({
      field: `${index}.specLocTypeCode`,
      type: 'SPECLOCTYPE' as const,
      code: specLocTypeCode,
    })),
  )
  if (wrong.length > 0)
    throw invalidFields(
      wrong.map(({ field }) => ({ field, message: messages.invalid(locationLabels.specLocTypeCode) })),
    )
  const before = await listRules(db, labId)
  await db.deleteFrom('retention_rule').where('lab_id', '=', labId).execute()
  if (rules.length > 0)
    await db
      .insertInto('retention_rule')
      .values(rules.map(({ specLocTypeCode, days }) => ({ lab_id: labId, spec_loc_type_code: specLocTypeCode, days })))
      .execute()
  await recordAudit(db, actor, requestId, {
    entity: 'lab',
    entityId: labId,
    action: 'RETENTION',
    old: inWords(before),
    new: inWords(rules),
  })
  return listRules(db, labId)
}

const inWords = (rules: readonly RetentionRule[]) =>
  Object.fromEntries(rules.map(({ specLocTypeCode, days }) => [specLocTypeCode, `${days} days`]))

/** Stored longer than the rule of its type allows; never for a requisition that is not reported, or whose report is held. */
const isDue = (labId: number): Sql[] => [
  sql`f.lab_id = ${labId}`,
  sql`l.discarded_at is null`,
  sql`r.deleted_at is null`,
  sql`t.sort_order >= (select sort_order from requisition_status_type where code = 'REPORT')`,
  sql`l.placed_at + make_interval(days => rule.days) <= now()`,
]
const samples = sql`specimen_location l join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id
  join freezer f on f.id = b.freezer_id join lab on lab.id = f.lab_id join requisition r on r.id = l.requisition_id join requisition_status_type t on t.code = r.status_code
  join retention_rule rule on rule.lab_id = f.lab_id and rule.spec_loc_type_code = l.spec_loc_type_code`

export const discardList = (labId: number): ListDefinition => ({
  from: samples,
  where: isDue(labId),
  fields: {
    id: sql`l.id`,
    reqId: sql`l.requisition_id`,
    specLocTypeCode: sql`l.spec_loc_type_code`,
    specLocTypeDesc: lookupDescriptionOrCode('SPECLOCTYPE', sql`l.spec_loc_type_code`),
    placedDate: sql`l.placed_at`,
    dueDate: sql`l.placed_at + make_interval(days => rule.days)`,
    days: sql`rule.days`,
    trackerId: sql`l.slot_id`,
    sampleStorageCode: sql`f.code`,
    shelf: sql`b.shelf`,
    rack: sql`b.rack`,
    box: sql`b.box`,
    rowLetter: sql`s.row_letter`,
    slot: sql`s.slot`,
    labTz: sql`lab.zone`,
  },
  filter: {},
  defaultOrder: sql`l.placed_at, l.id`,
  key: sql`l.id`,
})

/** Discards samples on the list, all or none. */
export const discardDue = async (call: WriteCall, labId: number, { ids, reason, dryRun }: DiscardInput) => {
  const { db, actor, requestId } = call
  const { rows } = await sql<{ id: number; reqId: number; place: string }>`
    select l.id, l.requisition_id as "reqId", concat_ws(' / ', f.code, b.shelf, b.rack, b.box, s.row_letter || s.slot) as place
    from ${samples} where ${sql.join(isDue(labId), sql` and `)} and l.id = any(${[...ids]}::bigint[]) order by l.id for update of l`.execute(
    db,
  )
  const due = new Set(rows.map(({ id }) => id))
  const others = ids.filter((id) => !due.has(id))
  if (others.length > 0)
    throw conflict(`Not on the discard list: ${others.map((id) => `S-${id}`).join(', ')}`, { ids: others })
  const data = { discarded: rows.length, ids: rows.map(({ id }) => id) }
  if (dryRun) return data
  const heads = await lockRequisitions(db, actor, [...new Set(rows.map(({ reqId }) => reqId))])
  const before = await readPlaces(db, data.ids)
  await discardPlacements(db, data.ids, actor.userId)
  await recordAudit(
    db,
    actor,
    requestId,
    [...Map.groupBy(rows, ({ reqId }) => reqId)].map(([reqId, own]) => ({
      entity: 'requisition',
      entityId: reqId,
      requisitionId: reqId,
      clientId: heads.get(reqId)?.client_id as number,
      action: 'DISCARD',
      reason,
      old: { slots: own.map(({ place }) => place).join(', ') },
    })),
  )
  const undoId = await recordLocationUndo(call, `Discard ${counted(rows.length, 'sample')}`, data.ids, before)
  return { ...data, undoId }
}
