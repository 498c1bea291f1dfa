import { createHash } from 'node:crypto'
import { usDate } from '@lis/contract/kit/date-range.ts'
import { messages } from '@lis/contract/messages.ts'
import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import { requisitionInput } from '@lis/contract/requisitions/create.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { invalid, invalidFields } from '../../platform/http/errors.ts'
import { holdUndelivered } from '../deliveries/service.ts'
import { findTwins } from '../patients/queries.ts'
import { getPatient, isOwnSsn } from '../patients/service.ts'
import { createRequisition } from '../requisitions/service.ts'
import { isoDateOf, isoTimeOf } from './cells.ts'
import type { LoadCall, Loader } from './loader.ts'
import { filled, flagOf, listOf, parseRow, rowByRow } from './row-by-row.ts'

const flags = ['isSmoker', 'isDiabetic', 'isFamilyHistory', 'isCovidVac', 'isSelfT2DGest'] as const

/** Requisitions. A client's order id, or without one the patient and the moment of collection, is loaded once. */
export const requisitionLoader = (): Loader =>
  rowByRow({
    columns: { collaborator: 'colaId' },
    write: async (call, cells, seen) => {
      const clientId = await clientOf(call.db, cells)
      const input = parseRow(requisitionInput, {
        isSmoker: 0,
        isDiabetic: 0,
        isFamilyHistory: 0,
        ...filled(cells),
        ...Object.fromEntries(flags.flatMap((name) => (cells[name] ? [[name, flagOf(cells[name])]] : []))),
        clientId: clientId ?? undefined,
        orderingClientPhysId: await pairOf(call.db, clientId, cells),
        patientDob: cells.patientDob && (isoDateOf(cells.patientDob) ?? cells.patientDob),
        dateCollected: cells.dateCollected && (isoTimeOf(cells.dateCollected) ?? cells.dateCollected),
        isNewPatient: 0,
      })
      if (!isoTimeOf(cells.dateCollected ?? '')) throw invalid('dateCollected', messages.invalidDate)
      // Two loads, or a load and a form, that bring the same person follow each other.
      const { patientLastName: last, patientFirstName: first, patientDob: dob } = input
      const namesakes = await findTwins(call.db, call.actor, last, first, dob)
      const key = loadKey(input)
      const patientKey = await patientKeyOf(call.db, input)
      // As the row says it, in the zone of the client.
      const collectedOn = input.dateCollected.slice(0, 10)
      const codes = listOf(cells.testCodes)
      const loaded = await findLoaded(call.db, key, input, seen)
      if (loaded.length > 0) {
        await requireSameOrder(call.db, loaded, { patientKey, collectedOn, codes, extOrderId: input.extOrderId })
        return false
      }
      const tests = await testsOf(call.db, codes)
      const known = namesakes.length === 0 ? null : await knownPatient(call, input)
      const whose = known ? completed(await getPatient(call, known.id), input, known) : { isNewPatient: 1 as const }
      const { id } = await createRequisition(
        call,
        { ...input, ...whose },
        {
          loadKey: key,
          loadPatientKey: patientKey,
          loadCollectedOn: collectedOn,
          onPatientChanged: (before, after) => holdOtherNames(call, before, after),
        },
      )
      await addRest(call, id, cells)
      const ordered = await orderTests(call.db, id, tests)
      seen.set(key, [patientKey, collectedOn, ...codes, ...ordered])
      return true
    },
  })

const clientOf = async (trx: Trx, { clientId, legacyClientId }: Record<string, string>): Promise<number | null> => {
  if (clientId && !/^\d{1,15}$/.test(clientId))
    throw invalid('clientId', `${clientId} is not a number; a Client ID belongs into the column legacyClientId`)
  if (!legacyClientId) return clientId ? Number(clientId) : null
  const { rows } = await sql<{ id: number }>`
    select id from client where upper(legacy_client_id) = upper(${legacyClientId}) and deleted_at is null`.execute(trx)
  const [found] = rows
  if (!found) throw invalid('legacyClientId', `There is no client ${legacyClientId}`)
  if (clientId && Number(clientId) !== found.id)
    throw invalid('legacyClientId', 'clientId and legacyClientId name different clients')
  return found.id
}

