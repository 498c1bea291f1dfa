import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import type { Db } from '../../platform/db/db.ts'
import { implement } from '../../platform/http/implement.ts'
import type { JsonText } from '../../platform/http/json-text.ts'
import { type ListDefinition, listPage } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import {
  countryList,
  defaultTestList,
  deptList,
  flagList,
  icdList,
  insuranceCompanyList,
  issueTypeList,
  labList,
  labNoteTypeList,
  lovList,
  programList,
  reasonList,
  roleList,
  stateList,
  statusTypeList,
} from './lists.ts'

interface Reading {
  db: Db
  query: ListQuery
  services: Services
}

const cacheMs = 5_000
const maxCachedPages = 500
const pages = new WeakMap<Services, Map<string, { until: number; page: Promise<JsonText> }>>()

/**
 * Lists that only an upgrade changes. Every form asks for them and all users get the same, so a page is cached for some seconds. Lists
 * that users can add to, such as ICD codes, are read each time.
 */
const cachedPage = ({ db, query, services }: Reading, name: string, list: ListDefinition): Promise<JsonText> => {
  const known = pages.get(services) ?? new Map<string, { until: number; page: Promise<JsonText> }>()
  pages.set(services, known)
  const key = `${name} ${JSON.stringify(query)}`
  const cached = known.get(key)
  if (cached && cached.until > Date.now()) return cached.page
  if (known.size >= maxCachedPages) known.clear()
  const page = listPage(db, list, query)
  known.set(key, { until: Date.now() + cacheMs, page })
  // A failure is not cached: the next attempt may succeed.
  page.catch(() => known.delete(key))
  return page
}

export const lookupsModule = implement(lookupRoutes, {
  lovs: (context) => cachedPage(context, `lovs/${context.params.type}`, lovList(context.params.type)),
  passReasons: (context) => cachedPage(context, 'PASS', reasonList('PASS')),
  failReasons: (context) => cachedPage(context, 'FAIL', reasonList('FAIL')),
  labs: (context) => cachedPage(context, 'labs', labList),
  countries: (context) => cachedPage(context, 'countries', countryList),
  countryStates: (context) => cachedPage(context, `states/${context.params.id}`, stateList(context.params.id)),
  states: (context) => cachedPage(context, 'states', stateList()),
  flags: (context) => cachedPage(context, 'flags', flagList),
  depts: (context) => cachedPage(context, 'depts', deptList),
  issueTypes: (context) => cachedPage(context, 'issueTypes', issueTypeList),
  reqStatusTypes: (context) => cachedPage(context, 'reqStatusTypes', statusTypeList),
  labNoteTypes: (context) => cachedPage(context, 'labNoteTypes', labNoteTypeList),
  insuranceCompanies: ({ db, query }) => listPage(db, insuranceCompanyList, query),
  icds: ({ db, query }) => listPage(db, icdList(query.filters.id !== undefined), query),
  defaultTests: (context) => cachedPage(context, 'defaultTests', defaultTestList(context.query.asOf)),
  programs: (context) => cachedPage(context, 'programs', programList),
  roles: (context) => cachedPage(context, 'roles', roleList),
})
