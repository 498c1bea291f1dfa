import { can } from '@lis/contract/access/permissions.ts'
import { type ScanCode, type ScanInput, type ScanMode, type ScanOutcome, scanModes } from '@lis/contract/scans.ts'
import { parseScannedCode, scannedReceipt, specimenInput } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { counted } from '../../platform/db/undo.ts'
import { AppError, conflict, forbidden, invalid, invalidInput } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { discardSamples, placeSamples } from '../freezer/service.ts'
import { listNeededSpecimens } from '../specimens/queries.ts'
import { receiveSpecimen } from '../specimens/service.ts'
import { recordReceiptUndo } from '../specimens/undo.ts'
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
    const nothing = { undoId: null, kind: null, reqId: null, href: null }
    return { outcome: 'UNKNOWN', message: `The code ${input.code} is not known`, ...nothing }
  }
  const { kind, reqId, href } = found
  await sql`savepoint scan`.execute(db)
  try {
    const { message, undoId } = await modes[input.mode](call, found, input)
    return { outcome: 'DONE', message, undoId: undoId ?? null, kind, reqId, href }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint scan`.execute(db)
    return { outcome: 'REFUSED', message: error.message, undoId: null, kind, reqId, href }
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
  const preset = await presetOf(call.db, reqId, input.code)
  const specimenTypeCode = input.specimenTypeCode ?? preset.specimenTypeCode
  const sent = {
    specimenTypeCode,
    // The default tube is one for serum.
    containerTypeCode:
      input.containerTypeCode ??
      preset.containerTypeCode ??
      (specimenTypeCode === 'SERUM' ? await findDefault(call.db, 'CONTAINERTYPE') : undefined),
    temperatureTypeCode: input.temperatureTypeCode ?? (await findDefault(call.db, 'TEMPERATURETYPE')),
  }
  if (!sent.specimenTypeCode)
    throw invalid('specimenTypeCode', 'Please choose the Specimen Type: the label does not say it')
  const parsed = specimenInput.safeParse(sent)
  if (!parsed.success) throw invalidInput(parsed.error)
  const { id } = await receiveSpecimen(call, reqId, parsed.data)
  return { message: `Received: ${label}`, undoId: await recordReceiptUndo(call, reqId, id) }
}

/** The preset of forms; undefined if the list has no default. */
const findDefault = async (db: Db, type: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('lov')
    .select('code')
    .where('type_code', '=', type)
    .where('is_default', '=', true)
    .executeTakeFirst()
  return row?.code
}

/** The specimen on the label, otherwise the only one that the ordered tests need. */
const presetOf = async (db: Db, reqId: number, code: string) => {
  const scanned = parseScannedCode(code)
  const preset = scanned ? scannedReceipt(scanned) : {}
  if (preset.specimenTypeCode) return preset
  const needed = new Set((await listNeededSpecimens(db, reqId)).flatMap(({ specimenTypeCodes }) => specimenTypeCodes))
  const [only] = needed
  return only !== undefined && needed.size === 1 ? { specimenTypeCode: only } : {}
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
