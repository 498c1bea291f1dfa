import { z } from 'zod'
import { roles } from './access/roles.ts'
import { page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get } from './kit/route.ts'
import { flag01 } from './validation.ts'

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.number().int()
const sortOrder = z.number().int()
const limit = z.number().nullable()

const lovRow = z.object({
  code: z.string(),
  description: z.string(),
  sortOrder,
  /** The preset value of forms. */
  isDefault: flag01,
  shortKeyCode: z.string().nullish(),
})
const reasonBase = z.object({ id, reasonId: id, scope: z.enum(['REQ', 'TEST', 'BOTH']), sortOrder })
const passReasonRow = reasonBase.extend({
  reasonTypeCode: z.literal('PASS'),
  passCode: z.string(),
  passDesc: z.string(),
})
const failReasonRow = reasonBase.extend({
  reasonTypeCode: z.literal('FAIL'),
  failCode: z.string(),
  failDesc: z.string(),
})
const labRow = z.object({ id, labCode: z.string(), labName: z.string(), labTz: z.string(), isDefault: flag01 })
const countryRow = z.object({ id, countryCode: z.string(), countryLongName: z.string() })
const stateRow = z.object({ id, countryId: id, stateCode: z.string(), stateLongname: z.string() })
const flagRow = z.object({ id, flagCode: z.string(), flagDesc: z.string(), color: z.string() })
/** `id` and `deptId` are the same number: the specification uses both. */
const deptRow = z.object({ id, deptId: id, deptCode: z.string(), deptName: z.string() })
const issueTypeRow = z.object({
  id,
  issueCode: z.string(),
  issueDesc: z.string(),
  /** The departments preset by the form. */
  reporterDeptId: id.nullable(),
  resolverDeptId: id.nullable(),
})
const reqStatusTypeRow = z.object({
  reqStatusCode: z.string(),
  reqStatusDesc: z.string(),
  /** 'Billed' for every billing stage. */
  displayGroup: z.string(),
  listTab: z.string(),
  sortOrder,
})
const labNoteTypeRow = z.object({ id, labNoteTypeCode: z.string(), labNoteTypeDesc: z.string() })
const insuranceCompanyRow = z.object({
  id,
  insuranceCompany: z.string(),
  insuranceCompanyNo: z.string().nullable(),
})
const icdRow = z.object({ id, icdCode: z.string(), icdDesc: z.string() })
/** A test with the ranges that a collaborator's own range starts from. */
export const defaultTestRow = z.object({
  id,
  testId: id,
  testCode: z.string(),
  testDesc: z.string(),
  units: z.string().nullable(),
  significantDigits: z.number().int(),
  isCalculated: flag01,
  reportLo: limit,
  reportHi: limit,
  mNormalLo: limit,
  mNormalHi: limit,
  mBorderLo: limit,
  mBorderHi: limit,
  mUnfavLo: limit,
  mUnfavHi: limit,
  fNormalLo: limit,
  fNormalHi: limit,
  fBorderLo: limit,
  fBorderHi: limit,
  fUnfavLo: limit,
  fUnfavHi: limit,
})
const programRow = z.object({ id, programCode: z.string(), programName: z.string(), isDefault: flag01 })
const roleRow = z.object({
  userRoleCode: z.enum(roles),
  userRoleDesc: z.string(),
  /** Which picker the user form shows; null for roles without an entity. */
  entityType: z.enum(['LAB', 'COLLABORATOR', 'CLIENT', 'PHYSICIAN', 'SALES']).nullable(),
})

// Options from the lists of other resources; their own schemas extend these.
export const collaboratorOption = z.object({ id, colaName: z.string() })
export const salesOption = z.object({
  id,
  salesFirstName: z.string(),
  salesLastName: z.string(),
  salesRepCode: z.string().nullable(),
  salesTypeCode: z.enum(['SLS', 'SVC']),
})
export const clientOption = z.object({ id, legacyClientId: z.string(), clientName: z.string() })
export const physicianOption = z.object({ id, physFirstName: z.string(), physLastName: z.string() })
const orderingPhysician = physicianOption.extend({ clientPhysId: id })
export const clientLabOption = z.object({ id, labCode: z.string(), labName: z.string() })
export const eventOption = z.object({ id, eventName: z.string(), programId: id.nullable() })
export const freezerOption = z.object({ sampleStorageCode: z.string(), sampleStorageDesc: z.string() })
export const shelfOption = z.object({ shelf: z.string() })
export const rackOption = z.object({ rack: z.string() })
export const boxOption = z.object({ box: z.string() })

// ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────────

type Row = z.ZodObject
type Key<R extends Row> = Extract<keyof z.infer<R>, string>

/** A lookup list: its path, and which fields are the value and the text (joined by a space). */
export interface Lookup<R extends Row = Row> {
  path: string
  row: R
  value: Key<R>
  label: readonly Key<R>[]
}

const lookup = <R extends Row>(path: string, row: R, value: Key<R>, ...label: Key<R>[]): Lookup<R> => ({
  path,
  row,
  value,
  label,
})

/** The types of `lovs/{type}`: those the specification reads, then code sets that it names without a call. */
const lovs = {
  portalPref: 'PORTALPREF',
  clientReqType: 'CLIENTREQTYPE',
  transmitMethod: 'TRANSMITMETHOD',
  billType: 'BILLTYPE',
  salesType: 'SALESTYPE',
  weightUom: 'WEIGHTUOM',
  heightUom: 'HEIGHTUOM',
  famHistT2D: 'FAMHISTT2D',
  collectionMethod: 'COLLECTIONMETHOD',
  race: 'RACE',
  ethnicity: 'ETHNICITY',
  specimenType: 'SPECIMENTYPE',
  temperatureType: 'TEMPERATURETYPE',
  containerType: 'CONTAINERTYPE',
  specLocType: 'SPECLOCTYPE',
  sampleSize: 'SAMPLESIZE',
  relationType: 'RELATIONTYPE',
  reqBillType: 'REQBILLTYPE',
  paymentType: 'PAYMENTTYPE',
  payerType: 'PAYERTYPE',
  issueStatus: 'ISSUESTATUS',
  labQcStatus: 'LABQCSTATUS',
  reportNameFormat: 'REPORTNAMEFORMAT',
  reportDeliverTo: 'REPORTDELIVERTO',
  idPrintOut: 'IDPRINTOUT',
  currency: 'CURRENCY',
  batchType: 'BATCHTYPE',
  loadFileType: 'LOADFILETYPE',
  // Filters read these by code; forms read `reasons` and `lab_note_types` by id (LOOK-G3, LOOK-G4).
  passCode: 'PASSCODE',
  failCode: 'FAILCODE',
  labNote: 'LABNOTE',
  testCode: 'TESTCODE',
  testCombo: 'TESTCOMBO',
  // Named without a call, from here on.
  gender: 'GENDER',
  docType: 'DOCTYPE',
  reasonType: 'REASONTYPE',
  userStatus: 'USERSTATUS',
  reportLoadStatus: 'REPORTLOADSTATUS',
  billingOrder: 'BILLINGORDER',
  billSendStatus: 'BILLSENDSTATUS',
  reqAction: 'REQACTION',
  physTitle: 'PHYSTITLE',
  salesTitle: 'SALESTITLE',
} as const

export type LovType = (typeof lovs)[keyof typeof lovs]
export const lovTypes = Object.values(lovs)

const lovLookups = Object.fromEntries(
  Object.entries(lovs).map(([name, type]) => [name, lookup(`lovs/${type}`, lovRow, 'code', 'description')]),
) as Record<keyof typeof lovs, Lookup<typeof lovRow>>

const freezers = 'labs/:labId/dd_freezer'
const shelves = `${freezers}/:freezer/dd_shelf`
const racks = `${shelves}/:shelf/dd_rack`
const boxes = `${racks}/:rack/dd_box`

