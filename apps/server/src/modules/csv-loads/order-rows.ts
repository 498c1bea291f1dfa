import { createHash } from 'node:crypto'
import { csvLoadMessages } from '@lis/contract/csv-loads.ts'
import { messages } from '@lis/contract/messages.ts'
import { type RequisitionInput, requisitionInput, requisitionLabels } from '@lis/contract/requisitions/create.ts'
import { sql } from 'kysely'
import { DateTime } from 'luxon'
import type { Trx } from '../../platform/db/db.ts'
import { anyId, anyText } from '../../platform/db/expressions.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { parseIsoDate, parseIsoTime } from './cells.ts'
import type { CsvRow } from './read-csv.ts'
import { cellReader, createFinder, getReferences, type References, splitCell } from './references.ts'
import { nonEmptyCells, parseFlag, parseRow } from './row-by-row.ts'

/** A row as an order, with the keys that identify it in later loads. */
export interface OrderRow {
  no: number
  input: RequisitionInput
  /** From the client's order id, or without one from the patient and the time of collection. */
  key: string
  /** The name normalised by the database, ignoring case and accents. */
  nameKey: string
  /** Name and birth date. */
  patientKey: string
  middleKey: string
  /** In the client's time zone. */
  collectedOn: string
  /** Of tests and panels, in upper case. */
  codes: readonly string[]
  extAccessionId: string | null
  isFasting: boolean | null
}

const flags = ['isSmoker', 'isDiabetic', 'isFamilyHistory', 'isCovidVac', 'isSelfT2DGest'] as const

