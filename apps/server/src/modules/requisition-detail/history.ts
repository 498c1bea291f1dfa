import { can } from '@lis/contract/access/permissions.ts'
import { superAdmins } from '@lis/contract/access/roles.ts'
import { feetAndInches, historyLabels } from '@lis/contract/clinical-history.ts'
import { documentTypesFor } from '@lis/contract/documents.ts'
import { patientLabels } from '@lis/contract/patients.ts'
import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import { isStatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isOneOf, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isIssueVisibleTo } from '../issues/queries.ts'
import { isPatientInScope } from '../requisition-record/queries.ts'

/** What the audit calls a deed, in words; codes of the list REQACTION and those of single cells. */
const deeds: Record<string, string> = {
  CREATE: 'Created',
  EDIT: 'Edited',
  STATUS: 'Status change',
  TEST: 'Tests changed',
  RESULT: 'Result saved',
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
}
/** The same deed is another one when it was done to the patient, or to a part of the requisition. */
const deedsTo: Record<string, Record<string, string>> = {
  patient: { CREATE: 'Patient created', EDIT: 'Patient edited' },
  patient_history: { EDIT: 'Patient history edited' },
  document: { RESTORE: 'Document restored' },
  payment: { RESTORE: 'Payment restored' },
  insurance: { RESTORE: 'Insurance restored' },
  billing_note: { RESTORE: 'Billing note restored' },
}
/** Labels that came as a file were not printed by us. */
const deedOfLabels = (code: string, newData: unknown): string | undefined => {
  const { output } = factsOf(newData)
  return code === 'LABEL' && output !== undefined && output !== 'PRINTER' ? 'Labels downloaded' : undefined
}
/** What sales must not read elsewhere, the history does not tell them either. */
const results = ['RESULT', 'TEST', 'REPORT']

/** Everything that happened to a requisition, from the audit. */
export const historyOfRequisition = (actor: Actor, requisitionId: number): ListDefinition => {
  const seesResults = can(actor.role, 'tests.seeResults')
  const seesAll = superAdmins.some((role) => role === actor.role)
  return {
    from: sql`audit_entry a`,
    where: [
      sql`a.requisition_id = ${requisitionId}::bigint`,
      sql`(a.entity <> 'document' or coalesce(a.new_data, a.old_data) ->> 'docTypeCode' = any(${documentTypesFor(actor.role)}::text[]))`,
      ...(seesAll ? [] : [isOfPresentPatient(requisitionId), isOfReadableIssue(actor)]),
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
      sight: seesAll ? sql`'all'` : sightOf(requisitionId),
      present: seesAll ? sql`null` : presentNames(requisitionId),
    },
    filter: { reqActionCode: isOneOf(sql`a.action`) },
    defaultOrder: sql`a.id desc`,
    key: sql`a.id`,
    finish: ({ newData, oldData, names, entity, sight, present, ...row }) => {
      const code = String(row.reqActionCode)
      // Not the reason either: it may repeat what was typed.
      const isHidden = sight === 'deed' || (!seesResults && results.includes(code))
      const facts = [factsOf(newData), sight === 'all' ? factsOf(oldData) : {}] as const
      const [now, before] = changed(
        ...(present ? withoutFormer(...facts, present as Data) : facts),
        (names ?? {}) as Names,
      )
      return {
        ...row,
        reason: isHidden ? null : row.reason,
        reqActionDesc: deedsTo[String(entity)]?.[code] ?? deedOfLabels(code, newData) ?? deeds[code] ?? code,
        newData: isHidden ? [] : now,
        oldData: isHidden ? [] : before,
      }
    },
  }
}

// Whose a requisition was by mistake is nobody's business whose it is now. The audit tells it in words, so that nobody can ask whether
// the reader knows the one who is named; where it may be somebody else, a reader with a scope of their own is told the deed alone.

const isOfPresentPatient = (requisitionId: number): Sql =>
  sql`(a.entity <> 'patient' or a.entity_id = (select patient_id from requisition where id = ${requisitionId}::bigint))`

/** An issue that the reader does not find on its tab. */
const isOfReadableIssue = ({ role }: Actor): Sql =>
  sql`(a.entity not in ('issue', 'issue_work_log') or exists (select from issue i where ${isIssueVisibleTo(role)} and i.id =
    case a.entity when 'issue' then a.entity_id else (select w.issue_id from issue_work_log w where w.id = a.entity_id) end))`