/** The pair of client and physician, by its id or by the physician's number. */
const pairOf = async (trx: Trx, clientId: number | null, cells: Record<string, string>) => {
  const { orderingClientPhysId, npiNumber } = cells
  if (!npiNumber || clientId === null) return orderingClientPhysId || undefined
  const { rows } = await sql<{ id: number }>`
    select cp.id from client_physician cp join physician p on p.id = cp.physician_id
    where cp.client_id = ${clientId}::bigint and cp.deleted_at is null and p.deleted_at is null and p.npi_number = ${npiNumber}
    order by cp.id`.execute(trx)
  const [found, other] = rows
  if (!found) throw invalid('npiNumber', 'No physician of this client has this NPI')
  if (orderingClientPhysId) {
    if (!rows.some(({ id }) => id === Number(orderingClientPhysId)))
      throw invalid('npiNumber', 'orderingClientPhysId and npiNumber name different physicians')
    return orderingClientPhysId
  }
  // Two people may have one number by mistake; who ordered is not to be guessed.
  if (other) throw invalid('npiNumber', 'Two physicians of this client have this NPI: give orderingClientPhysId')
  return found.id
}

type Input = Parameters<typeof createRequisition>[1]

const loadKey = (input: Input): string => {
  const { clientId, extOrderId, patientFirstName, patientLastName, patientDob, dateCollected } = input
  const parts = extOrderId
    ? [clientId, 'order', extOrderId]
    : [clientId, 'patient', patientLastName, patientFirstName, patientDob, dateCollected]
  return createHash('sha256').update(JSON.stringify(parts).toLowerCase()).digest('hex')
}

/** Of the row, as it tells whose order it is: case and accents of a name do not count. */
const patientKeyOf = async (trx: Trx, { patientLastName, patientFirstName, patientDob }: Input): Promise<string> => {
  const { rows } = await sql<{ key: string }>`
    select sort_key(${`${patientLastName}, ${patientFirstName}`}) || ' ' || ${patientDob}::text as key`.execute(trx)
  return (rows[0] as { key: string }).key
}

/** An order that is there already, in the database or ahead in the file. */
interface Loaded {
  /** Null in the file. */
  id: number | null
  /** As the record has the patient now, and as the load brought them. */
  patientKeys: readonly (string | null)[]
  /** The day of collection as the record has it now, and as the load brought it. */
  days: readonly [string, ...(string | null)[]]
  /** Of its tests and panels, also those that were taken off since. */
  codes: readonly string[]
}

/**
 * By a row ahead in the file, a load before, or by hand with the same order id of the same client. A row of the file is no number: of a
 * dry run that one is gone with it, and both runs are to say the same.
 */
const findLoaded = async (
  trx: Trx,
  key: string,
  { clientId, extOrderId }: Input,
  seen: ReadonlyMap<string, readonly string[]>,
): Promise<Loaded[]> => {
  const [patientKey, collectedOn, ...codes] = seen.get(key) ?? []
  if (patientKey !== undefined && collectedOn !== undefined)
    return [{ id: null, patientKeys: [patientKey], days: [collectedOn], codes }]
  const { rows } = await sql<Loaded>`
    select r.id, array[p.name_key || ' ' || p.dob::text, r.load_patient_key] as "patientKeys",
      array[(r.collected_at at time zone r.collected_zone)::date, r.load_collected_on]::text[] as days,
      array(select t.code from requisition_test x join test t on t.id = x.test_id where x.requisition_id = r.id
        union select n.code from requisition_test x join panel n on n.id = x.panel_id where x.requisition_id = r.id) as codes
    from requisition r join patient p on p.id = r.patient_id where r.id in (
      select id from requisition where load_key = ${key} and deleted_at is null
      union select id from requisition
        where client_id = ${clientId} and lower(ext_order_id) = lower(${extOrderId}::text) and deleted_at is null)
    order by r.id`.execute(trx)
  return rows
}

interface Row {
  patientKey: string
  collectedOn: string
  codes: readonly string[]
  extOrderId: Input['extOrderId']
}

/**
 * A row that was loaded before is skipped; one that only uses its order id, for another patient, on another day or for tests that were
 * never ordered, must not be dropped in silence.
 */
const requireSameOrder = async (
  trx: Trx,
  loaded: readonly Loaded[],
  { patientKey, collectedOn, codes, extOrderId }: Row,
) => {
  const placeOf = ({ id }: Loaded) =>
    `${extOrderId ? `Order ${extOrderId}` : 'This order'} ${id === null ? 'stands in this file already' : `is #${id}`}`
  // Without an order id the patient and the moment are part of the key.
  const ofPatient = loaded.filter(({ patientKeys }) => !extOrderId || patientKeys.includes(patientKey))
  const [theirs] = ofPatient
  if (!theirs) throw invalid('extOrderId', `${placeOf(loaded[0] as Loaded)}, of another patient`)
  const same = ofPatient.filter(({ days }) => !extOrderId || days.includes(collectedOn))
  const [first] = same
  if (!first) throw invalid('dateCollected', `${placeOf(theirs)}, collected ${usDate(theirs.days[0])}`)
  const ordered = new Set(same.flatMap(({ codes: own }) => own))
  const missing = await notAmong(trx, codes, ordered)
  if (missing.length > 0) throw invalid('testCodes', `${placeOf(first)}, without ${missing.join(', ')}`)
}

