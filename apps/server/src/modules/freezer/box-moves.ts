import { type BoxAddress, locationMessages } from '@lis/contract/spec-locations.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { counted, recordUndo } from '../../platform/db/undo.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { placeBoxes } from './undo.ts'

type Address = Partial<BoxAddress> & Pick<BoxAddress, 'labId' | 'freezer' | 'shelf'>
interface Box {
  id: number
  freezerId: number
  shelf: string
  rack: string
  box: string
}

/** Moves a box, all boxes of a rack or all of a shelf to another address, with their samples. */
export const moveBoxes = async (call: WriteCall, from: Address, to: Address) => {
  const { db, actor, requestId } = call
  const found = await findBoxes(call, from)
  if (found.length === 0) throw notFound(from.box ? 'Box' : from.rack ? 'Rack' : 'Shelf')
  const { rows: freezers } = await sql<{ id: number }>`
    select id from freezer where lab_id = ${to.labId} and code = ${to.freezer} and deleted_at is null for key share`.execute(
    db,
  )
  const [freezer] = freezers
  if (!freezer) throw invalid('freezer', 'Freezer not found')
  if (to.labId !== from.labId) await requireEmpty(call, found)
  const moved = found.map((box) => ({
    id: box.id,
    before: placeOf(box),
    after: { freezerId: freezer.id, shelf: to.shelf, rack: to.rack ?? box.rack, box: to.box ?? box.box },
  }))
  const { rows: taken } = await sql<{ place: string }>`
    select concat_ws(' / ', b.shelf, b.rack, b.box) as place
    from freezer_box b join json_to_recordset(${JSON.stringify(moved.map(({ after }) => after))}::json) as m("freezerId" int, shelf text, rack text, box text)
      on b.freezer_id = m."freezerId" and b.shelf = m.shelf and b.rack = m.rack and b.box = m.box
    where not b.id = any(${found.map(({ id }) => id)}::int[]) order by 1`.execute(db)
  if (taken.length > 0) throw conflict(`There is a box already at ${taken.map(({ place }) => place).join(', ')}`)
  await placeBoxes(
    db,
    moved.map(({ id, after }) => ({ id, ...after })),
  )
  await recordAudit(
    db,
    actor,
    requestId,
    moved.map(({ id, before, after }) => ({
      entity: 'freezer_box',
      entityId: id,
      action: 'MOVE',
      old: { ...before },
      new: { ...after },
    })),
  )
  const undoId = await recordUndo(call, {
    kind: 'BOXES',
    description: `Move ${counted(moved.length, 'box').replace('boxs', 'boxes')}`,
    count: moved.length,
    data: moved,
  })
  return { boxCount: moved.length, undoId }
}

const placeOf = ({ freezerId, shelf, rack, box }: Box) => ({ freezerId, shelf, rack, box })

const findBoxes = async ({ db }: WriteCall, { labId, freezer, shelf, rack, box }: Address): Promise<Box[]> => {
  const { rows } = await sql<Box>`
    select b.id, b.freezer_id as "freezerId", b.shelf, b.rack, b.box
    from freezer_box b join freezer f on f.id = b.freezer_id
    where f.lab_id = ${labId} and f.code = ${freezer} and f.deleted_at is null and b.shelf = ${shelf}
      and (${rack ?? null}::text is null or b.rack = ${rack ?? null}) and (${box ?? null}::text is null or b.box = ${box ?? null})
    order by b.id for update of b`.execute(db)
  return rows
}

/** A sample stays in the laboratory of its requisition. */
const requireEmpty = async ({ db }: WriteCall, boxes: readonly Box[]) => {
  const { rows } = await sql`select 1 from specimen_location l join freezer_slot s on s.id = l.slot_id
    where s.box_id = any(${boxes.map(({ id }) => id)}::int[]) and l.discarded_at is null limit 1`.execute(db)
  if (rows.length > 0) throw conflict(locationMessages.otherLab)
}
