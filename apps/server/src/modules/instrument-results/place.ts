import { accessionNumber, type ResultReason } from '@lis/contract/instrument-results.ts'
import { displayStatus } from '@lis/contract/requisitions/status.ts'
import { isSameUnit } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { loadRuleBook, type RuleBook } from '../lab-tests/rule-book.ts'
import { loadTests, type StoredTest } from '../lab-tests/stored-tests.ts'
import { lockRequisitions, type RequisitionHead } from '../requisition-record/queries.ts'
import { publishReview } from './announce.ts'
import { placeControls } from './controls.ts'
import { decideResults } from './decide-results.ts'
import { identityOf, type MeasuredResult } from './measured.ts'
import { insertResults, type Placed, type ResultOrigin } from './new-results.ts'

interface CodeRow {
  instrumentCode: string
  testId: number
  testCode: string
  units: string | null
}

/** Stores the results of an instrument, each once, finds their tests, and verifies those that the rules accept. */
export const storeResults = async (write: WriteCall, origin: ResultOrigin, measured: readonly MeasuredResult[]) => {
  const controls = await listControlIds(write.db, origin.instrumentId)
  const fresh = await withoutKnown(write.db, origin, measured)
  const isControl = ({ isControl: isOrdered, specimenId }: MeasuredResult) => isOrdered || controls.has(specimenId)
  const ofPatients = fresh.filter((result) => !isControl(result))
  const placer = await openPlacer(write, origin.instrumentId, ofPatients)
  const ids = await insertResults(
    write.db,
    origin,
    ofPatients.map((result) => ({ result, placed: placer(result) })),
  )
  await placeControls(write, origin, fresh.filter(isControl))
  await decideResults(write, ids)
  if (fresh.length > 0) await publishReview(write.db)
}

/** A repeat is the same result. */
const withoutKnown = async (
  trx: Trx,
  { instrumentId, messageHash }: ResultOrigin,
  measured: readonly MeasuredResult[],
) => {
  const byIdentity = new Map(measured.map((result) => [identityOf(result, messageHash).toString('hex'), result]))
  const { rows } = await sql<{
    identity: string
  }>`select encode(identity_hash, 'hex') as identity from instrument_result
    where instrument_id = ${instrumentId} and identity_hash = any(${[...byIdentity.keys()].map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`.execute(
    trx,
  )
  for (const { identity } of rows) byIdentity.delete(identity)
  return [...byIdentity.values()]
}

const listControlIds = async (trx: Trx, instrumentId: number) =>
  new Set(
    (
      await trx
        .selectFrom('instrument_control')
        .select('specimen_id')
        .where('instrument_id', '=', instrumentId)
        .execute()
    ).map((row) => row.specimen_id),
  )

export const requisitionIdOf = (specimenId: string): number | null => {
  const [, digits] = accessionNumber.exec(specimenId) ?? []
  return digits === undefined ? null : Number(digits)
}

type Placeable = Pick<MeasuredResult, 'specimenId' | 'code' | 'units'>

/** Locks the requisitions of these results and reads what is needed to find their tests. */
const openPlacer = async (write: WriteCall, instrumentId: number, results: readonly Placeable[]) => {
  const ids = [...new Set(results.flatMap(({ specimenId }) => requisitionIdOf(specimenId) ?? []))]
  const heads = await lockRequisitions(write.db, write.actor, ids)
  const deleted = await listDeleted(
    write.db,
    ids.filter((id) => !heads.has(id)),
  )
  const codes = await loadCodes(write.db, instrumentId)
  const tests = await loadTests(write.db, [...heads.keys()])
  const book = await loadRuleBook(write.db, [...new Set([...heads.values()].map((head) => head.collaborator_id))])
  return (result: Placeable): Placed => placeOne(result, { heads, deleted, codes, tests, book })
}

interface PlaceContext {
  heads: ReadonlyMap<number, RequisitionHead>
  deleted: ReadonlySet<number>
  codes: ReadonlyMap<string, CodeRow>
  tests: readonly StoredTest[]
  book: RuleBook
}

