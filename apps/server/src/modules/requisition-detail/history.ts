import { can } from '@lis/contract/access/permissions.ts'
import { superAdmins } from '@lis/contract/access/roles.ts'
import { feetAndInches, historyLabels } from '@lis/contract/clinical-history.ts'
import { documentTypesFor } from '@lis/contract/documents.ts'
import type { LovType } from '@lis/contract/lookups.ts'
import { patientLabels } from '@lis/contract/patients.ts'
import { labQcStatuses, reportLabels } from '@lis/contract/reports.ts'
import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import { isStatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isOneOf, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isIssueVisibleTo } from '../issues/queries.ts'
import { lookupDescription } from '../lookups/descriptions.ts'
import { isPatientInScope } from '../requisition-record/queries.ts'

/** Names of the audit's action codes: those of the list REQACTION and those of single cells. */
export const actionNames: Record<string, string> = {
  CREATE: 'Created',
  EDIT: 'Edited',
  STATUS: 'Status change',
  TEST: 'Tests changed',
  RESULT: 'Result saved',
  INSTRUMENT: 'Result of an instrument',
  REFLEX: 'Reflex test',
  QC: 'Quality control',
  CRITICAL: 'Critical value',
  SPECIMEN: 'Specimen changed',
  REPORT: 'Report changed',
  DELIVERY: 'Delivery',
  BILLING: 'Billing changed',
  DOC: 'Document changed',
  COPY: 'Duplicated',
  DELETE: 'Deleted',
  RESTORE: 'Restored',
  ISSUE: 'Issue changed',
  NOTE: 'Lab note added',
  DEMQC: 'Demographic QC',
  NOTIFY: 'Notify patient',
  PASS: 'Pass codes changed',
  FAIL: 'Fail codes changed',
  FLAG: 'Flags changed',
  SSN: 'SSN shown',
  LABEL: 'Labels printed',
  DOWNLOAD: 'Report downloaded',
  PLACE: 'Samples placed',
  DISCARD: 'Samples discarded',
  PULL: 'Samples pulled',
  REVIEWED: 'Results reviewed',
  MERGE: 'Patients merged',
}
/** Names that depend on the record that was changed. */
const actionNamesByEntity: Record<string, Record<string, string>> = {
  patient: { CREATE: 'Patient created', EDIT: 'Patient edited' },
  patient_history: { EDIT: 'Patient history edited' },
  document: { RESTORE: 'Document restored' },
  payment: { RESTORE: 'Payment restored' },
  insurance: { RESTORE: 'Insurance restored' },
  billing_note: { RESTORE: 'Billing note restored' },
}
/** Labels that were delivered as a file were not printed here. */
const labelActionName = (code: string, newData: unknown): string | undefined => {
  const { output } = factsOf(newData)
  return code === 'LABEL' && output !== undefined && output !== 'PRINTER' ? 'Labels downloaded' : undefined
}
/** Hidden in the history from those who may not see results. */
const resultActions = ['RESULT', 'TEST', 'REPORT', 'INSTRUMENT', 'REFLEX', 'CRITICAL', 'QC']

/** The history of a requisition, from the audit. */
export const requisitionHistoryList = (actor: Actor, requisitionId: number): ListDefinition => {
  const seesResults = can(actor.role, 'tests.seeResults')
  const seesAll = superAdmins.some((role) => role === actor.role)
  return {
    from: sql`audit_entry a`,
    where: [
      sql`a.requisition_id = ${requisitionId}::bigint`,
      sql`(a.entity <> 'document' or coalesce(a.new_data, a.old_data) ->> 'docTypeCode' = any(${documentTypesFor(actor.role)}::text[]))`,
      ...(seesAll ? [] : [isOfCurrentPatient(requisitionId), isOfReadableIssue(actor)]),
    ],
    fields: {
      id: sql`a.id`,
      modifiedDate: sql`a.at`,
      reqActionCode: sql`a.action`,
      entity: sql`a.entity`,
      modifiedByName: sql`a.actor_name`,
      reason: sql`a.reason`,
      newData: sql`a.new_data`,
      oldData: sql`a.old_data`,
      names: namesIn(actor),
      collectedTz: sql`(select collected_zone from requisition where id = a.requisition_id)`,
      visibility: seesAll ? sql`'all'` : visibilityOf(requisitionId),
      current: seesAll ? sql`null` : currentParties(requisitionId),
    },
    filter: { reqActionCode: isOneOf(sql`a.action`) },
    defaultOrder: sql`a.id desc`,
    key: sql`a.id`,
    finish: ({ newData, oldData, names, collectedTz, entity, visibility, current, ...row }) => {
      const code = String(row.reqActionCode)
      // The reason is hidden too: it may repeat a value.
      const isHidden = visibility === 'action' || (!seesResults && resultActions.includes(code))
      const facts = [factsOf(newData), visibility === 'all' ? factsOf(oldData) : {}] as const
      const [now, before] = differences(...(current ? withoutFormerParties(...facts, current as Data) : facts), {
        names: (names ?? {}) as Record<string, string>,
        collectedTz: String(collectedTz),
      })
      return {
        ...row,
        reason: isHidden ? null : row.reason,
        reqActionDesc:
          actionNamesByEntity[String(entity)]?.[code] ?? labelActionName(code, newData) ?? actionNames[code] ?? code,
        newData: isHidden ? [] : now,
        oldData: isHidden ? [] : before,
      }
    },
  }
}

