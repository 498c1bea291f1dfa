import { labSorts, requisitionSorts } from '../packages/contract/src/requisitions/list.ts'
import { bareList, type ListWish } from './bare-lists.ts'
import { type ListFilter, listFilters } from './list-filters.ts'
import type { Person } from './people.ts'
import type { Samples } from './samples.ts'
import type { BareQuery } from './servers.ts'

/** A call of the product and the bare question beside it. */
export interface PairedCall {
  name: string
  person: Person
  path: string
  bare: BareQuery
}

interface Wanted {
  person: Person
  view: string
  sort?: ListWish['sort']
  page?: number
  filter?: ListFilter
}

const labViews = ['LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER']
const wholeViews = ['ALL', 'CLIENTPHYSROLE']
const deepPage = 400
const byId: ListWish['sort'] = { field: 'id', order: 'ASC' }

const counterScopes: Record<string, string> = { CLNT: 'CLNT', COLA: 'COLA', PHYS: 'PHYS', SLS: 'CLNT' }

const counterOf = ({ person, filter }: Wanted): ListWish['counter'] => {
  const seesAll = ['ADM', 'STF'].includes(person.role)
  if (filter) return seesAll ? (filter.counter ?? null) : null
  if (seesAll) return { scope: 'COLA', ids: null }
  const scope = counterScopes[person.role]
  return scope ? { scope, ids: person.ids } : null
}

const callOf = (wanted: Wanted): PairedCall => {
  const { person, view, sort, page = 1, filter } = wanted
  const query = new URLSearchParams({ perPage: '25', page: String(page) })
  if (sort) query.set('sort', `[${sort.field},${sort.order}]`)
  if (filter) query.set('filter', filter.asked)
  const parts = [person.name, view, sort && `${sort.field} ${sort.order}`, page > 1 && 'deep page', filter?.name]
  return {
    name: parts.filter(Boolean).join(', '),
    person,
    path: `requisitions/${view}?${query}`,
    bare: bareList({
      person,
      tab: wholeViews.includes(view) ? null : view,
      sort: sort ?? byId,
      page,
      filter: filter?.said ?? ['true'],
      counter: counterOf(wanted),
    }),
  }
}

/** Page 400, or the last where there are fewer. */
const deepOf = (rows: number) => Math.max(2, Math.min(deepPage, Math.ceil(rows / 25)))

type People = Record<string, Person>

const all = (samples: Samples) => Object.values(samples.rows).reduce((sum, n) => sum + n, 0)
const rowsOf = (samples: Samples, view: string) =>
  wholeViews.includes(view) ? all(samples) : (samples.rows[view] ?? 0)

/** Every view of a user who sees everything, first and deep page. */
export const viewCalls = (people: People, samples: Samples): PairedCall[] =>
  ['ALL', ...labViews, 'BILL'].flatMap((view) =>
    [1, deepOf(rowsOf(samples, view))].map((page) => callOf({ person: people.ADM as Person, view, page })),
  )

/** Every sort in both directions, first and deep page, of the views that can hold everything and of two tabs of the laboratory. */
export const sortCalls = (people: People, samples: Samples): PairedCall[] =>
  ['ALL', 'BILL', 'PROCESS', 'DELIVER'].flatMap((view) => {
    const fields = labViews.includes(view) ? labSorts : requisitionSorts
    return fields
      .filter((field) => field !== 'reqID')
      .flatMap((field) =>
        (['ASC', 'DESC'] as const).flatMap((order) =>
          [1, deepOf(rowsOf(samples, view))].map((page) =>
            callOf({ person: people.ADM as Person, view, sort: { field, order }, page }),
          ),
        ),
      )
  })

/** Every filter of the list, alone and in its tabs. */
export const filterCalls = (people: People, samples: Samples): PairedCall[] => {
  const person = people.ADM as Person
  const newest: ListWish['sort'] = { field: 'dateCollected', order: 'DESC' }
  return listFilters(samples).flatMap((filter) => [
    callOf({ person, view: 'ALL', filter }),
    callOf({ person, view: 'ALL', sort: newest, filter }),
    callOf({ person, view: 'PROCESS', filter }),
    callOf({ person, view: 'BILL', filter }),
  ])
}

/** Every role in each of its views: default order, newest, by name, deep, and with the commonest filters. */
export const roleCalls = (people: People, samples: Samples): PairedCall[] =>
  Object.values(people)
    .filter(({ role }) => role !== 'ADM')
    .flatMap((person) => {
      const isPractice = person.role === 'CLNT' || person.role === 'PHYS'
      const whole = isPractice ? ['CLIENTPHYSROLE'] : person.role === 'BILL' ? [] : ['ALL']
      const views = [...whole, ...(person.role === 'BILL' ? [] : labViews), ...(isPractice ? [] : ['BILL'])]
      const main = whole[0] ?? 'BILL'
      const sorts = requisitionSorts
        .filter((field) => field !== 'reqID' && field !== 'id')
        .map((field) => ({ field, order: field === 'dateCollected' ? ('DESC' as const) : ('ASC' as const) }))
      const common = ['name, common', 'name, rare', 'collected in a month', 'test, common', 'flag']
      return [
        ...views.map((view) => callOf({ person, view })),
        ...views.map((view) => callOf({ person, view, sort: { field: 'dateCollected', order: 'DESC' } })),
        ...sorts.map((sort) => callOf({ person, view: main, sort })),
        callOf({ person, view: main, page: 40 }),
        callOf({ person, view: main, page: deepPage, sort: { field: 'patientLastName', order: 'ASC' } }),
        ...listFilters(samples)
          .filter(({ name }) => common.includes(name))
          .map((filter) => callOf({ person, view: main, filter })),
      ]
    })

/** The few that stand for the many: measured with eight people at once. */
export const mainCalls = (people: People, samples: Samples): PairedCall[] => {
  const person = people.ADM as Person
  const named = (name: string) => listFilters(samples).find((filter) => filter.name === name) as ListFilter
  return [
    {
      name: 'countries, first page',
      person,
      path: 'countries?page=1&perPage=25',
      bare: {
        rows: `select id, iso2 as "countryCode", long_name as "countryLongName" from country order by long_name, id limit 25`,
        totals: ['select count(*) as total from country'],
      },
    },
    callOf({ person, view: 'ALL' }),
    callOf({ person, view: 'ALL', sort: { field: 'dateCollected', order: 'DESC' } }),
    callOf({ person, view: 'ALL', sort: { field: 'patientLastName', order: 'ASC' }, page: deepPage }),
    callOf({ person, view: 'PROCESS' }),
    callOf({ person, view: 'ALL', filter: named('client, large') }),
    callOf({ person, view: 'ALL', filter: named('name, common') }),
    callOf({ person: people['CLNT large'] as Person, view: 'CLIENTPHYSROLE' }),
  ]
}