/** Those of the codes that were not ordered; a panel is there by its name or by all its tests. */
const notAmong = async (trx: Trx, codes: readonly string[], ordered: ReadonlySet<string>): Promise<string[]> => {
  const unknown = codes.filter((code) => !ordered.has(code))
  if (unknown.length === 0) return []
  const { rows } = await sql<{ code: string; tests: string[] }>`
    select n.code, array_agg(t.code) as tests from panel n join panel_test x on x.panel_id = n.id join test t on t.id = x.test_id and t.deleted_at is null
    where n.code = any(${unknown}::text[]) and n.deleted_at is null group by n.code`.execute(trx)
  const byTests = rows.filter(({ tests }) => tests.every((test) => ordered.has(test))).map(({ code }) => code)
  return unknown.filter((code) => !byTests.includes(code))
}

interface Namesake {
  id: number
  /** An order of this client stands; an order of anybody does. */
  isOrderedHere: boolean
  isInUse: boolean
  /** What the row says against this one, and whether anything speaks for it besides what all share. */
  contradicted: (typeof telling)[number][]
  isMeant: boolean
}

/** What tells people of one name, birth date and sex apart. */
const telling = ['patientMiddleName', 'patientSsn'] as const

/**
 * Somebody of the same name (whatever its case and accents), birth date and sex with an order of the same client is the same person,
 * also when that order was deleted; anybody else is new. Whose sample it is must not be guessed: where there are several, or the row contradicts the only one, a person has to say who is meant.
 */
const knownPatient = async (call: LoadCall, input: Input): Promise<Namesake | null> => {
  const all = await namesakesOf(call, input)
  const ordered = all.filter(({ isOrderedHere }) => isOrderedHere)
  // What is known from orders that were all deleted, perhaps with a wrong load, says nothing against a row that may mend that load.
  const namesakes = ordered.length > 0 ? ordered : all.filter(({ contradicted }) => contradicted.length === 0)
  const [only, ...others] = namesakes
  if (!only) return null
  if (others.length === 0) {
    if (only.contradicted.length > 0)
      throw invalidFields(
        only.contradicted.map((field) => ({
          field,
          message: `The known patient of this name, birth date and sex has another ${patientLabels[field]}`,
        })),
      )
    return only
  }
  const [meant, ...more] = namesakes.filter(({ contradicted, isMeant }) => isMeant && contradicted.length === 0)
  if (!meant || more.length > 0)
    throw invalid(
      'patientLastName',
      `${namesakes.length} patients of this client have this name, birth date and sex, and neither patientSsn nor patientMiddleName tells which one is meant`,
    )
  return meant
}

/** Under the lock of a change: a correction that is just being saved is waited for, and what it saves is neither compared nor written back as it was. */
const namesakesOf = async (call: LoadCall, input: Input): Promise<Namesake[]> => {
  const { clientId } = input
  const order = sql`select from requisition r where r.patient_id = p.id`
  const { rows } = await sql<
    Pick<Namesake, 'id' | 'isOrderedHere' | 'isInUse'> & { knownMiddle: string; givenMiddle: string }
  >`
    select p.id, sort_key(p.middle_name) as "knownMiddle", sort_key(${input.patientMiddleName}) as "givenMiddle",
      exists (${order} and r.client_id = ${clientId} and r.deleted_at is null) as "isOrderedHere",
      exists (${order} and r.deleted_at is null) as "isInUse" from patient p
    where p.dob = ${input.patientDob}::date and p.deleted_at is null and p.gender_code = ${input.patientGenderCode}
      and p.name_key = sort_key(${`${input.patientLastName}, ${input.patientFirstName}`})
      and exists (${order} and r.client_id = ${clientId})
    order by p.id for no key update of p`.execute(call.db)
  const compared: Namesake[] = []
  for (const { id, isOrderedHere, isInUse, knownMiddle, givenMiddle } of rows) {
    const agrees: Record<(typeof telling)[number], boolean | null> = {
      patientMiddleName: isSameMiddleName(knownMiddle, givenMiddle),
      patientSsn: input.patientSsn ? await isOwnSsn(call, id, input.patientSsn) : null,
    }
    compared.push({
      id,
      isOrderedHere,
      isInUse,
      contradicted: telling.filter((field) => agrees[field] === false),
      isMeant: telling.some((field) => agrees[field] === true),
    })
  }
  return compared
}