// The present owner of a requisition must not learn to whom it was assigned by mistake before. The audit stores names as text, which no
// scope can check; where an entry may name a former patient or client, readers with a limited scope see the action only.

const isOfCurrentPatient = (requisitionId: number): Sql =>
  sql`(a.entity <> 'patient' or a.entity_id = (select patient_id from requisition where id = ${requisitionId}::bigint))`

/** Leaves out issues that the reader does not see on the Issues tab. */
const isOfReadableIssue = ({ role }: Actor): Sql =>
  sql`(a.entity not in ('issue', 'issue_work_log') or exists (select from issue i where ${isIssueVisibleTo(role)} and i.id =
    case a.entity when 'issue' then a.entity_id else (select w.issue_id from issue_work_log w where w.id = a.entity_id) end))`

/** 'action' before the last change of patient or client, 'new' (new values only) for that change itself, else 'all'. */
const visibilityOf = (requisitionId: number): Sql => {
  const lastChange = sql`(select max(t.id) from audit_entry t where t.requisition_id = ${requisitionId}::bigint and t.entity = 'requisition'
    and t.old_data ?| array['patientId', 'patientName', 'clientId', 'clientName'])`
  return sql`case when a.entity = 'patient' or a.action = 'STATUS' then 'all' when a.id < ${lastChange} then 'action' when a.id = ${lastChange} then 'new' else 'all' end`
}

/** Of parties outside the practice, readers see the current ones only. */
const currentParties = (requisitionId: number): Sql => sql`(
  select jsonb_build_object('colaId', r.collaborator_id, 'colaName', cola.name, 'copyToClientId', r.copy_to_client_id, 'copyToClientName', cc.name,
    'copyToClientPhysId', r.copy_client_physician_id, 'copyToPhysName', cp.last_name || ', ' || cp.first_name)
  from requisition r left join collaborator cola on cola.id = r.collaborator_id left join client cc on cc.id = r.copy_to_client_id
    left join physician cp on cp.id = r.copy_physician_id where r.id = ${requisitionId}::bigint)`

const withoutFormerParties = (now: Data, before: Data, current: Data): readonly [Data, Data] => [
  Object.fromEntries(Object.entries(now).filter(([field, value]) => !(field in current) || current[field] === value)),
  Object.fromEntries(Object.entries(before).filter(([field]) => !(field in current))),
]

/** The names behind the ids of an entry, by field and id; only names that the reader may see elsewhere. */
const namesIn = (actor: Actor): Sql => {
  const isKnown = (clientId: Sql) =>
    superAdmins.some((role) => role === actor.role) ? sql`true` : sql`${clientId} = any(${[...actor.scope.ids]}::int[])`
  const client = sql`(select name from client where id = k.value::int and ${isKnown(sql`id`)})`
  const physician = sql`(select p.last_name || ', ' || p.first_name from client_physician cp join physician p on p.id = cp.physician_id
    where cp.id = k.value::int and ${isKnown(sql`cp.client_id`)})`
  return sql`(
  select jsonb_object_agg(k.key || ' ' || k.value, named.name)
  from (select * from jsonb_each_text(${facts(sql`a.new_data`)}) union select * from jsonb_each_text(${facts(sql`a.old_data`)})) k
    cross join lateral (select case k.key
      when 'colaId' then (select name from collaborator where id = k.value::int)
      when 'clientId' then ${client}
      when 'copyToClientId' then ${client}
      when 'labId' then (select name from lab where id = k.value::int)
      when 'eventId' then (select name from client_event where id = k.value::int and ${isKnown(sql`client_id`)})
      when 'patientId' then (select p.last_name || ', ' || p.first_name from patient p where p.id = k.value::bigint and ${isPatientInScope(actor, sql`p.id`)})
      when 'orderingClientPhysId' then ${physician}
      when 'copyToClientPhysId' then ${physician}
      when 'reportId' then (select f.original_name from report r join report_version v on v.report_id = r.id and v.version_no = coalesce((a.new_data ->> 'versionNo')::int, r.current_version_no)
        join stored_file f on f.id = v.file_id where r.id = k.value::bigint and r.requisition_id = a.requisition_id)
      when 'patientGenderCode' then ${described('GENDER')}
      when 'patientRaceCode' then ${described('RACE')}
      when 'patientEthnicityCode' then ${described('ETHNICITY')}
      else case when k.key ~ '(^| )failCodes$' then ${reasons('FAIL')} when k.key ~ '(^| )passCodes$' then ${reasons('PASS')} end
    end as name where k.value ~ '^[0-9]{1,9}$' or k.key ~ '^patient[A-Z][a-z]+Code$' or k.key ~ '(^| )(fail|pass)Codes$') named
  where named.name is not null)`
}