export const lookups = {
  ...lovLookups,
  passReasons: lookup('reasons/PASS', passReasonRow, 'reasonId', 'passCode', 'passDesc'),
  failReasons: lookup('reasons/FAIL', failReasonRow, 'reasonId', 'failCode', 'failDesc'),
  labs: lookup('labs', labRow, 'id', 'labName'),
  countries: lookup('countries', countryRow, 'id', 'countryLongName'),
  states: lookup('states', stateRow, 'id', 'stateLongname'),
  countryStates: lookup('countries/:id/states', stateRow, 'id', 'stateLongname'),
  flags: lookup('flags', flagRow, 'id', 'flagDesc'),
  depts: lookup('depts', deptRow, 'deptId', 'deptName'),
  issueTypes: lookup('issue_types', issueTypeRow, 'issueCode', 'issueDesc'),
  reqStatusTypes: lookup('req_status_types', reqStatusTypeRow, 'reqStatusCode', 'reqStatusDesc'),
  labNoteTypes: lookup('lab_note_types', labNoteTypeRow, 'id', 'labNoteTypeDesc'),
  insuranceCompanies: lookup('ins_co', insuranceCompanyRow, 'insuranceCompany', 'insuranceCompany'),
  icds: lookup('icds', icdRow, 'id', 'icdCode', 'icdDesc'),
  defaultTests: lookup('default_tests', defaultTestRow, 'testId', 'testCode', 'testDesc'),
  programs: lookup('programs', programRow, 'id', 'programName'),
  roles: lookup('roles', roleRow, 'userRoleCode', 'userRoleDesc'),

  // Lists of other resources, used as options. Users without their '.read' permission get only these fields.
  collaborators: lookup('collaborators', collaboratorOption, 'id', 'colaName'),
  sales: lookup('sales', salesOption, 'id', 'salesFirstName', 'salesLastName'),
  clients: lookup('clients', clientOption, 'id', 'clientName'),
  physicians: lookup('physicians', physicianOption, 'id', 'physFirstName', 'physLastName'),
  filterClients: lookup('filter_dd/clients', clientOption, 'id', 'clientName'),
  filterPhysicians: lookup('filter_dd/physicians', physicianOption, 'id', 'physFirstName', 'physLastName'),
  clientLabs: lookup('clients/:id/labs', clientLabOption, 'id', 'labName'),
  // Orders refer to the pair of client and physician.
  clientPhysicians: lookup(
    'clients/:id/physicians',
    orderingPhysician,
    'clientPhysId',
    'physFirstName',
    'physLastName',
  ),
  clientEvents: lookup('clients/:id/events', eventOption, 'id', 'eventName'),
  freezers: lookup(freezers, freezerOption, 'sampleStorageCode', 'sampleStorageDesc'),
  shelves: lookup(shelves, shelfOption, 'shelf', 'shelf'),
  racks: lookup(racks, rackOption, 'rack', 'rack'),
  boxes: lookup(boxes, boxOption, 'box', 'box'),
}

export type LookupName = keyof typeof lookups

export interface Option {
  value: string | number
  label: string
  shortKeyCode?: string
}

/** A row as a select option. */
export const toOption = ({ value, label }: Pick<Lookup, 'value' | 'label'>, row: Record<string, unknown>): Option => ({
  value: row[value] as string | number,
  label: label.map((key) => row[key]).join(' '),
  ...(typeof row.shortKeyCode === 'string' && { shortKeyCode: row.shortKeyCode }),
})

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every field can be sorted and filtered; without `perPage` all rows are returned. */
const options = <R extends Row>(row: R, hasAsOf = false) => {
  const fields = Object.keys(row.shape)
  return {
    access: 'lookups.read' as const,
    cache: 'revalidate' as const,
    query: listQuery({ sort: fields, filter: fields, defaultPerPage: -1, hasAsOf }),
    reply: page(row),
  }
}

/** The lookups that belong to no other resource. */
export const lookupRoutes = {
  lovs: get('lovs/:type', { ...options(lovRow), params: z.object({ type: z.enum(lovTypes) }) }),
  passReasons: get('reasons/PASS', options(passReasonRow)),
  failReasons: get('reasons/FAIL', options(failReasonRow)),
  labs: get('labs', options(labRow)),
  countries: get('countries', options(countryRow)),
  countryStates: get('countries/:id/states', { ...options(stateRow), params: byId }),
  states: get('states', options(stateRow)),
  flags: get('flags', options(flagRow)),
  depts: get('depts', options(deptRow)),
  issueTypes: get('issue_types', options(issueTypeRow)),
  reqStatusTypes: get('req_status_types', options(reqStatusTypeRow)),
  labNoteTypes: get('lab_note_types', options(labNoteTypeRow)),
  insuranceCompanies: get('ins_co', options(insuranceCompanyRow)),
  // Thousands of rows, so paged; `q` searches code and description at once.
  icds: get('icds', {
    access: 'lookups.read',
    cache: 'revalidate',
    query: listQuery({ sort: ['icdCode', 'icdDesc'], filter: ['id', 'q', 'icdCode', 'icdDesc'], defaultPerPage: 25 }),
    reply: page(icdRow),
  }),
  defaultTests: get('default_tests', options(defaultTestRow, true)),
  programs: get('programs', options(programRow)),
  roles: get('roles', options(roleRow)),
}
