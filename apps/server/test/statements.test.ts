import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '@lis/contract/access/roles.ts'
import type { FilterValue, ListQuery } from '@lis/contract/kit/list-query.ts'
import { apiViews } from '@lis/contract/requisitions/views.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReportDefinition } from '../src/modules/report-pages/definition.ts'
import { definitions } from '../src/modules/report-pages/definitions.ts'
import { adHocTests, eventRequisitions } from '../src/modules/report-pages/misc.ts'
import { runReport } from '../src/modules/report-pages/run.ts'
import { exportFields } from '../src/modules/requisition-list/export-columns.ts'
import { listForExport, requisitionList } from '../src/modules/requisition-list/list.ts'
import { namesByKey } from '../src/modules/requisition-record/names.ts'
import { allDeletedKinds } from '../src/modules.ts'
import type { Actor } from '../src/platform/auth/actor.ts'
import { AppError } from '../src/platform/errors.ts'
import { type ListDefinition, listPage } from '../src/platform/lists.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'

// List definitions and report statements are raw SQL, so a renamed column compiles. Here each of them is run once on the migrated schema,
// with every filter, every sort and every kind of scope.

let test: TestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

const roles: Role[] = ['ADM', 'CLNT', 'COLA', 'PHYS', 'SLS', 'BILL']
const actorOf = (role: Role): Actor => ({
  userId: 1,
  userName: 'sample',
  name: 'Sample',
  role,
  entityId: 1,
  departmentIds: [1],
  sessionId: '',
  scope: { role, ids: [1, 2] },
})

const query: ListQuery = { page: 1, perPage: 25, filters: {}, sort: null }
/** Stands for the query of the call among the arguments of a list. */
const theQuery = Symbol('query')
/** The same for the database of the test. */
const theDatabase = Symbol('database')

/** Sample arguments by the type that the parameter has in the source. */
const samples: [type: RegExp, values: unknown[]][] = [
  [/^Db$/, [theDatabase]],
  [/^Actor$/, roles.map(actorOf)],
  [/^Role$/, ['ADM', 'CLNT']],
  [/^number$/, [1]],
  [/^boolean$/, [true, false]],
  [/^string$/, ['GENDER']],
  [/^HomeDay$/, [undefined, '2026-01-31']],
  [/^'PASS' \| 'FAIL'$/, ['PASS']],
  [/^ApiView$/, [...apiViews]],
  [/^ListQuery$/, [theQuery]],
  [/^ListNames$/, [namesByKey]],
  [/^readonly DeletedKind\[\]$/, [allDeletedKinds]],
  [/^readonly .*\[\]$/, [[]]],
  [/^Record<string, Sql>$/, [{}]],
  [/^keyof typeof \w+$/, ['freezer', 'shelf', 'rack', 'box']],
  [/^(Way|PartialAddress)$/, [{ labId: 1 }]],
  [/^RequisitionHead$/, [{ id: 1, lab_zone: 'America/New_York' }]],
  [/^Reader$/, [{ head: { id: 1, collaborator_id: 1 }, sex: null, seesResults: true, mayEdit: true }]],
]

/** Every exported list definition, as its value or as a function of sample arguments. */
const listsIn = async (path: string): Promise<[name: string, list: (query: ListQuery) => ListDefinition][]> => {
  const source = readFileSync(path, 'utf8')
  const exported = (await import(path)) as Record<string, unknown>
  const found = source.matchAll(
    /^export const (\w+)(: ListDefinition = | = lookup\(| = \(([^)]*)\)(: ListDefinition)? =>\s+(lookup)?)/gm,
  )
  return [...found].flatMap(([, name = '', , parameters, annotation, helper]) => {
    const list = exported[name]
    if (typeof list !== 'function') return [[name, () => list as ListDefinition]]
    if ((!annotation && !helper) || parameters?.includes(': ListDefinition')) return []
    return argumentsOf(name, parameters ?? '').map((values): [string, (query: ListQuery) => ListDefinition] => [
      name,
      (asked) => list(...values.map((value) => standFor(value, asked))) as ListDefinition,
    ])
  })
}

const standFor = (value: unknown, asked: ListQuery): unknown =>
  value === theQuery ? asked : value === theDatabase ? test.db : value

/** Every combination of the samples. */
const argumentsOf = (name: string, parameters: string): unknown[][] =>
  parameters
    .trim()
    .split(/,\s*(?=\w+\??:|\{[^}]*\}:)(?![^{]*\})/)
    .filter(Boolean)
    .map((parameter) => parameter.replace(/^(\{[^}]*\}|\w+)\??:\s*/, '').replace(/\s*(=.*|,)?\s*$/s, ''))
    .map((type) => {
      const values = samples.find(([pattern]) => pattern.test(type))?.[1]
      if (!values) throw new Error(`${name} has a parameter of type ${type}: add sample values of it`)
      return values
    })
    .reduce<unknown[][]>((all, values) => all.flatMap((before) => values.map((value) => [...before, value])), [[]])

const filterValues: FilterValue[] = ['1', '[01/01/2026-01/31/2026]', '2026-01-01', 'A']

/** A value that the filter takes. */
const sampleValue = (condition: ListDefinition['filter'][string]): FilterValue => {
  const taken = filterValues.find((value) => {
    try {
      condition(value)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  })
  if (taken === undefined) throw new Error('No sample value fits the filter')
  return taken
}

const runEveryPart = async (listOf: (query: ListQuery) => ListDefinition) => {
  const { filter, sort = {} } = listOf(query)
  const filters = Object.fromEntries(Object.entries(filter).map(([name, condition]) => [name, sampleValue(condition)]))
  const queries: ListQuery[] = [
    query,
    ...Object.entries(filters).map(([name, value]) => ({ ...query, filters: { [name]: value } })),
    ...Object.keys(sort).map((field) => ({ ...query, sort: { field, order: 'DESC' as const } })),
  ]
  for (const asked of queries)
    await listPage(test.db, listOf(asked), asked).catch((error) => {
      throw new Error(`${JSON.stringify({ filters: asked.filters, sort: asked.sort })}: ${error.message}`)
    })
}

const modules = join(import.meta.dirname, '../src/modules')
const paths = globSync('**/*.ts', { cwd: modules })
  .filter((path) => !path.endsWith('.test.ts') && readFileSync(join(modules, path), 'utf8').includes('ListDefinition'))
  .toSorted()

describe('statements of lists', () => {
  it.each(paths)('run on the migrated schema with every filter and sort: %s', async (path) => {
    for (const [name, list] of await listsIn(join(modules, path)))
      await runEveryPart(list).catch((error) => {
        throw new Error(`${name} ${error.message}`)
      })
  })

  it.each(apiViews)('run on the migrated schema with the columns of an export: requisitions %s', async (view) => {
    const list = listForExport(requisitionList(view, actorOf('ADM'), query, namesByKey), exportFields(view))
    await listPage(test.db, list, query)
  })

  it('are found in the sources', async () => {
    const all = await Promise.all(paths.map((path) => listsIn(join(modules, path))))
    expect(new Set(all.flat().map(([name]) => name)).size).toBeGreaterThan(60)
  })
})

describe('statements of reports', () => {
  const reports: ReportDefinition[] = [
    ...definitions.QA,
    ...definitions.SUMMARY,
    adHocTests([1]),
    eventRequisitions(1, 1),
  ]
  it.each(reports)('run on the migrated schema for every kind of scope: $code', async (definition) => {
    for (const role of roles)
      await runReport(test.db, definition, { actor: actorOf(role), from: '2026-01-01', to: '2026-01-31' })
  })
})
