import {
  type CodeInput,
  type InterfaceInput,
  type InterfacePartner,
  type InterfaceUpdate,
  interfaceLabels,
  type PartnerCode,
} from '@lis/contract/interfaces.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict, invalid, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { lockOwner } from '../clients/owner.ts'
import { findPartner, listCodes } from './partner-queries.ts'

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'interface_partner', entityId: id, ...record })

export const getPartner = async (db: Db, id: number): Promise<InterfacePartner> => {
  const found = await findPartner(db, id)
  if (!found) throw notFound('Interface')
  return found
}

export const createPartner = async (call: WriteCall, input: InterfaceInput): Promise<{ id: number }> => {
  const { db } = call
  await requireValid(db, input, null)
  const { id } = await db
    .insertInto('interface_partner')
    .values(columnsOf(input))
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: readable(await getPartner(db, id)) })
  return { id }
}

export const updatePartner = async (
  call: WriteCall,
  id: number,
  sent: InterfaceUpdate,
  expected: number | null,
): Promise<InterfacePartner> => {
  const { db } = call
  const before = await lockPartner(db, id)
  await requireVersion(db, 'interface_partner', expected, before)
  const input = mergeUpdate<InterfaceInput>(before, sent)
  await requireValid(db, input, id)
  await db
    .updateTable('interface_partner')
    .set({ ...columnsOf(input), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  const after = await getPartner(db, id)
  await audit(call, id, { action: 'UPDATE', old: readable(before), new: readable(after) })
  return after
}

export const removePartner = async (call: WriteCall, id: number) => {
  const before = await lockPartner(call.db, id)
  await call.db
    .updateTable('interface_partner')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await audit(call, id, { action: 'DELETE', old: readable(before) })
}

const lockPartner = async (trx: Trx, id: number): Promise<InterfacePartner> => {
  await trx.selectFrom('interface_partner').select('id').where('id', '=', bigint(id)).forNoKeyUpdate().execute()
  return getPartner(trx, id)
}

const required = (field: keyof typeof interfaceLabels): FieldError => ({
  field,
  message: messages.required(interfaceLabels[field]),
})
const wrong = (field: keyof typeof interfaceLabels): FieldError => ({
  field,
  message: messages.invalid(interfaceLabels[field]),
})

const requireValid = async (trx: Trx, input: InterfaceInput, id: number | null) => {
  const { kind, clientId, colaId, sendingApp, sendingFacility, apiClientId, resultUrl } = input
  const both = { field: 'colaId', message: 'An interface belongs to a client or to a collaborator, not to both' }
  const unknownOwner = await lockOwner(trx, input)
  const isClientKnown = apiClientId === null || (await lockApiClient(trx, apiClientId))
  const faults = [
    ...(clientId === null && colaId === null ? [required('clientId')] : []),
    ...(clientId !== null && colaId !== null ? [both] : []),
    ...(kind === 'HL7' && sendingApp === null ? [required('sendingApp')] : []),
    ...(kind === 'HL7' && sendingFacility === null ? [required('sendingFacility')] : []),
    ...(kind === 'FHIR' && apiClientId === null ? [required('apiClientId')] : []),
    ...(apiClientId !== null && (kind === 'HL7' || !isClientKnown) ? [wrong('apiClientId')] : []),
    ...(resultUrl !== null && !isPort(resultUrl) ? [wrong('resultUrl')] : []),
    ...(unknownOwner ? [wrong(unknownOwner)] : []),
  ]
  if (faults.length > 0) throw invalidFields(faults)
  if (input.isActive === 0) return
  await (kind === 'HL7' ? requireFreeSender(trx, input, id) : requireFreeClient(trx, input, id))
}

/** Locks the API client, so that a concurrent delete comes before the interface or finds it. */
const lockApiClient = async (trx: Trx, id: number): Promise<boolean> => {
  const { rows } =
    await sql`select from api_client where id = ${id}::bigint and deleted_at is null for key share`.execute(trx)
  return rows.length > 0
}

/** A token identifies one interface. Serialized by the client, like the pair of an HL7 sender. */
const requireFreeClient = async (trx: Trx, { apiClientId }: InterfaceInput, id: number | null) => {
  await sql`select pg_advisory_xact_lock(hashtext('interface client'), ${apiClientId}::int)`.execute(trx)
  const { rows } = await sql<{ name: string }>`select name from interface_partner
    where api_client_id = ${apiClientId}::int and is_active and deleted_at is null and kind = 'FHIR' and id is distinct from ${id}::int`.execute(
    trx,
  )
  const [owner] = rows
  if (owner) throw conflict(`${owner.name} already uses this API client`)
}

const isPort = (url: string) => {
  const port = Number(/:(\d+)\/?$/.exec(url)?.[1])
  return port >= 1 && port <= 65_535
}

/** Serializes by the pair, so that two at once do not both find it free. */
const requireFreeSender = async (trx: Trx, { sendingApp, sendingFacility }: InterfaceInput, id: number | null) => {
  const key = `interface sender:${sendingApp}|${sendingFacility}`
  await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx)
  const { rows } = await sql<{ name: string }>`select name from interface_partner
    where sending_app = ${sendingApp} and sending_facility = ${sendingFacility} and is_active and deleted_at is null and kind = 'HL7'
      and id is distinct from ${id}::int`.execute(trx)
  const [owner] = rows
  if (owner) throw conflict(`${owner.name} already sends as ${sendingApp} at ${sendingFacility}`)
}

const columnsOf = (input: InterfaceInput) => ({
  name: input.name,
  kind: input.kind,
  client_id: input.clientId,
  collaborator_id: input.colaId,
  is_active: input.isActive === 1,
  is_test: input.isTest === 1,
  auto_accept: input.autoAccept === 1,
  sending_app: input.kind === 'HL7' ? input.sendingApp : null,
  sending_facility: input.kind === 'HL7' ? input.sendingFacility : null,
  result_url: input.kind === 'HL7' ? input.resultUrl : null,
  api_client_id: input.apiClientId,
})

/** For the audit: names instead of ids, without the counts. */
const readable = (partner: InterfacePartner) => ({
  name: partner.name,
  kind: partner.kind,
  clientName: partner.clientName,
  colaName: partner.colaName,
  isActive: partner.isActive,
  isTest: partner.isTest,
  autoAccept: partner.autoAccept,
  sendingApp: partner.sendingApp,
  sendingFacility: partner.sendingFacility,
  resultUrl: partner.resultUrl,
  apiClientId: partner.apiClientId,
})

// ── codes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const readCodes = async (db: Db, id: number): Promise<PartnerCode[]> => {
  await getPartner(db, id)
  return listCodes(db, id)
}

