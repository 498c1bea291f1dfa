import { createHash } from 'node:crypto'
import type { CatchUpOutcome, DowntimeEntry } from '@lis/contract/downtime.ts'
import { specimenInput } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import { DateTime } from 'luxon'
import type { Trx } from '../../platform/db/db.ts'
import { announce } from '../../platform/domain-events.ts'
import { AppError, invalid, invalidInput } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { addLabNote } from '../lab-notes/service.ts'
import { saveResults } from '../lab-tests/service.ts'
import { lockRequisition, type RequisitionHead } from '../requisition-record/queries.ts'
import { receiveSpecimen } from '../specimens/service.ts'

/** Saves each entry once, in its own savepoint: a refused one can be corrected and sent again, the others are saved. */
export const catchUp = async (
  call: WriteCall,
  labId: number,
  entries: readonly DowntimeEntry[],
): Promise<CatchUpOutcome[]> => {
  const outcomes: CatchUpOutcome[] = []
  for (const entry of entries) {
    const { entryId, reqId } = entry
    await sql`savepoint downtime_entry`.execute(call.db)
    try {
      const isNew = await take(call, labId, entry)
      outcomes.push({ entryId, reqId, outcome: isNew ? 'SAVED' : 'KNOWN', message: isNew ? 'Saved' : 'Entered before' })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await sql`rollback to savepoint downtime_entry`.execute(call.db)
      outcomes.push({ entryId, reqId, outcome: 'REFUSED', message: error.message })
    }
  }
  return outcomes
}

/** False for an entry that was already saved. Of two calls with the same entry, the second waits and then finds it. */
const take = async (call: WriteCall, labId: number, entry: DowntimeEntry): Promise<boolean> => {
  const { db, actor } = call
  const head = await lockRequisition(db, actor, entry.reqId)
  if (head.lab_id !== labId) throw invalid('reqId', `Requisition #${entry.reqId} belongs to another laboratory`)
  const { rows } = await sql`
    insert into downtime_entry (lab_id, entry_id, requisition_id, kind, entry_hash, entered_by)
    values (${labId}, ${entry.entryId}, ${entry.reqId}, ${entry.kind}, ${hashOf(entry)}, ${actor.userId})
    on conflict do nothing returning 1`.execute(db)
  if (rows.length === 0) {
    await requireSameEntry(db, labId, entry)
    return false
  }
  await kinds[entry.kind](call, head, entry)
  return true
}

/** A number may be used again in the next outage: a different entry is refused, not treated as a repeat. */
const requireSameEntry = async (db: Trx, labId: number, entry: DowntimeEntry) => {
  const { entryId, reqId, kind } = entry
  const { rows } = await sql<{ reqId: number; kind: string; hash: string | null }>`
    select requisition_id as "reqId", kind, entry_hash as hash from downtime_entry
    where lab_id = ${labId} and entry_id = ${entryId}`.execute(db)
  const [taken] = rows
  // Entries of earlier versions have no hash.
  const isSame = taken?.hash ? taken.hash === hashOf(entry) : taken?.reqId === reqId && taken.kind === kind
  if (isSame) return
  const of = taken ? ` for requisition #${taken.reqId}` : ''
  throw invalid('entryId', `${entryId} was used${of} before; give the line another number`)
}

/** A hash of the content of the entry, whatever its format: without empty fields, and of a time only the instant. */
const hashOf = ({ entryId: _, at, ...said }: DowntimeEntry): string => {
  const filled = Object.entries({ ...said, at: at && new Date(at).toISOString() })
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(filled)).digest('hex')
}

type Enter = (call: WriteCall, head: RequisitionHead, entry: DowntimeEntry) => Promise<unknown>

const receive: Enter = (call, head, { at, specimenTypeCode, temperatureTypeCode, containerTypeCode, tubeCount }) => {
  const parsed = specimenInput.safeParse({
    specimenTypeCode,
    temperatureTypeCode,
    containerTypeCode,
    tubeCount,
    ...(at && partsOf(at, head.lab_zone)),
  })
  if (!parsed.success) throw invalidInput(parsed.error)
  return receiveSpecimen(call, head.id, parsed.data)
}

const partsOf = (at: string, zone: string) => {
  const time = DateTime.fromISO(at, { zone })
  return {
    dateReceivedMonth: time.month,
    dateReceivedDay: time.day,
    dateReceivedYear: time.year,
    timeReceivedHours: time.hour % 12 || 12,
    timeReceivedMinutes: time.minute,
    timeReceivedAmPm: time.hour < 12 ? 'am' : 'pm',
  }
}

const enterResult: Enter = async (call, head, { testCode, result, at }) => {
  if (!testCode) throw invalid('testCode', 'Test is required')
  if (!result) throw invalid('result', 'Result is required')
  const entry = { requisitionId: head.id, testCode, result, ...(at && { processDate: at }) }
  const { problems } = await saveResults(call, [entry], { isListedTextOnly: true })
  const [problem] = problems
  if (problem) throw invalid('result', problem.message)
  await announce(call, 'resultsChanged', { requisitionIds: [head.id] })
}

const addNote: Enter = async (call, head, { note, labNoteTypeId }) => {
  if (!note) throw invalid('note', 'Note is required')
  const { rows } = await sql<{ id: number }>`select id from lab_note_type order by sort_order, id limit 1`.execute(
    call.db,
  )
  return addLabNote(call, head.id, { labNoteTypeId: labNoteTypeId ?? rows[0]?.id ?? 0, note })
}

const kinds: Record<DowntimeEntry['kind'], Enter> = { RECEIVED: receive, RESULT: enterResult, NOTE: addNote }