// Deliveries were once recorded as lists.
const facts = (data: Sql) => sql`case jsonb_typeof(${data}) when 'object' then ${data} else '{}' end`
/** '901, 902' with what each code means. */
const reasons = (type: 'FAIL' | 'PASS') =>
  sql`(select string_agg(code || ' ' || description, ', ' order by code) from reason where type_code = ${type} and code = any(string_to_array(k.value, ', ')))`
const described = (type: LovType) => lookupDescription(type, sql`k.value`)

type Data = Record<string, unknown>
interface Context {
  /** By field and id. */
  names: Record<string, string>
  /** For entries that do not record the time zone of the collection. */
  collectedTz: string
}
interface Entry {
  key: string
  value: string
  zone?: string
}

/** The items of a list (as deliveries were once recorded) become numbered fields. */
const factsOf = (data: unknown): Data =>
  Array.isArray(data)
    ? Object.fromEntries(data.map((item, index) => [`Delivery ${index + 1}`, Object.values(item).join(', ')]))
    : ((data ?? {}) as Data)

/** Only fields that differ. */
const differences = (now: Data, before: Data, { names, collectedTz }: Context): [Entry[], Entry[]] => {
  const isSame = (field: string) => JSON.stringify(now[field] ?? null) === JSON.stringify(before[field] ?? null)
  const entries = (data: Data) =>
    Object.entries(data)
      .filter(([field, value]) => !isSame(field) && value !== null && value !== '' && !/sha256/i.test(field))
      // A code or id is left out if its name is there too.
      .filter(
        ([field]) =>
          ![field.replace(/Code$/, 'Desc'), field.replace(/Id$/, 'Name')].some(
            (name) => name !== field && name in data,
          ),
      )
      .map(([field, value]) => ({
        key: labelOf(field),
        value: names[`${field} ${value}`] ?? printed(field, value),
        ...(field === 'dateCollected' && { zone: String(data.collectedTz ?? collectedTz) }),
      }))
  return [entries(now), entries(before)]
}

const labels: Record<string, string> = {
  ...requisitionLabels,
  ...patientLabels,
  ...historyLabels,
  patientId: 'Patient',
  patientName: 'Patient',
  patientRecord: 'Patient ID',
  patientState: patientLabels.patientStateId,
  patientCountry: patientLabels.patientCountryId,
  famHistT2DDesc: historyLabels.famHistT2DCode,
  heightInches: 'Height',
  heightCm: 'Height',
  clientName: requisitionLabels.clientId,
  colaName: requisitionLabels.colaId,
  physName: 'Ordering Physician',
  eventName: requisitionLabels.eventId,
  labName: requisitionLabels.labId,
  copyToClientName: requisitionLabels.copyToClientId,
  copyToPhysName: requisitionLabels.copyToClientPhysId,
  collectDesc: requisitionLabels.collectCode,
  collectedTz: 'Time zone',
  sourceReqId: 'Copy of',
  reqStatusCode: 'Status',
  docTypeCode: 'Document Type',
  docOriginalFileName: 'File Name',
  isDemQcPass: 'Demographic QC',
  isSendNotif: 'Notify Patient',
  legacyIcdNote: 'Client ICD Notes',
  versionNo: 'Version',
  transmitMethod: 'Delivery Method',
  labQcStatusCode: reportLabels.labQcStatusCode,
}

/** `patientFirstName` becomes 'Patient First Name'; technical endings are dropped. */
const labelOf = (field: string): string =>
  labels[field] ??
  field
    .replace(/(?<=.)(Desc|Code|Id)$/, '')
    .replace(/^(is|req)(?=[A-Z])/, '')
    .replace(/(?<= )[a-z]/, (letter) => letter.toUpperCase())
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/^./, (letter) => letter.toUpperCase())

const printed = (field: string, value: unknown): string => {
  if (field === 'reqStatusCode' && isStatusCode(value)) return statusOf(value).description
  if (field === 'patientDob') return String(value).replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1')
  if (field === 'labQcStatusCode') return (labQcStatuses as Data)[String(value)]?.toString() ?? String(value)
  if (field === 'sourceReqId') return `#${value}`
  if (field === 'heightCm') return `${value} cm`
  if (field === 'heightInches') {
    const { feet, inches } = feetAndInches(Number(value))
    return `${feet} ft ${inches} in`
  }
  if (/^is[A-Z]/.test(field) && (value === 0 || value === 1)) return value === 1 ? 'Yes' : 'No'
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('; ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
