import type { Person } from './people.ts'
import type { BareQuery } from './servers.ts'

/** The order of each sort, as an index has it. */
const sortColumns: Record<string, string> = {
  id: 'l.requisition_id',
  patientLastName: 'l.patient_key',
  patientDob: 'l.patient_dob',
  reqStatusDesc: 'l.status_code',
  physLastName: 'l.physician_key',
  clientName: 'l.client_key',
  dateCollected: 'l.collected_at',
  salesRepCode: 'l.sales_rep_code',
  testCodes: 'l.test_codes',
  reqBillTypeDesc: 'l.bill_type_code',
  dateReceived: 'l.received_at',
  dateLogged: 'l.logged_at',
  patientGenderDesc: 'l.gender_code',
  latestDeliveryDate: 'l.delivered_at',
  tat: '(coalesce(l.released_at, now()) - l.received_at)',
}
const nullsLast = ['dateReceived', 'latestDeliveryDate', 'tat']

export interface ListWish {
  person: Person
  /** A tab, or null for everything. */
  tab: string | null
  sort: { field: string; order: 'ASC' | 'DESC' }
  page: number
  /** Ways to say the filter, as a condition on list row `l`; the fastest counts. */
  filter: readonly string[]
  /** The counter that holds the total, where one does. */
  counter: { scope: string; ids: readonly number[] | null } | null
}

const perPage = 25

const orderOf = ({ field, order }: ListWish['sort'], isPlain = true) => {
  const last = order === 'DESC' && nullsLast.includes(field) ? ' nulls last' : ''
  const key = isPlain ? 'l.requisition_id' : '(l.requisition_id + 0)'
  return field === 'id' ? `${key} ${order}` : `${sortColumns[field]} ${order}${last}, ${key} ${order}`
}

/** How the rows of a person are reached: one condition, or several sets that are merged. */
interface Reach {
  conditions: readonly string[]
  clients?: readonly number[]
}

const reachOf = ({ role, ids }: Person): Reach[] => {
  const list = ids.join(',')
  if (role === 'CLNT') return [{ conditions: [`l.client_id = ${list}`] }]
  if (role === 'COLA') return [{ conditions: [`l.collaborator_id = ${list}`] }]
  if (role === 'PHYS')
    return [
      { conditions: [`(l.physician_id = ${list} or l.copy_physician_id = ${list})`] },
      { conditions: [`l.physician_id = ${list}`, `l.copy_physician_id = ${list} and l.physician_id <> ${list}`] },
    ]
  if (role === 'SLS')
    return [
      { conditions: [`l.client_id = any('{${list}}')`] },
      ...(ids.length <= 100 ? [{ conditions: ['true'], clients: ids }] : []),
    ]
  if (role === 'BILL') return [{ conditions: ['l.is_batched'] }]
  return [{ conditions: ['true'] }]
}

const keysOf = (wish: ListWish, reach: Reach, filter: string, order: string): string => {
  const offset = (wish.page - 1) * perPage
  const tab = wish.tab ? `l.tab_code = '${wish.tab}'` : 'true'
  const one = (condition: string) => `from requisition_list l where ${condition} and ${tab} and (${filter})`
  const [first, ...more] = reach.conditions as [string, ...string[]]
  if (reach.clients)
    return `select l.requisition_id as id from unnest('{${reach.clients.join(',')}}'::int[]) c(id)
      cross join lateral (select * ${one('l.client_id = c.id')} order by ${order} limit ${offset + perPage}) l order by ${order} limit ${perPage} offset ${offset}`
  if (more.length === 0)
    return `select l.requisition_id as id ${one(first)} order by ${order} limit ${perPage} offset ${offset}`
  const parts = reach.conditions.map(
    (condition) => `(select * ${one(condition)} order by ${order} limit ${offset + perPage})`,
  )
  return `select l.requisition_id as id from (${parts.join(' union all ')}) l order by ${order} limit ${perPage} offset ${offset}`
}

const counted = (tab: string | null, { scope, ids }: NonNullable<ListWish['counter']>): string => {
  const which = `scope = '${scope}'${ids ? ` and scope_id = any('{${ids.join(',')}}')` : ''}`
  const only = tab ? `join requisition_status_type t on t.code = x.status_code and t.tab_code = '${tab}'` : ''
  return `select coalesce(sum(n), 0)::bigint as total from (select status_code, n from requisition_count where ${which}
    union all select status_code, n from requisition_count_delta_by_scope where ${which}) x ${only}`
}

export const bareList = (wish: ListWish): BareQuery => {
  const reaches = reachOf(wish.person)
  const isById = wish.sort.field === 'id' && wish.filter[0] !== 'true'
  const orders = [orderOf(wish.sort), ...(isById ? [orderOf(wish.sort, false)] : [])]
  const tab = wish.tab ? `l.tab_code = '${wish.tab}'` : 'true'
  const counts = wish.filter.map((filter) => {
    const condition = reaches[0]?.conditions[0]
    return `select count(*) as total from requisition_list l where ${condition} and ${tab} and (${filter})`
  })
  return {
    keys: reaches.flatMap((reach) =>
      wish.filter.flatMap((filter) => orders.map((order) => keysOf(wish, reach, filter, order))),
    ),
    rows: thinRows,
    totals: wish.counter ? [counted(wish.tab, wish.counter)] : counts,
  }
}

/** Read by the keys of the page from the thinnest table that answers the same columns. */
const thinRows = `select t.row from bench.requisition_row t join unnest($1::bigint[]) with ordinality k(id, place) on k.id = t.id order by k.place`
