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

const rememberMs = 5_000
const most = 500
const pages = new WeakMap<Services, Map<string, { until: number; page: Promise<JsonText> }>>()

/**
 * Lists that nobody changes in the product, only an upgrade does: every form asks for them all day and everybody gets the same, so
 * a page is kept for some seconds. What can grow by work, such as ICD codes, is read each time.
 */
const fixed = ({ db, query, services }: Reading, name: string, list: ListDefinition): Promise<JsonText> => {
  const known = pages.get(services) ?? new Map<string, { until: number; page: Promise<JsonText> }>()
  pages.set(services, known)
  const key = `${name} ${JSON.stringify(query)}`
  const kept = known.get(key)
  if (kept && kept.until > Date.now()) return kept.page
  if (known.size >= most) known.clear()
  const page = listPage(db, list, query)
  known.set(key, { until: Date.now() + rememberMs, page })
  // A failure is not kept: the next one may succeed.
  page.catch(() => known.delete(key))
  return page
}

export const lookupsModule = implement(lookupRoutes, {
  lovs: (context) => fixed(context, `lovs/${context.params.type}`, lovList(context.params.type)),
  passReasons: (context) => fixed(context, 'PASS', reasonList('PASS')),
  failReasons: (context) => fixed(context, 'FAIL', reasonList('FAIL')),
  labs: (context) => fixed(context, 'labs', labList),
  countries: (context) => fixed(context, 'countries', countryList),
  countryStates: (context) => fixed(context, `states/${context.params.id}`, stateList(context.params.id)),
  states: (context) => fixed(context, 'states', stateList()),
  flags: (context) => fixed(context, 'flags', flagList),
  depts: (context) => fixed(context, 'depts', deptList),
  issueTypes: (context) => fixed(context, 'issueTypes', issueTypeList),
  reqStatusTypes: (context) => fixed(context, 'reqStatusTypes', statusTypeList),
  labNoteTypes: (context) => fixed(context, 'labNoteTypes', labNoteTypeList),
  insuranceCompanies: ({ db, query }) => listPage(db, insuranceCompanyList, query),
  icds: ({ db, query }) => listPage(db, icdList(query.filters.id !== undefined), query),
  defaultTests: (context) => fixed(context, 'defaultTests', defaultTestList),
  programs: (context) => fixed(context, 'programs', programList),
  roles: (context) => fixed(context, 'roles', roleList),
})
