import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import { announce } from '../../platform/domain-events.ts'
import { AppError, invalidFields } from '../../platform/errors.ts'
import { activeCodes, type IsActiveCode } from '../lookups/queries.ts'
import { lockNames } from '../patients/queries.ts'
import { changePatient, createPatients, getPatient, patientCodeFaults } from '../patients/service.ts'
import {
  type CheckedCreate,
  checkRequisitions,
  nextRequisitionIds,
  storeRequisitions,
} from '../requisition-entry/create.ts'
import { patientOf } from '../requisition-entry/create-patient.ts'
import { findLoaded, type LoadedOrder, requireSameOrder } from './loaded-orders.ts'
import { failed, type LoadCall, type Loader, loaded, type RowOutcome, skipped } from './loader.ts'
import { createOrderCache } from './order-cache.ts'
import {
  choosePerson,
  findNamesakes,
  groupKey,
  type MissingDetails,
  missingDetails,
  newPerson,
  type Person,
  withDetails,
} from './order-patients.ts'
import { type OrderRow, readOrders } from './order-rows.ts'
import { type OrderedTest, orderedTests, readCatalogue, storeTests, unknownTests } from './order-tests.ts'
import type { CsvRow } from './read-csv.ts'
import { errorsOf, rowErrorFrom } from './row-by-row.ts'

/** Requisitions, many rows in a few statements. Each client order id, or without one each patient and time of collection, is loaded once. */
export const requisitionLoader = (isDry: boolean): Loader => {
  const memory = createOrderCache(isDry)
  const applyAll = async (call: LoadCall, rows: readonly CsvRow[]): Promise<RowOutcome[]> => {
    const read = await readOrders(call.db, rows)
    const orders = read.filter((one): one is OrderRow => !(one instanceof AppError))
    if (!isDry)
      await lockNames(
        call.db,
        orders.map(({ nameKey, input }) => ({ nameKey, dob: input.patientDob })),
      )
    const decide = await openDecision(call, orders, memory, isDry)
    const planned: PlannedOrder[] = []
    const outcomes = rows.map((row, index): RowOutcome => {
      const one = read[index] as OrderRow | AppError
      try {
        if (one instanceof AppError) throw one
        const plan = decide(one)
        if (plan) planned.push(plan)
        return plan ? loaded(row.no) : skipped(row.no)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return failed(row.no, errorsOf(error, columns))
      }
    })
    if (!isDry && planned.length > 0) await store(call, planned)
    return outcomes
  }
  /** If the database refuses a value that passed all checks, bisects the rows so that only the bad one fails. */
  const apply = async (call: LoadCall, rows: readonly CsvRow[]): Promise<RowOutcome[]> => {
    const undo = memory.mark()
    await sql`savepoint csv_rows`.execute(call.db)
    try {
      const outcomes = await applyAll(call, rows)
      await sql`release savepoint csv_rows`.execute(call.db)
      return outcomes
    } catch (error) {
      undo()
      const fault = rowErrorFrom(error)
      if (!fault) throw error
      await sql`rollback to savepoint csv_rows`.execute(call.db)
      const [first, ...rest] = rows
      if (first && rest.length === 0) return [failed(first.no, errorsOf(fault, columns))]
      const half = Math.ceil(rows.length / 2)
      return [...(await apply(call, rows.slice(0, half))), ...(await apply(call, rows.slice(half)))]
    }
  }
  return {
    rowsAtOnce: 500,
    apply: (call, rows) => {
      memory.beginPiece(rows[0]?.no ?? 0)
      return apply(call, rows)
    },
  }
}

/** Which column a field of the API came from, where the names differ. */
const columns = { collaborator: 'colaId' }

interface PlannedOrder extends CheckedCreate {
  row: OrderRow
  /** Negative: a new patient. */
  personId: number
  isNew: boolean
  completion: MissingDetails
  tests: readonly OrderedTest[]
}