/** 'all', 'now' where it was given to its present patient or practice, and 'deed' for what is older than that. */
const sightOf = (requisitionId: number): Sql => {
  const turn = sql`(select max(t.id) from audit_entry t where t.requisition_id = ${requisitionId}::bigint and t.entity = 'requisition'
    and t.old_data ?| array['patientId', 'patientName', 'clientId', 'clientName'])`
  return sql`case when a.entity = 'patient' or a.action = 'STATUS' then 'all' when a.id < ${turn} then 'deed' when a.id = ${turn} then 'now' else 'all' end`
}

/** Those whom the practice does not choose from its own: only as they are now. */
const presentNames = (requisitionId: number): Sql => sql`(
  select jsonb_build_object('colaId', r.collaborator_id, 'colaName', cola.name, 'copyToClientId', r.copy_to_client_id, 'copyToClientName', cc.name,
    'copyToClientPhysId', r.copy_client_physician_id, 'copyToPhysName', cp.last_name || ', ' || cp.first_name)
  from requisition r left join collaborator cola on cola.id = r.collaborator_id left join client cc on cc.id = r.copy_to_client_id
    left join physician cp on cp.id = r.copy_physician_id where r.id = ${requisitionId}::bigint)`

const withoutFormer = (now: Data, before: Data, present: Data): readonly [Data, Data] => [
  Object.fromEntries(Object.entries(now).filter(([field, value]) => !(field in present) || present[field] === value)),
  Object.fromEntries(Object.entries(before).filter(([field]) => !(field in present))),
]

/** What the ids of an entry stand for, by field and id: people read names, but none that they may not know from elsewhere. */
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
    end as name where k.value ~ '^[0-9]{1,9}$' or k.key ~ '^patient[A-Z][a-z]+Code$') named
  where named.name is not null)`
}

// Deliveries were once recorded as lists.
const facts = (data: Sql) => sql`case jsonb_typeof(${data}) when 'object' then ${data} else '{}' end`
const described = (type: string) => sql`(select description from lov where type_code = ${type} and code = k.value)`

type Data = Record<string, unknown>
type Names = Record<string, string>
interface Entry {
  key: string
  value: string
}

/** Of a list (deliveries were once recorded so) each part, told apart by its place. */
const factsOf = (data: unknown): Data =>
  Array.isArray(data)
    ? Object.fromEntries(data.map((part, place) => [`Delivery ${place + 1}`, Object.values(part).join(', ')]))
    : ((data ?? {}) as Data)

/** Only what differs is worth reading; what is the same on both sides is left out. */
const changed = (now: Data, before: Data, names: Names): [Entry[], Entry[]] => {
  const isSame = (field: string) => JSON.stringify(now[field] ?? null) === JSON.stringify(before[field] ?? null)
  const entries = (data: Data) =>
    Object.entries(data)
      .filter(([field, value]) => !isSame(field) && value !== null && value !== '' && !/sha256/i.test(field))
      // Beside its words a code or number says nothing.
      .filter(
        ([field]) =>
          ![field.replace(/Code$/, 'Desc'), field.replace(/Id$/, 'Name')].some(
            (words) => words !== field && words in data,
          ),
      )
      .map(([field, value]) => ({ key: labelOf(field), value: names[`${field} ${value}`] ?? printed(field, value) }))
  return [entries(now), entries(before)]
}

const labels: Record<string, string> = {
  ...requisitionLabels,
  ...patientLabels,
  ...historyLabels,
  patientId: 'Patient',
  patientName: 'Patient',
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
}

/** `patientFirstName` reads 'Patient First Name'; ends that only machines need are dropped. */
const labelOf = (field: string): string =>
  labels[field] ??
  field
    .replace(/(?<=.)(Desc|Code|Id)$/, '')
    .replace(/^(is|req)(?=[A-Z])/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/^./, (letter) => letter.toUpperCase())

const printed = (field: string, value: unknown): string => {
  if (field === 'reqStatusCode' && isStatusCode(value)) return statusOf(value).description
  if (field === 'patientDob') return String(value).replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1')
  if (field === 'sourceReqId') return `#${value}`
  if (field === 'heightCm') return `${value} cm`
  if (field === 'heightInches') {
    const { feet, inches } = feetAndInches(Number(value))
    return `${feet} ft ${inches} in`
  }
  if (/^is[A-Z]/.test(field) && (value === 0 || value === 1)) return value === 1 ? 'Yes' : 'No'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
