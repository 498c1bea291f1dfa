import { randomBytes, randomUUID } from 'node:crypto'
import type { Role } from '@lis/contract/access/roles.ts'
import { isNpi } from '@lis/contract/physicians.ts'
import { type Insertable, sql } from 'kysely'
import { hashToken } from '../src/platform/auth/sessions.ts'
import type { Db } from '../src/platform/db/db.ts'
import type { DB } from '../src/platform/db/types.ts'

type Overrides<T extends keyof DB> = Partial<Insertable<DB[T]>>

export type Given = ReturnType<typeof factories>

const statusesWithSpecimen = ['PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER']

let serial = 0
const next = () => ++serial

/** Stores records for tests: every field has a sensible value, each test says only what it is about. */
export const factories = (db: Db) => {
  const lab = (over: Overrides<'lab'> = {}) =>
    store('lab', {
      lab_code: `LAB${next()}`,
      name: `Test Laboratory ${serial}`,
      zone: 'America/New_York',
      addr1: '100 Science Way',
      city: 'Boston',
      zip: '02108',
      clia_number: '22D2104417',
      director_name: 'Ada Rivers, MD',
      ...over,
    })

  const collaborator = async (over: Overrides<'collaborator'> = {}) =>
    store('collaborator', {
      name: `Collaborator ${next()}`,
      alias: `C${serial}`,
      ...(await address()),
      city: 'Boston',
      zip: '02101',
      addr1: '1 Main St',
      report_name_format_code: 'REQID',
      is_lis_interface: false,
      is_order_id_available: false,
      ...over,
    })

  const salesPerson = (over: Overrides<'sales_person'> = {}) =>
    store('sales_person', {
      first_name: 'Sam',
      last_name: `Seller${next()}`,
      email: `sam${serial}@example.com`,
      title: 'Sales Rep.',
      type_code: 'SLS',
      rep_code: `SR${serial}`,
      ...over,
    })

  const client = async (over: Overrides<'client'> = {}) =>
    store('client', {
      legacy_client_id: `L${next()}`,
      name: `Client ${serial}`,
      ...(await address()),
      city: 'Boston',
      zip: '02101',
      addr1: '1 Main St',
      phone: '16175550100',
      collaborator_id: over.collaborator_id ?? (await collaborator()).id,
      transmit_method_code: 'PORTAL',
      bill_type_code: 'CLIENT',
      zone: 'America/New_York',
      ...over,
    })

  /** Not by `store`, which returns an id: this pair has none. */
  const clientSales = async (clientId: number, salesPersonId: number, isPrimary = true) => {
    await db
      .insertInto('client_sales')
      .values({ client_id: clientId, sales_person_id: salesPersonId, is_primary: isPrimary })
      .execute()
  }

  /** What a form sends for a new client: by default a practice in Boston. */
  const clientBody = async (over: Record<string, unknown> = {}) => {
    const { country_id, state_id } = await address()
    return {
      clientName: `Practice ${next()}`,
      clientAddr1: '1 Main St',
      clientCountryId: country_id,
      clientCity: 'Boston',
      clientStateId: state_id,
      clientZip: '02108',
      clientPhone: '+1 (617) 555-0100',
      colaId: over.colaId ?? (await collaborator()).id,
      labIds: over.labIds ?? [(await lab()).id],
      clientTransmitMethodCode: 'PORTAL',
      clientBillTypeCode: 'CLIENT',
      ...over,
    }
  }

  const physician = (over: Overrides<'physician'> = {}) =>
    store('physician', {
      first_name: 'Paula',
      last_name: `Physician${next()}`,
      title: 'MD',
      npi_number: npiOf(100_000_000 + serial),
      ...over,
    })

  const clientPhysician = async (clientId: number, physicianId: number) =>
    (await db
      .selectFrom('client_physician')
      .select('id')
      .where('client_id', '=', clientId)
      .where('physician_id', '=', physicianId)
      .executeTakeFirst()) ?? store('client_physician', { client_id: clientId, physician_id: physicianId })

  const event = async (clientId: number, over: Overrides<'client_event'> = {}) =>
    store('client_event', {
      client_id: clientId,
      program_id: await firstId('program'),
      name: `Event ${next()}`,
      ...over,
    })

  const patient = (over: Overrides<'patient'> = {}) =>
    store('patient', {
      first_name: 'Pat',
      last_name: `Patient${next()}`,
      dob: '1970-01-02',
      gender_code: 'FEMALE',
      ...over,
    })

  /** Once it is processed there is a specimen, as nothing is measured without one. */
  const requisition = async (over: Overrides<'requisition'> = {}) => {
    const made = await emptyRequisition(over)
    if (statusesWithSpecimen.includes(String(over.status_code))) await impliedSpecimen(made.id)
    return made
  }

  const emptyRequisition = async (over: Overrides<'requisition'> = {}) => {
    const clientId = over.client_id ?? (await client()).id
    const owner = await db
      .selectFrom('client')
      .select('collaborator_id')
      .where('id', '=', clientId)
      .executeTakeFirstOrThrow()
    const physicianId = over.physician_id ?? (await physician()).id
    const link = over.ordering_client_physician_id ?? (await clientPhysician(clientId, physicianId)).id
    return store('requisition', {
      client_id: clientId,
      collaborator_id: owner.collaborator_id,
      physician_id: physicianId,
      ordering_client_physician_id: link,
      patient_id: over.patient_id ?? (await patient()).id,
      lab_id: over.lab_id ?? (await lab()).id,
      event_id: over.event_id ?? (await event(clientId)).id,
      collected_at: '2026-11-01T13:00:00Z',
      collected_zone: 'America/New_York',
      ...over,
    })
  }

  /** Takes the place of one that the factory has added by itself. */
  const specimen = async (requisitionId: number, over: Overrides<'specimen'> = {}) => {
    const id = implied.get(requisitionId)
    if (id !== undefined) await db.deleteFrom('specimen').where('id', '=', id).execute()
    implied.delete(requisitionId)
    return storeSpecimen(requisitionId, over)
  }

  const implied = new Map<number, number>()
  const impliedSpecimen = async (requisitionId: number) => {
    implied.set(requisitionId, (await storeSpecimen(requisitionId)).id)
  }

  const storeSpecimen = (requisitionId: number, over: Overrides<'specimen'> = {}) =>
    store('specimen', {
      requisition_id: requisitionId,
      type_code: 'SERUM',
      temperature_code: 'REF',
      container_code: 'SST',
      received_at: '2026-11-02T13:00:00Z',
      received_zone: 'America/New_York',
      ...over,
    })

  /** A result was measured in a specimen. */
  const specimenOfResult = async ({ requisition_id: id, result }: Overrides<'requisition_test'>) => {
    if (typeof id !== 'number' || result == null) return
    const known = await db.selectFrom('specimen').select('id').where('requisition_id', '=', id).executeTakeFirst()
    if (!known) await impliedSpecimen(id)
  }

  /** A box in a new freezer, with all its slots: A1, A2 … in the order of their ids. */
  const freezerBox = async (labId: number, over: Overrides<'freezer_box'> & { side?: number } = {}) => {
    const { side = 9, ...given } = over
    const freezerId =
      given.freezer_id ??
      (await store('freezer', { lab_id: labId, code: `FRZ${next()}`, description: `Freezer ${serial}` })).id
    const box = await store('freezer_box', {
      freezer_id: freezerId,
      shelf: '1',
      rack: 'A',
      box: `B${next()}`,
      row_count: side,
      column_count: side,
      ...given,
    })
    const { rows } = await sql<{ id: number }>`insert into freezer_slot (box_id, row_letter, slot)
      select ${box.id}, chr(64 + r), c from generate_series(1, ${side}::int) r, generate_series(1, ${side}::int) c order by r, c returning id`.execute(
      db,
    )
    const { rows: way } = await sql<{ freezer: string; shelf: string; rack: string; box: string }>`
      select f.code as freezer, b.shelf, b.rack, b.box from freezer_box b join freezer f on f.id = b.freezer_id where b.id = ${box.id}`.execute(
      db,
    )
    return { id: box.id, freezerId, slotIds: rows.map(({ id }) => id), ...(way[0] as (typeof way)[0]) }
  }

  /** What a form sends for a new requisition: a new client with lab, physician and event, and a new patient. */
  const requisitionBody = async (over: Record<string, unknown> = {}) => {
    const clientId = Number(over.clientId ?? (await client()).id)
    const { collaborator_id } = await db
      .selectFrom('client')
      .select('collaborator_id')
      .where('id', '=', clientId)
      .executeTakeFirstOrThrow()
    const labId = Number(over.labId ?? (await lab()).id)
    await db
      .insertInto('client_lab')
      .values({ client_id: clientId, lab_id: labId })
      .onConflict((oc) => oc.doNothing())
      .execute()
    return {
      collaborator: collaborator_id,
      clientId,
      labId,
      orderingClientPhysId: over.orderingClientPhysId ?? (await clientPhysician(clientId, (await physician()).id)).id,
      eventId: over.eventId ?? (await event(clientId)).id,
      patientFirstName: 'Nora',
      patientLastName: `Newcomer${next()}`,
      patientDob: '1/2/1960',
      patientGenderCode: 'FEMALE',
      dateCollected: recentlyCollected(),
      ...over,
    }
  }

  /** An ordered test by its code; a result is inserted directly, without the rules. */
  const orderedTest = async (requisitionId: number, testCode: string, over: Overrides<'requisition_test'> = {}) => {
    const test = await db.selectFrom('test').select('id').where('code', '=', testCode).executeTakeFirstOrThrow()
    return store('requisition_test', { requisition_id: requisitionId, test_id: test.id, ...over })
  }

  const issue = async (requisitionId: number, over: Overrides<'issue'> = {}) => {
    const departmentId = await firstId('department')
    return store('issue', {
      requisition_id: requisitionId,
      reporter_department_id: departmentId,
      resolver_department_id: departmentId,
      description: `Issue ${next()}`,
      ...over,
    })
  }

  /** A partner that sends HL7 orders of a client. */
  const interfacePartner = async (over: Overrides<'interface_partner'> = {}) =>
    store('interface_partner', {
      name: `Partner ${next()}`,
      kind: 'HL7',
      ...(over.collaborator_id === undefined && { client_id: over.client_id ?? (await client()).id }),
      sending_app: `APP${serial}`,
      sending_facility: 'CLINIC',
      ...over,
    })

  const userDepartment = async (userId: number, departmentId: number) => {
    await db.insertInto('app_user_department').values({ user_id: userId, department_id: departmentId }).execute()
  }

  const user = async (role: Role, entityId?: number, over: Overrides<'app_user'> = {}) =>
    store('app_user', {
      user_name: `user${next()}`,
      first_name: 'Test',
      last_name: `User${serial}`,
      email: `user${serial}@example.com`,
      phone: `1617555${String(serial).padStart(4, '0')}`,
      role_code: role,
      ...(await entityOf(role, entityId)),
      ...over,
    })

  const entityOf = async (role: Role, id?: number): Promise<Overrides<'app_user'>> => {
    if (role === 'CLNT') return { client_id: id ?? (await client()).id }
    if (role === 'COLA') return { collaborator_id: id ?? (await collaborator()).id }
    if (role === 'PHYS') return { physician_id: id ?? (await physician()).id }
    if (role === 'SLS') return { sales_person_id: id ?? (await salesPerson()).id }
    if (role === 'STF') return { lab_id: id ?? (await lab()).id }
    return {}
  }

  /** A signed-in user without the sign-in: the session is inserted directly. */
  const session = async (role: Role, entityId?: number) => {
    const { id: userId } = await user(role, entityId)
    const token = randomBytes(32).toString('base64url')
    await db
      .insertInto('session')
      .values({
        token_hash: hashToken(token),
        user_id: userId,
        origin: randomUUID(),
        token_expires_at: sql<string>`now() + interval '1 hour'`,
        absolute_expires_at: sql<string>`now() + interval '1 hour'`,
      })
      .execute()
    return { userId, token }
  }

  const address = async (country = 'US', state = 'MA') => {
    const { rows } = await sql<{ country_id: number; state_id: number }>`
      select c.id as country_id, s.id as state_id from country c join state s on s.country_id = c.id
      where c.iso2 = ${country} and s.code = ${state}`.execute(db)
    return rows[0] as { country_id: number; state_id: number }
  }

  const firstId = async (table: 'program' | 'department' | 'test'): Promise<number> =>
    (await db.selectFrom(table).select('id').orderBy('id').executeTakeFirstOrThrow()).id

  const store = async <T extends keyof DB>(table: T, row: Overrides<T>): Promise<{ id: number }> => {
    const names = Object.keys(row)
    const values = names.length
      ? sql`(${sql.join(names.map((name) => sql.ref(name)))}) values (${sql.join(Object.values(row).map((value) => sql`${value}`))})`
      : sql`default values`
    const { rows } = await sql<{ id: number }>`insert into ${sql.table(table)} ${values} returning id`.execute(db)
    if (table === 'requisition_test') await specimenOfResult(row as Overrides<'requisition_test'>)
    return rows[0] as { id: number }
  }

  return {
    lab,
    collaborator,
    salesPerson,
    client,
    clientBody,
    clientSales,
    physician,
    clientPhysician,
    event,
    patient,
    requisition,
    orderedTest,
    specimen,
    freezerBox,
    requisitionBody,
    issue,
    interfacePartner,
    userDepartment,
    user,
    session,
    store,
    address,
    firstId,
  }
}

/** Nine digits with their check digit. */
const npiOf = (digits: number): string =>
  Array.from({ length: 10 }, (_, check) => `${digits}${check}`).find(isNpi) as string

/** Ten days ago at 15:05 UTC: an older collection would raise a question (DAY-12). */
export const recentlyCollected = () =>
  `${new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10)}T15:05:00.000Z`