/** Reads what the rows are compared with and returns the function that plans each row; it gives null for one loaded before. */
const openDecision = async (
  call: LoadCall,
  orders: readonly OrderRow[],
  memory: ReturnType<typeof createOrderCache>,
  isDry: boolean,
): Promise<(row: OrderRow) => PlannedOrder | null> => {
  const found = await findLoaded(call.db, orders)
  const catalogue = await readCatalogue(call.db)
  const checks = await checkRequisitions(
    call,
    orders.map(({ input }) => input),
  )
  const isActive = await activeCodes(call.db, ['GENDER', 'RACE', 'ETHNICITY'])
  const namesakes = await findNamesakes(call, orders, !isDry)
  const places = new Map(orders.map((order, place) => [order, place]))
  return (row) => {
    const place = places.get(row) as number
    const ahead = memory.findOrder(row.key)
    const before: LoadedOrder[] = ahead ? [ahead] : (found.get(place) ?? [])
    if (before.length > 0) {
      requireSameOrder(before, row, catalogue)
      return null
    }
    const checked = checks[place] as CheckedCreate | AppError
    requireNoFault(checked, unknownTests(catalogue, row.codes))
    const known = choosePerson(memory.withPeopleAhead(groupKey(row), namesakes.get(place) ?? []), row)
    const who = known ? complete(known, row, isActive) : begin(memory.nextPersonId(), row, isActive)
    const tests = orderedTests(catalogue, row.codes)
    memory.remember(row, groupKey(row), who.person, tests)
    return {
      ...(checked as CheckedCreate),
      row,
      personId: who.person.id,
      isNew: !known,
      completion: who.completion,
      tests,
    }
  }
}

const requireNoFault = (checked: CheckedCreate | AppError, more: ReturnType<typeof unknownTests>) => {
  if (!(checked instanceof AppError)) {
    if (more.length > 0) throw invalidFields(more)
    return
  }
  throw checked.errors ? invalidFields([...checked.errors, ...more]) : checked
}

interface Who {
  person: Person
  completion: MissingDetails
}

const complete = (known: Person, row: OrderRow, isActive: IsActiveCode): Who => {
  const completion = missingDetails(known, row)
  const faults = patientCodeFaults(completion, isActive)
  if (faults.length > 0) throw invalidFields(faults)
  return { person: withDetails(known, completion, row), completion }
}

const begin = (id: number, row: OrderRow, isActive: IsActiveCode): Who => {
  const faults = patientCodeFaults(row.input, isActive)
  if (faults.length > 0) throw invalidFields(faults)
  return { person: newPerson(id, row), completion: {} }
}

const store = async (call: LoadCall, planned: readonly PlannedOrder[]) => {
  const ids = await nextRequisitionIds(call.db, planned.length)
  const orders = planned.map((plan, index) => ({ ...plan, id: ids[index] as number }))
  const fresh = orders.filter(({ isNew }) => isNew)
  const made = await createPatients(
    call,
    fresh.map(({ input, id }) => ({ input: patientOf(input), requisitionId: id })),
  )
  const stored = new Map(fresh.map(({ personId }, index) => [personId, made[index] as number]))
  const patientIdOf = ({ personId }: PlannedOrder) => stored.get(personId) ?? personId
  for (const order of orders)
    if (Object.keys(order.completion).length > 0) await completePatient(call, patientIdOf(order), order)
  await storeRequisitions(
    call,
    orders.map((order) => ({
      ...order,
      patientId: patientIdOf(order),
      load: {
        load_key: order.row.key,
        load_patient_key: order.row.patientKey,
        load_collected_on: order.row.collectedOn,
        ext_accession_id: order.row.extAccessionId,
        is_fasting: order.row.isFasting,
      },
    })),
  )
  await storeTests(call.db, orders)
}

const completePatient = async (
  call: LoadCall,
  patientId: number,
  { id, completion }: { id: number; completion: MissingDetails },
) => {
  const before = await getPatient(call, patientId)
  const after = await changePatient(call, before, completion as Parameters<typeof changePatient>[2], null, {
    requisitionId: id,
  })
  await holdOtherNames(call, before, after)
}

/** Holds undelivered reports that print the former name. */
const holdOtherNames = async (call: LoadCall, before: Patient, after: Patient) => {
  if (before.patientMiddleName === after.patientMiddleName) return
  const rows = await call.db
    .selectFrom('requisition')
    .select('id')
    .where('patient_id', '=', after.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  await announce(call, 'recordChanged', {
    requisitionIds: rows.map(({ id }) => id),
    changed: [patientLabels.patientMiddleName],
    isUndeliveredOnly: true,
  })
}
