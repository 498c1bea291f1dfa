import { lookupRoutes } from '@lis/contract/lookups.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
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

export const lookupsModule = implement(lookupRoutes, {
  lovs: ({ db, params, query }) => listPage(db, lovList(params.type), query),
  passReasons: ({ db, query }) => listPage(db, reasonList('PASS'), query),
  failReasons: ({ db, query }) => listPage(db, reasonList('FAIL'), query),
  labs: ({ db, query }) => listPage(db, labList, query),
  countries: ({ db, query }) => listPage(db, countryList, query),
  countryStates: ({ db, params, query }) => listPage(db, stateList(params.id), query),
  states: ({ db, query }) => listPage(db, stateList(), query),
  flags: ({ db, query }) => listPage(db, flagList, query),
  depts: ({ db, query }) => listPage(db, deptList, query),
  issueTypes: ({ db, query }) => listPage(db, issueTypeList, query),
  reqStatusTypes: ({ db, query }) => listPage(db, statusTypeList, query),
  labNoteTypes: ({ db, query }) => listPage(db, labNoteTypeList, query),
  insuranceCompanies: ({ db, query }) => listPage(db, insuranceCompanyList, query),
  icds: ({ db, query }) => listPage(db, icdList, query),
  defaultTests: ({ db, query }) => listPage(db, defaultTestList, query),
  programs: ({ db, query }) => listPage(db, programList, query),
  roles: ({ db, query }) => listPage(db, roleList, query),
})
