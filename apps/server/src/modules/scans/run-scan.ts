import { can } from '@lis/contract/access/permissions.ts'
import { type ScanCode, type ScanInput, type ScanMode, type ScanOutcome, scanModes } from '@lis/contract/scans.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { counted } from '../../platform/db/undo.ts'
import { AppError, conflict, forbidden, invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { discardSamples, placeSamples } from '../freezer/service.ts'
import { findDefault } from '../lookups/queries.ts'
import { ReceivedBefore, receiveTube } from './receive-tube.ts'
import { getScanCode } from './service.ts'

interface Done {
  message: string
  undoId?: number | undefined
}

/** Who may scan in this mode; the scope also limits which codes are found. */
const permissions = {
  RECEIVE: 'specimens.add',
  PLACE: 'specimens.place',
  DISCARD: 'specimens.place',
  PULL: 'specimens.place',
} as const

/** Carries out the scan mode with the services of the screens. If they refuse, that is the outcome of the scan, and nothing is changed. */
export const runScan = async (call: WriteCall, input: ScanInput): Promise<ScanOutcome> => {
  const { db, actor } = call
  const permission = input.mode in permissions ? permissions[input.mode as keyof typeof permissions] : undefined
  if (permission && !can(actor.role, permission)) throw forbidden()
  const found = await findCode(call, input.code)
  if (!found) {
    const nothing = { undoId: null, kind: null, reqId: null, href: null, isReceivedBefore: false }
    return { outcome: 'UNKNOWN', message: `The code ${input.code} is not known`, ...nothing }
  }
  const { kind, reqId, href } = found
  await sql`savepoint scan`.execute(db)
  try {
    const { message, undoId } = await modes[input.mode](call, found, input)
    return { outcome: 'DONE', message, undoId: undoId ?? null, kind, reqId, href, isReceivedBefore: false }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint scan`.execute(db)
    const isReceivedBefore = error instanceof ReceivedBefore
    return { outcome: 'REFUSED', message: error.message, undoId: null, kind, reqId, href, isReceivedBefore }
  }
}

const findCode = async ({ db, actor }: WriteCall, code: string): Promise<ScanCode | undefined> => {
  try {
    return await getScanCode(db, actor, code)
  } catch (error) {
    if (error instanceof AppError && error.code === 'notFound') return undefined
    throw error
  }
}

type Run = (call: WriteCall, found: ScanCode, input: ScanInput) => Promise<Done>

const open: Run = async (_, { label }) => ({ message: label })

const receive: Run = async (call, found, input) => {
  const { reqId, label } = requireTube(found, 'RECEIVE')
  return receiveTube(call, { reqId, label }, input)
}

const place: Run = async (call, found, input) => {
  if (found.kind === 'BOX') return { message: `Box ${found.label}: the next samples are placed here` }
  if (found.kind === 'SAMPLE') {
    const isStored = (await listStored(call.db, found.reqId as number)).some(({ id }) => id === found.id)
    throw conflict(
      isStored
        ? `Stored already: ${found.label}`
        : `${found.label}: please scan the number of the requisition to place it again`,
    )
  }
  const { reqId, label } = requireTube(found, 'PLACE')
  const trackerId = input.trackerId ?? (await nextFreeSlot(call, input.boxCode))
  const { undoId } = await placeSamples(call, reqId, {
    specLocTypeCode: input.specLocTypeCode ?? (await findDefault(call.db, 'SPECLOCTYPE')) ?? '',
    sampleSizeCode: input.sampleSizeCode ?? (await findDefault(call.db, 'SAMPLESIZE')) ?? '',
    aliquot: 1,
    trackerIds: [trackerId],
    specimenId: null,
  })
  return { message: `Placed in ${await addressOfSlot(call.db, trackerId)}: ${label}`, undoId }
}

/** The box is locked, so that two users who scan into it get different slots. */
const nextFreeSlot = async (call: WriteCall, boxCode: string | null): Promise<number> => {
  const box = boxCode === null ? undefined : await findCode(call, boxCode)
  if (box?.kind !== 'BOX') throw invalid('boxCode', 'Please scan the box first')
  await sql`select 1 from freezer_box where id = ${box.id} for update`.execute(call.db)
  const { rows } = await sql<{ id: number }>`
    select s.id from freezer_slot s where s.box_id = ${box.id}
      and not exists (select from specimen_location l where l.slot_id = s.id and l.discarded_at is null)
    order by s.row_letter, s.slot limit 1`.execute(call.db)
  if (!rows[0]) throw conflict(`Box ${box.label} is full`)
  return rows[0].id
}

const addressOfSlot = async (db: Db, id: number): Promise<string> => {
  const { rows } = await sql<{ place: string }>`
    select concat_ws(' / ', f.code, b.shelf, b.rack, b.box, s.row_letter || s.slot) as place
    from freezer_slot s join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id where s.id = ${id}`.execute(
    db,
  )
  return rows[0]?.place ?? 'its slot'
}

const find: Run = async ({ db }, found) => {
  if (found.reqId === null || found.kind === 'SAMPLE') return { message: found.label }
  const stored = await listStored(db, found.reqId)
  const places = stored.map(({ place: where }) => where).join('; ')
  return { message: `${found.label}: ${stored.length === 0 ? 'no sample is stored' : places}` }
}

interface Stored {
  id: number
  place: string
}

const listStored = async (db: Db, reqId: number): Promise<Stored[]> => {
  const { rows } = await sql<Stored>`
    select l.id, concat_ws(' / ', f.code, b.shelf, b.rack, b.box, s.row_letter || s.slot) as place
    from specimen_location l join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id
    where l.requisition_id = ${reqId} and l.discarded_at is null order by l.id`.execute(db)
  return rows
}

/** Frees the slot: the sample is discarded, or taken out for work. */
const takeOut =
  (action: 'DISCARD' | 'PULL'): Run =>
  async (call, found) => {
    const { reqId } = requireSample(found, action)
    const stored = await listStored(call.db, reqId)
    const [first, ...others] = found.kind === 'SAMPLE' ? stored.filter(({ id }) => id === found.id) : stored
    if (!first) throw conflict(`No sample of #${reqId} is stored`)
    if (others.length > 0)
      throw conflict(
        `${counted(others.length + 1, 'sample')} of #${reqId} are stored: please scan the label of the sample`,
      )
    const undoId = await discardSamples(call, reqId, [first.id], action)
    return { message: `${action === 'PULL' ? 'Pulled' : 'Discarded'} from ${first.place}: #${reqId}`, undoId }
  }

const modes: Record<ScanMode, Run> = {
  OPEN: open,
  RECEIVE: receive,
  PLACE: place,
  FIND: find,
  DISCARD: takeOut('DISCARD'),
  PULL: takeOut('PULL'),
}

const requireTube = ({ kind, reqId, label }: ScanCode, mode: ScanMode) => {
  if (reqId === null || kind === 'SAMPLE') throw conflict(`${scanModes[mode]} takes the label of a tube: ${label}`)
  return { reqId, label }
}

const requireSample = ({ reqId, label }: ScanCode, mode: ScanMode) => {
  if (reqId === null) throw conflict(`${scanModes[mode]} takes the label of a sample: ${label}`)
  return { reqId }
}
