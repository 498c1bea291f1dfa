import { createHash } from 'node:crypto'
import { messages } from '@lis/contract/messages.ts'
import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import { requisitionInput } from '@lis/contract/requisitions/create.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { invalid, invalidFields } from '../../platform/http/errors.ts'
import { holdReports } from '../deliveries/service.ts'
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
      if (seen.has(key) || (await isLoaded(call.db, key, input))) return false
      const tests = await testsOf(call.db, listOf(cells.testCodes))
      const known = namesakes.length === 0 ? null : await knownPatient(call, input)
      const whose = known ? completed(await getPatient(call, known.id), input, known) : { isNewPatient: 1 as const }
      const { id } = await createRequisition(
        call,
        { ...input, ...whose },
        { loadKey: key, onPatientChanged: (before, after) => holdOtherNames(call, before, after) },
      )
      await addRest(call, id, cells)
      await orderTests(call.db, id, tests)
      seen.add(key)
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
    order by cp.id limit 1`.execute(trx)
  const [found] = rows
  if (!found) throw invalid('npiNumber', 'No physician of this client has this NPI')
  if (orderingClientPhysId && Number(orderingClientPhysId) !== found.id)
    throw invalid('npiNumber', 'orderingClientPhysId and npiNumber name different physicians')
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

/** By a load, or by hand with the same order id of the same client. */
const isLoaded = async (trx: Trx, key: string, { clientId, extOrderId }: Input): Promise<boolean> => {
  const { rows } = await sql`
    select 1 from requisition where deleted_at is null and (load_key = ${key}
      or (${extOrderId}::text is not null and client_id = ${clientId} and lower(ext_order_id) = lower(${extOrderId})))
    limit 1`.execute(trx)
  return rows.length > 0
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
    select r.id from requisition r join requisition_status_type s on s.code = r.status_code
    where r.patient_id = ${after.id} and r.deleted_at is null
      and s.sort_order < (select sort_order from requisition_status_type where code = 'DELIVER') order by r.id`.execute(
    call.db,
  )
  const why = `the record has changed since: ${patientLabels.patientMiddleName}`
  await holdReports(
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

/** A new requisition has no result yet, so ordering is all there is to do. */
const orderTests = async (
  trx: Trx,
  id: number,
  { panelIds, testIds }: { panelIds: readonly number[]; testIds: readonly number[] },
) => {
  await sql`
    insert into requisition_test (requisition_id, test_id, panel_id)
    select ${id}, w.test_id, w.panel_id from (
      select distinct on (x.test_id) x.test_id, x.panel_id from (
        select pt.test_id, pt.panel_id from panel_test pt where pt.panel_id = any(${panelIds}::int[])
        union all select t, null from unnest(${testIds}::int[]) as t) x order by x.test_id, x.panel_id nulls first) w
    join test t on t.id = w.test_id and t.deleted_at is null order by t.sort_order`.execute(trx)
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