/** An initial agrees with every name that it begins; null where one of the two says nothing. */
const isSameMiddleName = (known: string, given: string): boolean | null => {
  const [one, other] = [known, given].map((name) => name.replace(/[^\p{L}\p{N}]/gu, '')) as [string, string]
  if (!one || !other) return null
  return one.length === 1 || other.length === 1 ? one[0] === other[0] : one === other
}

/**
 * The patient as the record has it, with what only the row knows. Nothing that is known is overwritten while an order rests on it; of
 * somebody whose orders were all deleted the row may put right what tells nobody apart.
 */
const completed = (known: Patient, row: Input, { isInUse }: Namesake) => {
  const [first, then] = isInUse ? [known, row] : [row, known]
  return {
    patientId: known.id,
    patientFirstName: known.patientFirstName,
    patientLastName: known.patientLastName,
    isNewPatient: 0 as const,
    isPatientEdited: 1 as const,
    patientMiddleName: known.patientMiddleName ?? row.patientMiddleName,
    patientRaceCode: first.patientRaceCode ?? then.patientRaceCode,
    patientEthnicityCode: isSaid(first.patientEthnicityCode) ? first.patientEthnicityCode : then.patientEthnicityCode,
    patientSsn: known.patientSsn === null ? row.patientSsn : undefined,
  }
}
const isSaid = (ethnicity: string | null): ethnicity is string => ethnicity !== null && ethnicity !== 'NA'

/** A report that is still to go out does not do so under a name that has become another one. */
const holdOtherNames = async (call: LoadCall, before: Patient, after: Patient) => {
  if (before.patientMiddleName === after.patientMiddleName) return
  const { rows } = await sql<{ id: number }>`
    select id from requisition where patient_id = ${after.id} and deleted_at is null order by id`.execute(call.db)
  const why = `the record has changed since: ${patientLabels.patientMiddleName}`
  await holdUndelivered(
    call,
    rows.map(({ id }) => id),
    why,
  )
}

const testsOf = async (trx: Trx, codes: readonly string[]) => {
  const { rows } = await sql<{ code: string; panel: number | null; test: number | null }>`
    select x.code, (select id from panel where code = x.code and deleted_at is null) as panel,
      (select id from test where code = x.code and deleted_at is null) as test
    from unnest(${codes}::text[]) as x(code)`.execute(trx)
  const unknown = rows.filter(({ panel, test }) => panel === null && test === null)
  if (unknown.length > 0)
    throw invalid('testCodes', `Not in the catalogue: ${unknown.map(({ code }) => code).join(', ')}`)
  const ids = (list: (number | null)[]) => list.filter((one) => one !== null)
  return {
    panelIds: ids(rows.map(({ panel }) => panel)),
    testIds: ids(rows.map(({ panel, test }) => (panel === null ? test : null))),
  }
}

/** A new requisition has no result yet, so ordering is all there is to do. Answers the codes of the tests. */
const orderTests = async (
  trx: Trx,
  id: number,
  { panelIds, testIds }: { panelIds: readonly number[]; testIds: readonly number[] },
): Promise<string[]> => {
  const { rows } = await sql<{ code: string }>`
    with made as (insert into requisition_test (requisition_id, test_id, panel_id)
    select ${id}, w.test_id, w.panel_id from (
      select distinct on (x.test_id) x.test_id, x.panel_id from (
        select pt.test_id, pt.panel_id from panel_test pt where pt.panel_id = any(${panelIds}::int[])
        union all select t, null from unnest(${testIds}::int[]) as t) x order by x.test_id, x.panel_id nulls first) w
    join test t on t.id = w.test_id and t.deleted_at is null order by t.sort_order returning test_id)
    select t.code from made join test t on t.id = made.test_id`.execute(trx)
  return rows.map(({ code }) => code)
}

/** What the form does not ask. */
const addRest = async ({ db }: LoadCall, id: number, { extAccessionId, isFasting }: Record<string, string>) => {
  if (isFasting && !['0', '1'].includes(isFasting)) throw invalid('isFasting', messages.invalid('isFasting'))
  if (extAccessionId && extAccessionId.length > 50)
    throw invalid('extAccessionId', messages.tooLong('extAccessionId', 50))
  if (!extAccessionId && !isFasting) return
  await db
    .updateTable('requisition')
    .set({ ext_accession_id: extAccessionId || null, ...(isFasting && { is_fasting: isFasting === '1' }) })
    .where('id', '=', id)
    .execute()
}
