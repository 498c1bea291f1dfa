import { roleTable } from '@lis/contract/access/roles.ts'
import { displayStatus, requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { flag01 } from '../../platform/db/expressions.ts'
import { rowsAsOf } from '../../platform/db/rows-as-of.ts'
import { endOfHomeDay } from '../../platform/home-zone.ts'
import {
  type Condition,
  contains,
  escapeLike,
  isOneOf,
  isOneOfIds,
  type ListDefinition,
  type Sql,
} from '../../platform/lists.ts'

/** Lookups can be filtered by every field they show: ids by number, the rest by the exact text. */
const everyField = (fields: Record<string, Sql>): Record<string, Condition> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, expression]) => [
      name,
      /(^id|Id)$/.test(name) ? isOneOfIds(expression, name) : isOneOf(expression),
    ]),
  )

const lookup = (
  from: Sql,
  fields: Record<string, Sql>,
  defaultOrder: Sql,
  key: Sql,
  where: Sql[] = [],
): ListDefinition => ({
  from,
  where,
  fields,
  filter: everyField(fields),
  defaultOrder,
  key,
})

const id = sql`t.id`
const bySortOrder = sql`t.sort_order`

export const lovList = (type: string) =>
  lookup(
    sql`lov t`,
    {
      code: sql`t.code`,
      description: sql`t.description`,
      sortOrder: sql`t.sort_order`,
      isDefault: flag01(sql`t.is_default`),
      shortKeyCode: sql`t.short_key`,
    },
    bySortOrder,
    sql`t.code`,
    [sql`t.type_code = ${type}`, sql`t.is_active`],
  )

export const reasonList = (type: 'PASS' | 'FAIL') =>
  lookup(
    sql`reason t`,
    {
      id,
      reasonId: id,
      scope: sql`t.scope`,
      sortOrder: sql`t.sort_order`,
      reasonTypeCode: sql`t.type_code`,
      [type === 'PASS' ? 'passCode' : 'failCode']: sql`t.code`,
      [type === 'PASS' ? 'passDesc' : 'failDesc']: sql`t.description`,
    },
    bySortOrder,
    id,
    [sql`t.type_code = ${type}`, sql`t.is_active`],
  )

const stateFields = { id, countryId: sql`t.country_id`, stateCode: sql`t.code`, stateLongname: sql`t.long_name` }
export const stateList = (countryId?: number) =>
  lookup(
    sql`state t`,
    stateFields,
    sql`t.long_name`,
    id,
    countryId === undefined ? [] : [sql`t.country_id = ${countryId}::bigint`],
  )

export const labList = lookup(
  sql`lab t`,
  { id, labCode: sql`t.lab_code`, labName: sql`t.name`, labTz: sql`t.zone`, isDefault: flag01(sql`t.is_default`) },
  sql`t.name`,
  id,
  [sql`t.deleted_at is null`],
)
export const countryList = lookup(
  sql`country t`,
  { id, countryCode: sql`t.iso2`, countryLongName: sql`t.long_name` },
  sql`not exists (select from lab where lab.country_id = t.id and lab.deleted_at is null), t.long_name`,
  id,
)
export const flagList = lookup(
  sql`flag t`,
  { id, flagCode: sql`t.code`, flagDesc: sql`t.description`, color: sql`coalesce(t.color, '')` },
  bySortOrder,
  id,
)
export const deptList = lookup(
  sql`department t`,
  { id, deptId: id, deptCode: sql`t.code`, deptName: sql`t.name` },
  bySortOrder,
  id,
)
export const issueTypeList = lookup(
  sql`issue_type t`,
  {
    id,
    issueCode: sql`t.code`,
    issueDesc: sql`t.description`,
    reporterDeptId: sql`t.reporter_department_id`,
    resolverDeptId: sql`t.resolver_department_id`,
  },
  bySortOrder,
  id,
)
export const labNoteTypeList = lookup(
  sql`lab_note_type t`,
  { id, labNoteTypeCode: sql`t.code`, labNoteTypeDesc: sql`t.description` },
  bySortOrder,
  id,
)
export const insuranceCompanyList = lookup(
  sql`insurance_company t`,
  { id, insuranceCompany: sql`t.name`, insuranceCompanyNo: sql`t.payer_no` },
  sql`t.name`,
  id,
  [sql`t.deleted_at is null`],
)
export const programList = lookup(
  sql`program t`,
  { id, programCode: sql`t.code`, programName: sql`t.name`, isDefault: flag01(sql`t.is_default`) },
  bySortOrder,
  id,
)