const placeOne = (result: Placeable, { heads, deleted, codes, tests, book }: PlaceContext): Placed => {
  const { specimenId, code, units } = result
  const reasons: ResultReason[] = []
  const requisitionId = requisitionIdOf(specimenId)
  const head = requisitionId === null ? undefined : heads.get(requisitionId)
  const known = codes.get(code)
  if (!head)
    reasons.push({
      code: 'UNKNOWN_SPECIMEN',
      text:
        requisitionId !== null && deleted.has(requisitionId)
          ? `Requisition #${requisitionId} has been deleted`
          : `No requisition has the specimen number ${specimenId === '' ? '(none was sent)' : specimenId}`,
    })
  if (!known)
    reasons.push({
      code: 'UNKNOWN_CODE',
      text: `The code ${code || '(none was sent)'} is not in the instrument's table`,
    })
  const test = head && known && tests.find((one) => one.requisitionId === head.id && one.testId === known.testId)
  if (head && known) {
    const missing = notOrdered(head, known.testCode, test)
    if (missing) reasons.push({ code: 'NOT_ORDERED', text: missing })
  }
  if (known) {
    const wanted = head ? book.of(head.collaborator_id, known.testId).units : null
    const wrong = wrongUnit(units, known.units, wanted)
    if (wrong) reasons.push({ code: 'UNIT', text: `${known.testCode} is ${wrong}` })
  }
  return {
    state: reasons.length > 0 ? 'HELD' : 'REVIEW',
    reasons,
    requisitionId: head?.id ?? null,
    requisitionTestId: test?.id ?? null,
    testId: known?.testId ?? null,
  }
}

const notOrdered = (head: RequisitionHead, testCode: string, test: StoredTest | undefined): string | null => {
  if (!test) return `${testCode} is not ordered on #${head.id}`
  if (test.isCalculated) return `${testCode} is calculated from other tests`
  if (head.status_code === 'LOG' || head.status_code === 'ACC')
    return `#${head.id} is ${displayStatus(head.status_code)}: results are taken from Processing on`
  return null
}

/** Units are compared, never converted. */
const wrongUnit = (sent: string | null, ofTable: string | null, ofTest: string | null): string | null => {
  if (sent && ofTable && !isSameUnit(sent, ofTable)) return `in ${sent}, not in ${ofTable}`
  const unit = sent || ofTable
  return unit && ofTest && !isSameUnit(unit, ofTest) ? `in ${unit}, not in ${ofTest}` : null
}

const listDeleted = async (trx: Trx, ids: readonly number[]) =>
  new Set(
    (
      await trx
        .selectFrom('requisition')
        .select('id')
        .where('id', '=', anyId(ids))
        .where('deleted_at', 'is not', null)
        .execute()
    ).map(({ id }) => id),
  )

const loadCodes = async (trx: Trx, instrumentId: number): Promise<Map<string, CodeRow>> => {
  const rows = await trx
    .selectFrom('instrument_code as c')
    .innerJoin('test as t', 't.id', 'c.test_id')
    .select(['c.instrument_code as instrumentCode', 'c.test_id as testId', 't.code as testCode', 'c.units'])
    .where('c.instrument_id', '=', instrumentId)
    .where('t.deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.instrumentCode, row]))
}

/** Looks for the tests of held results again, since codes, orders and statuses change. Returns those that were placed. */
export const placeAgain = async (write: WriteCall, held: readonly HeldResult[]): Promise<number[]> => {
  const placed: number[] = []
  for (const [instrumentId, results] of Map.groupBy(held, (result) => result.instrumentId)) {
    const placer = await openPlacer(write, instrumentId, results)
    for (const result of results) {
      const { state, reasons, requisitionId, requisitionTestId, testId } = placer(result)
      await sql`update instrument_result set state = ${state}, reasons = ${JSON.stringify(reasons)}::jsonb, requisition_id = ${requisitionId}::bigint,
          requisition_test_id = ${requisitionTestId}::bigint, test_id = ${testId}::int
        where id = ${result.id} and state = 'HELD'`.execute(write.db)
      if (state === 'REVIEW') placed.push(result.id)
    }
  }
  await decideResults(write, placed)
  return placed
}

export interface HeldResult extends Placeable {
  id: number
  instrumentId: number
}

/** Results of patients on this instrument that could not be placed. */
export const listHeld = async (trx: Trx, instrumentId: number): Promise<HeldResult[]> => {
  const { rows } = await sql<HeldResult>`select i.id, i.instrument_id as "instrumentId", i.specimen_id as "specimenId",
      i.instrument_code as code, i.units
    from instrument_result i where i.instrument_id = ${instrumentId}::int and i.state = 'HELD' and not i.is_control
    order by i.id limit 1000 for update`.execute(trx)
  return rows
}
