import { can } from '@lis/contract/access/permissions.ts'
import { superAdmins } from '@lis/contract/access/roles.ts'
import { documentTypesFor } from '@lis/contract/documents.ts'
import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import { isStatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isOneOf, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isPatientInScope } from './queries.ts'

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
  ISSUE: 'Issue changed',
  NOTE: 'Lab note added',
  DEMQC: 'Demographic QC',
  NOTIFY: 'Notify patient',
  PASS: 'Pass codes changed',
  FAIL: 'Fail codes changed',
  FLAG: 'Flags changed',
  SSN: 'SSN shown',
}
/** What sales must not read elsewhere, the history does not tell them either. */
const results = ['RESULT', 'TEST', 'REPORT']

/** Everything that happened to a requisition, from the audit. */
export const historyOfRequisition = (actor: Actor, requisitionId: number): ListDefinition => {
  const seesResults = can(actor.role, 'tests.seeResults')
  return {
    from: sql`audit_entry a`,
    where: [
      sql`a.requisition_id = ${requisitionId}::bigint`,
      sql`(a.entity <> 'document' or coalesce(a.new_data, a.old_data) ->> 'docTypeCode' = any(${documentTypesFor(actor.role)}::text[]))`,
    ],
    fields: {
      id: sql`a.id`,
      modifiedDate: sql`a.at`,
      reqActionCode: sql`a.action`,
      modifiedByName: sql`a.actor_name`,
      reason: sql`a.reason`,
      newData: sql`a.new_data`,
      oldData: sql`a.old_data`,
      names: namesIn(actor),
    },
    filter: { reqActionCode: isOneOf(sql`a.action`) },
    defaultOrder: sql`a.id desc`,
    key: sql`a.id`,
    finish: ({ newData, oldData, names, ...row }) => {
      const code = String(row.reqActionCode)
      const isHidden = !seesResults && results.includes(code)
      const [now, before] = changed((newData ?? {}) as Data, (oldData ?? {}) as Data, (names ?? {}) as Names)
      return {
        ...row,
        reqActionDesc: deeds[code] ?? code,
        newData: isHidden ? [] : now,
        oldData: isHidden ? [] : before,
      }
    },
  }
}

/** What the ids of an entry stand for, by field and id: people read names, but none that they may not know from elsewhere. */
const namesIn = (actor: Actor): Sql => {
  const isKnown = (clientId: Sql) =>
    superAdmins.some((role) => role === actor.role) ? sql`true` : sql`${clientId} = any(${[...actor.scope.ids]}::int[])`
  const client = sql`(select name from client where id = k.value::int and ${isKnown(sql`id`)})`
  const physician = sql`(select p.last_name || ', ' || p.first_name from client_physician cp join physician p on p.id = cp.physician_id
    where cp.id = k.value::int and ${isKnown(sql`cp.client_id`)})`
  return sql`(
  select jsonb_object_agg(k.key || ' ' || k.value, named.name)
  from (select * from jsonb_each_text(coalesce(a.new_data, '{}')) union select * from jsonb_each_text(coalesce(a.old_data, '{}'))) k
    cross join lateral (select case k.key
      when 'colaId' then (select name from collaborator where id = k.value::int)
      when 'clientId' then ${client}
      when 'copyToClientId' then ${client}
      when 'labId' then (select name from lab where id = k.value::int)
      when 'eventId' then (select name from client_event where id = k.value::int and ${isKnown(sql`client_id`)})
      when 'patientId' then (select p.last_name || ', ' || p.first_name from patient p where p.id = k.value::bigint and ${isPatientInScope(actor, sql`p.id`)})
      when 'orderingClientPhysId' then ${physician}
      when 'copyToClientPhysId' then ${physician}
    end as name where k.value ~ '^[0-9]{1,9}$') named
  where named.name is not null)`
}

type Data = Record<string, unknown>
type Names = Record<string, string>
interface Entry {
  key: string
  value: string
}

/** Only what differs is worth reading; what is the same on both sides is left out. */
const changed = (now: Data, before: Data, names: Names): [Entry[], Entry[]] => {
  const isSame = (field: string) => JSON.stringify(now[field] ?? null) === JSON.stringify(before[field] ?? null)
  const entries = (data: Data) =>
    Object.entries(data)
      .filter(([field, value]) => !isSame(field) && value !== null && value !== '' && !/sha256/i.test(field))
      .map(([field, value]) => ({ key: labelOf(field), value: names[`${field} ${value}`] ?? printed(field, value) }))
  return [entries(now), entries(before)]
}

const labels: Record<string, string> = {
  ...requisitionLabels,
  patientId: 'Patient',
  reqStatusCode: 'Status',
  docTypeCode: 'Document Type',
  docOriginalFileName: 'File Name',
  isDemQcPass: 'Demographic QC',
  isSendNotif: 'Notify Patient',
  legacyIcdNote: 'Client ICD Notes',
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
  if (/^is[A-Z]/.test(field) && (value === 0 || value === 1)) return value === 1 ? 'Yes' : 'No'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