const rangeColumns = ['report', 'm_normal', 'm_border', 'm_unfav', 'f_normal', 'f_border', 'f_unfav']
const wireName = (column: string, end: string) =>
  `${column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}${end}`
const ranges = Object.fromEntries(
  rangeColumns.flatMap((column) => [
    [wireName(column, 'Lo'), sql.raw(`t.${column}_lo`)],
    [wireName(column, 'Hi'), sql.raw(`t.${column}_hi`)],
  ]),
)
const defaultTestsFrom = (tests: Sql) =>
  lookup(
    tests,
    {
      id,
      testId: id,
      testCode: sql`t.code`,
      testDesc: sql`t.description`,
      units: sql`t.unit`,
      significantDigits: sql`t.significant_digits`,
      isCalculated: flag01(sql`t.is_calculated`),
      ...ranges,
    },
    bySortOrder,
    id,
    [sql`t.deleted_at is null`],
  )
/** The current catalogue, or that of an earlier day. */
export const defaultTestList = (asOf?: string) => defaultTestsFrom(rowsAsOf('test', 't', endOfHomeDay(asOf)))

// A code is typed with or without its dot; other text is words, each of which must occur in the description.
const icdSearch: Condition = (value) => {
  const text = String(value).trim()
  const bare = text.replace('.', '').toUpperCase()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8)
  const inDescription = sql.join(
    words.map((word) => sql`lower(t.description) like ${`%${escapeLike(word)}%`}`),
    sql` and `,
  )
  const inCode = sql`upper(replace(t.code, '.', '')) like ${`${escapeLike(bare)}%`}`
  return words.length === 0 ? sql`true` : sql`${inCode} or (${inDescription})`
}
/** A custom code belongs to the requisitions that have it: it is found by its id and not offered for selection. */
export const icdList = (isById: boolean): ListDefinition => ({
  from: sql`icd t`,
  where: [sql`t.is_active`, ...(isById ? [] : [sql`not t.is_custom`])],
  fields: { id, icdCode: sql`t.code`, icdDesc: sql`t.description` },
  filter: { id: isOneOfIds(id, 'id'), q: icdSearch, icdCode: icdSearch, icdDesc: contains(sql`t.description`) },
  defaultOrder: sql`t.code`,
  key: id,
  maxRows: 1000, // of 75,000: nobody chooses from more, the search narrows it
})

/** Codes that the program depends on are in the contract; they are served like any other list. */
const fixedRows = (rows: readonly object[], fields: readonly string[], order: Sql, key: Sql) =>
  lookup(
    sql`(select * from json_to_recordset(${JSON.stringify(rows)}::json) as x(${sql.join(fields.map((name) => sql`${sql.ref(name)} ${sql.raw(name === 'sortOrder' ? 'int' : 'text')}`))})) t`,
    Object.fromEntries(fields.map((name) => [name, sql`t.${sql.ref(name)}`])),
    order,
    key,
  )

export const roleList = fixedRows(
  roleTable,
  ['userRoleCode', 'userRoleDesc', 'entityType'],
  sql`t."userRoleDesc"`,
  sql`t."userRoleCode"`,
)
const statusRows = requisitionStatuses.map((status) => ({
  reqStatusCode: status.code,
  reqStatusDesc: status.description,
  displayGroup: displayStatus(status.code),
  listTab: status.tab,
  sortOrder: status.sortOrder,
}))
export const statusTypeList = fixedRows(
  statusRows,
  ['reqStatusCode', 'reqStatusDesc', 'displayGroup', 'listTab', 'sortOrder'],
  sql`t."sortOrder"`,
  sql`t."reqStatusCode"`,
)
