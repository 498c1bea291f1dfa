import type { KnownPatient, UsualSet } from '@lis/contract/portal-orders.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { listPage } from '../../platform/lists.ts'
import { listPreviousInsurances } from '../billing/queries.ts'
import { isClientInScope } from '../lookups/queries.ts'
import { patientList, requireNarrowSearch } from '../patients/queries.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

export interface OrderingClient {
  clientId: number
  clientName: string
  zone: string
}

/** The practices that the caller may order for. */
export const listOrderingClients = async (db: Db, actor: Actor): Promise<OrderingClient[]> => {
  const { rows } = await sql<OrderingClient>`
    select c.id as "clientId", c.name as "clientName", c.zone from client c
    where c.is_portal_order and c.deleted_at is null and ${isClientInScope(actor, sql`c.id`)} order by c.name, c.id`.execute(
    db,
  )
  return rows
}

/** The physicians of a client; a physician orders in their own name only. */
export const listOrderingPhysicians = async (db: Db, actor: Actor, clientId: number) => {
  const isOwn = actor.role === 'PHYS' ? sql`cp.physician_id = ${actor.entityId}` : sql`true`
  const { rows } = await sql<{ orderingClientPhysId: number; physName: string }>`
    select cp.id as "orderingClientPhysId", ph.last_name || ', ' || ph.first_name as "physName"
    from client_physician cp join physician ph on ph.id = cp.physician_id and ph.deleted_at is null
    where cp.client_id = ${clientId} and cp.deleted_at is null and ${isOwn} order by ph.last_name, ph.first_name, cp.id`.execute(
    db,
  )
  return rows
}

/** The default event of an order: that of the company, otherwise the first of the client. */
export const findFirstEvent = async (db: Db, clientId: number): Promise<number | null> => {
  const { rows } = await sql<{ id: number | null }>`
    select min(id) as id from client_event where client_id = ${clientId} and deleted_at is null`.execute(db)
  return rows[0]?.id ?? null
}

/** The number of latest requisitions that are read, so that the time does not grow with the practice. */
const latestOrders = 150
const shownSets = 5

/** The tests that the caller most often orders together, for the given practices. */
export const listUsualSets = async (db: Db, actor: Actor, clientIds: readonly number[]): Promise<UsualSet[]> => {
  const { rows } = await sql<Omit<UsualSet, 'name'> & { description: string | null }>`
    with latest as materialized (select l.requisition_id from requisition_list l
        where ${visibleRequisitions(actor)} and l.client_id = any(${[...clientIds]}::int[]) and l.logged_at > now() - interval '90 days'
        order by l.requisition_id desc limit ${latestOrders}),
      ordered as (select x.requisition_id,
          coalesce(array_agg(distinct x.panel_id) filter (where x.panel_id is not null), '{}') as panels,
          coalesce(array_agg(distinct x.test_id) filter (where x.panel_id is null), '{}') as tests
        from latest join requisition_test x on x.requisition_id = latest.requisition_id
        where x.deleted_at is null and not x.is_retest group by 1),
      sets as (select panels, tests, count(*)::int as count from ordered group by 1, 2)
    select s.panels as "panelIds", s.tests as "testIds", s.count,
      array(select p.code from panel p where p.id = any(s.panels) order by p.code) || array(select t.code from test t where t.id = any(s.tests) order by t.sort_order) as codes,
      (select p.description from panel p where cardinality(s.panels) = 1 and cardinality(s.tests) = 0 and p.id = s.panels[1]) as description
    from sets s
    where not exists (select from panel p where p.id = any(s.panels) and p.deleted_at is not null)
      and not exists (select from test t where t.id = any(s.tests) and t.deleted_at is not null)
    order by s.count desc, codes limit ${shownSets}`.execute(db)
  return rows.map(({ description, ...set }) => ({ name: description ?? set.codes.join(' + '), ...set }))
}

/** The insurances of the latest requisition of the patient that has any. */
export const listKnownInsurances = async (db: Db, actor: Actor, patientId: number) => {
  const all = await listPreviousInsurances(db, actor, patientId)
  return all.filter(({ reqId }) => reqId === all[0]?.reqId).sort((one, other) => one.billingOrder - other.billingOrder)
}

const shownPatients = 10

/** Patients of the caller, the latest first, or by names and a birth date in any order. */
export const findKnownPatients = async (db: Db, actor: Actor, search: string): Promise<KnownPatient[]> => {
  if (search) requireNarrowSearch({ search })
  const found: { id: number }[] = []
  const finish = (row: Record<string, unknown>) => {
    found.push(row as { id: number })
    return row
  }
  await listPage(
    db,
    { ...patientList(actor), finish },
    { page: 1, perPage: shownPatients, sort: null, filters: search ? { search } : {} },
  )
  return Promise.all(
    (found as Omit<KnownPatient, 'insurances'>[]).map(async (patient) => ({
      id: patient.id,
      patientFirstName: patient.patientFirstName,
      patientMiddleName: patient.patientMiddleName,
      patientLastName: patient.patientLastName,
      patientDob: patient.patientDob,
      patientGenderCode: patient.patientGenderCode,
      patientGenderDesc: patient.patientGenderDesc,
      patientEthnicityCode: patient.patientEthnicityCode,
      version: patient.version,
      insurances: (await listKnownInsurances(db, actor, patient.id)).map(({ insuranceCompany, policyNo }) =>
        [insuranceCompany, policyNo].filter(Boolean).join(' '),
      ),
    })),
  )
}