/** Replaces the whole table. */
export const saveCodes = async (call: WriteCall, id: number, codes: readonly CodeInput[]): Promise<PartnerCode[]> => {
  const { db } = call
  await lockPartner(db, id)
  const before = await listCodes(db, id)
  await requireOrderables(db, codes)
  await sql`delete from interface_code where partner_id = ${id}`.execute(db)
  await writeCodes(db, id, codes)
  return auditCodes(call, id, before)
}

/** Adds to the table; an existing code gets the new meaning. */
export const addCodes = async (call: WriteCall, id: number, codes: readonly CodeInput[]) => {
  const { db } = call
  if (codes.length === 0) return
  const before = await listCodes(db, id)
  await requireOrderables(db, codes)
  await writeCodes(db, id, codes)
  await auditCodes(call, id, before)
}

const writeCodes = async (trx: Trx, id: number, codes: readonly CodeInput[]) => {
  await sql`insert into interface_code (partner_id, code, test_id, panel_id)
    select ${id}::int, * from unnest(${codes.map(({ code }) => code)}::text[], ${codes.map(({ testId }) => testId)}::int[],
      ${codes.map(({ panelId }) => panelId)}::int[])
    on conflict (partner_id, code) do update set test_id = excluded.test_id, panel_id = excluded.panel_id`.execute(trx)
}

const requireOrderables = async (trx: Trx, codes: readonly CodeInput[]) => {
  const { rows } = await sql<{ place: number; field: 'testId' | 'panelId' }>`
    select w.place::int - 1 as place, case when w.test is null then 'panelId' else 'testId' end as field
    from unnest(${codes.map(({ testId }) => testId)}::bigint[], ${codes.map(({ panelId }) => panelId)}::bigint[])
      with ordinality as w(test, panel, place)
    where not exists (select from test t where t.id = w.test and t.deleted_at is null)
      and not exists (select from panel n where n.id = w.panel and n.deleted_at is null)
    order by w.place`.execute(trx)
  const [first] = rows
  if (first)
    throw invalid(`codes.${first.place}.${first.field}`, messages.invalid(first.field === 'testId' ? 'Test' : 'Panel'))
}

const auditCodes = async (call: WriteCall, id: number, before: readonly PartnerCode[]) => {
  const after = await listCodes(call.db, id)
  const named = (codes: readonly PartnerCode[]) =>
    Object.fromEntries(codes.map(({ code, testCode, panelCode }) => [code, testCode ?? panelCode]))
  const [old, now] = [named(before), named(after)]
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((code) => old[code] !== now[code])
  if (changed.length > 0) {
    const pick = (codes: Record<string, unknown>) =>
      Object.fromEntries(changed.map((code) => [code, codes[code] ?? null]))
    await audit(call, id, { action: 'CODES', old: pick(old), new: pick(now) })
  }
  return after
}