/** Reads the rows in a few statements for all; the result has an error in the place of an invalid one. */
export const readOrders = async (trx: Trx, rows: readonly CsvRow[]): Promise<(OrderRow | AppError)[]> => {
  const lookups = { clients: await clientsOf(trx, rows), references: await getReferences(trx) }
  const people = await peopleOf(trx, rows, lookups)
  const read = rows.map((row): Omit<OrderRow, 'nameKey' | 'patientKey' | 'middleKey'> | AppError => {
    try {
      return readOrder(row, { ...lookups, ...people })
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  })
  const names = await nameKeys(
    trx,
    read.flatMap((one) => (one instanceof AppError ? [] : [one.input])),
  )
  return read.map((one) => {
    if (one instanceof AppError) return one
    const { nameKey, middleKey } = names.shift() as NameKeys
    return { ...one, nameKey, middleKey, patientKey: `${nameKey} ${one.input.patientDob}` }
  })
}

interface Lookups {
  clients: Clients
  references: References
  pairs: readonly Pair[]
  events: ReturnType<typeof createFinder>
}

const readOrder = ({ no, cells, fault }: CsvRow, lookups: Lookups) => {
  if (fault) throw new AppError('invalid', fault)
  const { faults, one, time } = cellReader(cells)
  const client = clientOf(cells, lookups.clients)
  const collected = time('dateCollected', parseIsoTime, csvLoadMessages.timeFormat)
  const { isFasting = '', extAccessionId = '' } = cells
  if (!['', '0', '1'].includes(isFasting))
    faults.push({ field: 'isFasting', message: messages.invalid(requisitionLabels.isFasting) })
  if (extAccessionId.length > 50)
    faults.push({ field: 'extAccessionId', message: messages.tooLong(requisitionLabels.extAccessionId, 50) })
  const body = {
    isSmoker: 0,
    isDiabetic: 0,
    isFamilyHistory: 0,
    ...nonEmptyCells(cells),
    ...Object.fromEntries(flags.flatMap((name) => (cells[name] ? [[name, parseFlag(cells[name])]] : []))),
    clientId: client?.id,
    orderingClientPhysId: pairOf(client?.id ?? null, cells, lookups.pairs),
    colaId: one('colaId', lookups.references.collaborator),
    labId: one('labId', lookups.references.laboratory),
    eventId: client ? one('eventId', lookups.events, client.id) : cells.eventId || undefined,
    patientDob: time('patientDob', parseIsoDate, csvLoadMessages.dateFormat),
    dateCollected: collected,
    isNewPatient: 0,
  }
  const input = parseRow(requisitionInput, body, faults)
  const localTime = wallTime(input.dateCollected, client?.zone ?? 'UTC')
  return {
    no,
    input,
    key: loadKey(input, localTime),
    collectedOn: localTime.slice(0, 10),
    codes: splitCell(cells.testCodes).map((code) => code.toUpperCase()),
    extAccessionId: extAccessionId || null,
    isFasting: isFasting === '' ? null : isFasting === '1',
  }
}

/** Local time of the client: rows may give the same time with or without an offset. */
const wallTime = (text: string, zone: string): string => {
  if (text.length === 16) return text
  const time = DateTime.fromISO(text, { zone })
  return time.isValid ? time.toFormat("yyyy-MM-dd'T'HH:mm") : text
}

const loadKey = (input: RequisitionInput, collected: string): string => {
  const { clientId, extOrderId, patientFirstName, patientLastName, patientDob } = input
  const parts = extOrderId
    ? [clientId, 'order', extOrderId]
    : [clientId, 'patient', patientLastName, patientFirstName, patientDob, collected]
  return createHash('sha256').update(JSON.stringify(parts).toLowerCase()).digest('hex')
}

// ── records that the rows refer to ──────────────────────────────────────────────────────────────────────────────────────────────

interface Client {
  id: number
  zone: string
}
interface Clients {
  byId: ReadonlyMap<number, Client>
  byLegacyId: ReadonlyMap<string, Client>
}

const isNumber = (cell: string | undefined) => cell !== undefined && /^\d{1,15}$/.test(cell)

const clientsOf = async (trx: Trx, rows: readonly CsvRow[]): Promise<Clients> => {
  const ids = new Set(rows.flatMap(({ cells: { clientId } }) => (isNumber(clientId) ? [Number(clientId)] : [])))
  const legacyIds = new Set(rows.flatMap(({ cells: { legacyClientId } }) => legacyClientId?.toUpperCase() || []))
  const clients = trx
    .selectFrom('client')
    .select((eb) => ['id', 'zone', eb.fn<string>('upper', ['legacy_client_id']).as('legacy')])
    .where('deleted_at', 'is', null)
  const found = await clients
    .where('id', '=', anyId([...ids]))
    .union(clients.where((eb) => eb(eb.fn<string>('upper', ['legacy_client_id']), '=', anyText([...legacyIds]))))
    .execute()
  return {
    byId: new Map(found.map((client) => [client.id, client])),
    byLegacyId: new Map(found.map((client) => [client.legacy, client])),
  }
}

const clientOf = (
  { clientId, legacyClientId }: Record<string, string>,
  { byId, byLegacyId }: Clients,
): Client | null => {
  if (clientId && !isNumber(clientId))
    throw invalid('clientId', `${clientId} is not a number; a Client ID belongs into the column legacyClientId`)
  if (!legacyClientId) {
    if (!clientId) return null
    const found = byId.get(Number(clientId))
    if (!found) throw invalid('clientId', `There is no client ${clientId}`)
    return found
  }
  const found = byLegacyId.get(legacyClientId.toUpperCase())
  if (!found) throw invalid('legacyClientId', `There is no client ${legacyClientId}`)
  if (clientId && Number(clientId) !== found.id)
    throw invalid('legacyClientId', 'clientId and legacyClientId name different clients')
  return found
}

interface Pair {
  id: number
  clientId: number
  npi: string
}

/** Physicians and events of the clients in the rows. */
const peopleOf = async (trx: Trx, rows: readonly CsvRow[], { clients }: Pick<Lookups, 'clients'>) => {
  const clientIds = [...clients.byId.keys()]
  const numbers = [...new Set(rows.flatMap(({ cells: { npiNumber } }) => npiNumber || []))]
  const pairs = await trx
    .selectFrom('client_physician as cp')
    .innerJoin('physician as p', 'p.id', 'cp.physician_id')
    .select(['cp.id', 'cp.client_id as clientId', 'p.npi_number as npi'])
    .where('cp.client_id', '=', anyId(clientIds))
    .where('cp.deleted_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .where('p.npi_number', '=', anyText(numbers))
    .orderBy('cp.id')
    .execute()
  const events = await trx
    .selectFrom('client_event')
    .select((eb) => ['id', sql<string[]>`array[${eb.ref('name')}]`.as('names'), 'client_id as within'])
    .where('client_id', '=', anyId(clientIds))
    .where('deleted_at', 'is', null)
    .execute()
  return { pairs, events: createFinder('event of this client', events) }
}

/** The pair of client and physician, by its id or by the physician's NPI. */
const pairOf = (clientId: number | null, cells: Record<string, string>, pairs: readonly Pair[]) => {
  const { orderingClientPhysId, npiNumber } = cells
  if (!npiNumber || clientId === null) return orderingClientPhysId || undefined
  const found = pairs.filter((pair) => pair.clientId === clientId && pair.npi === npiNumber)
  const [first, other] = found
  if (!first) throw invalid('npiNumber', 'No physician of this client has this NPI')
  if (orderingClientPhysId) {
    if (!found.some(({ id }) => id === Number(orderingClientPhysId)))
      throw invalid('npiNumber', 'orderingClientPhysId and npiNumber name different physicians')
    return orderingClientPhysId
  }
  // Two physicians may share an NPI by mistake; who ordered must not be guessed.
  if (other) throw invalid('npiNumber', 'Two physicians of this client have this NPI: give orderingClientPhysId')
  return first.id
}

interface NameKeys {
  nameKey: string
  middleKey: string
}

const nameKeys = async (trx: Trx, inputs: readonly RequisitionInput[]): Promise<NameKeys[]> => {
  const names = inputs.map(({ patientLastName, patientFirstName }) => `${patientLastName}, ${patientFirstName}`)
  const middles = inputs.map(({ patientMiddleName }) => patientMiddleName)
  const { rows } = await sql<NameKeys>`
    select sort_key(x.name) as "nameKey", sort_key(x.middle) as "middleKey"
    from unnest(${names}::text[], ${middles}::text[]) with ordinality as x(name, middle, place) order by x.place`.execute(
    trx,
  )
  return rows
}
