import { STATUS_CODES } from 'node:http'
import type { Bundle, BundleEntry, OperationOutcome } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { systemScope } from '../../platform/db/scope.ts'
import type { BundleFault } from '../interfaces/fhir-bundle.ts'
import { findFhirPartner, type ReceivedBundle, receiveBundle, recordAnswer } from '../interfaces/fhir-intake.ts'
import type { VersionClaim } from '../interfaces/fhir-order.ts'
import type { OwnReference } from '../interfaces/fhir-references.ts'
import type { StoredMessage } from '../interfaces/message-store.ts'
import type { FhirCall } from './call.ts'
import { readRows } from './definition.ts'
import { fhirJson } from './error-answers.ts'
import { badRequest, FhirFault, issue, missingScope, outcomeOf } from './faults.ts'
import type { Reader } from './reader.ts'
import { itemIdOf } from './requisition-parts.ts'
import { mayDo } from './scopes.ts'
import { serviceRequestType } from './service-request.ts'
import { specimenId } from './specimen.ts'
import { heldTaskId } from './task.ts'
import { findType } from './types.ts'
import { etagOf, makeResource, namesTag } from './versions.ts'

const issueCodes = {
  400: 'structure',
  404: 'not-found',
  409: 'duplicate',
  412: 'conflict',
  422: 'business-rule',
} as const

/** POST of a transaction Bundle: an order. */
export const answerTransaction = async (call: FhirCall) => {
  const { actor, services, request, reply, reader } = call
  requireScopes(actor, request.body)
  const system = services.databases(systemScope)
  const partner = await findFhirPartner(system, actor.apiClient?.id ?? 0)
  if (!partner) throw missingScope('No active FHIR interface is set up for this client')
  if (typeof request.body !== 'object' || request.body === null) throw badRequest('The body must be a Bundle')
  const received = await receiveBundle(services, {
    partner,
    body: request.body,
    findUnknown: (references) => findUnknown(reader, references),
    findStale: (claims) => findStale(call, partner.id, claims),
  })
  if (received.faults) throw refusal(received.faults)
  const { message } = received
  const isDone = message.state === 'ACCEPTED'
  const answer = isDone ? await transactionResponse(call, received) : waiting(message)
  const text = JSON.stringify(answer)
  await recordAnswer(system, message.id, isDone ? 200 : 202, text)
  services.accessLog.record(
    { actor, requestId: request.id, method: request.method, route: 'fhir/R4' },
    {
      reqIds: message.requisition_id === null ? [] : [message.requisition_id],
      patientIds: message.patient_id === null ? [] : [message.patient_id],
    },
  )
  if (!isDone) void reply.code(202).header('location', `${reader.base}/Task/${heldTaskId(message.id)}`)
  return reply.type(fhirJson).send(text)
}

/** Only described: an order creates none of them. */
const describedTypes = ['Organization', 'Practitioner']

/** Each entry needs the right to create its type, or to update it; cancelling an order is an update. */
const requireScopes = (actor: Actor, body: unknown) => {
  const { entry } = (body ?? {}) as { entry?: unknown }
  const entries = (Array.isArray(entry) ? entry : []) as ({
    resource?: { resourceType?: unknown; status?: unknown } | null
    request?: { method?: unknown } | null
  } | null)[]
  const needed = entries.flatMap((one): [string, 'c' | 'u'][] => {
    const { resourceType, status } = one?.resource ?? {}
    if (typeof resourceType !== 'string' || describedTypes.includes(resourceType)) return []
    const isChange = one?.request?.method === 'PUT' || (resourceType === 'ServiceRequest' && status === 'revoked')
    return [[resourceType, isChange ? 'u' : 'c']]
  })
  if (needed.length === 0) needed.push(['ServiceRequest', 'c'])
  for (const [type, right] of needed)
    if (!mayDo(actor, type, right))
      throw missingScope(`The access token does not have the scope system/${type.slice(0, 60)}.${right}`)
}

/** Our resources that the caller may not see, or that do not exist. */
const findUnknown = async (reader: Reader, references: readonly OwnReference[]): Promise<OwnReference[]> => {
  const unknown: OwnReference[] = []
  for (const type of new Set(references.map((one) => one.type))) {
    const definition = findType(type)
    if (!definition) continue
    const asked = references.filter((one) => one.type === type).map((one) => ({ one, key: definition.keyOf(one.id) }))
    const rows = await readRows(
      definition,
      reader,
      asked.flatMap(({ key }) => key ?? []),
    )
    unknown.push(...asked.flatMap(({ one, key }) => (rows.some((row) => row.key === key) ? [] : [one])))
  }
  return unknown
}

const findStale = async (
  { services, reader }: FhirCall,
  partnerId: number,
  claims: readonly VersionClaim[],
): Promise<VersionClaim[]> => {
  if (claims.length === 0) return []
  const { rows } = await sql<{ placer: string; id: number }>`select i.placer_number as placer, ${orderedItemId} as id
    from interface_order_item i where i.partner_id = ${partnerId} and i.placer_number = any(${claims.map(({ placer }) => placer)}::text[])`.execute(
    services.databases(systemScope),
  )
  const resources = await readRows(
    serviceRequestType,
    reader,
    rows.map(({ id }) => Number(id)),
  )
  const tags = new Map(resources.map((row) => [row.key, etagOf(makeResource(serviceRequestType, row, reader))]))
  const hasVersion = ({ placer, ifMatch }: VersionClaim) =>
    rows.some((row) => row.placer === placer && namesTag(ifMatch, tags.get(Number(row.id)) ?? ''))
  return claims.filter((claim) => !hasVersion(claim))
}

const refusal = (faults: readonly BundleFault[]) => {
  const status = faults[0]?.status ?? 400
  return new FhirFault(
    status,
    faults.map((one) => issue(issueCodes[one.status], one.words, one.path)),
  )
}

/** The order is stored and waits for a person, who sees what is missing. */
const waiting = ({ reason }: StoredMessage): OperationOutcome =>
  outcomeOf([
    {
      severity: 'information',
      code: 'informational',
      diagnostics: `The order is held: ${reason ?? 'it waits to be processed'}`,
    },
  ])

interface Made {
  requisition_id: number
  patient_id: number
  is_new_patient: boolean
  is_new: boolean
  items: { placer: string; id: number }[]
  coverages: { id: number; order: number; policyNo: string | null }[]
}

const transactionResponse = async (
  call: FhirCall,
  { message, bundle, order }: Extract<ReceivedBundle, { message: StoredMessage }>,
): Promise<Bundle> => {
  const made = message.requisition_id === null ? null : await findMade(call, message)
  const items = [...(made?.items ?? [])]
  const coverages = [...(made?.coverages ?? [])]
  const located = (isNew: boolean, location?: string): BundleEntry => {
    const status = isNew && location ? 201 : 200
    return {
      response: {
        status: `${status} ${STATUS_CODES[status]}`,
        ...(location && { location }),
        lastModified: new Date(message.received_at).toISOString(),
      },
    }
  }
  const isPlaced = order.control === 'NW'
  const entryOf = ({ resource }: (typeof bundle.entry)[number]): BundleEntry => {
    if (!made) return located(false)
    switch (resource.resourceType) {
      case 'Patient':
        return located(made.is_new_patient, `Patient/${made.patient_id}`)
      case 'ServiceRequest': {
        const placers = resource.identifier.map(({ value }) => value)
        const place = items.findIndex(({ placer }) => placers.includes(placer))
        const [item] = place < 0 ? [] : items.splice(place, 1)
        return located(isPlaced && made.is_new, item && `ServiceRequest/${item.id}`)
      }
      case 'Specimen':
        return located(isPlaced && made.is_new, `Specimen/${specimenId(made.requisition_id)}`)
      case 'Coverage': {
        const place = coverages.findIndex(
          ({ policyNo }) => policyNo === (resource.subscriberId?.replaceAll(' ', '') || null),
        )
        const [coverage] = place < 0 ? [] : coverages.splice(place, 1)
        return located(isPlaced && made.is_new, coverage && `Coverage/${coverage.id}`)
      }
      default:
        return located(false)
    }
  }
  return { resourceType: 'Bundle', type: 'transaction-response', entry: bundle.entry.map(entryOf) }
}

/** The id of the ServiceRequest of item `i` of a partner's order. */
const orderedItemId = sql`(select min(f.id) from requisition_test f
  where f.requisition_id = i.requisition_id and case when i.panel_id is null then f.test_id = i.test_id
    else f.test_id in (select x.test_id from panel_test x where x.panel_id = i.panel_id) end and ${itemIdOf('f')} = f.id
    and (i.panel_id is null or f.panel_id = i.panel_id
      or not exists (select from requisition_test g where g.requisition_id = i.requisition_id and g.panel_id = i.panel_id)))`

/** The outcome of an order; resources created after the message are new. */
const findMade = async ({ services }: FhirCall, message: StoredMessage): Promise<Made | null> => {
  const { rows } = await sql<Made>`
    select r.id as requisition_id, r.patient_id, p.created_at >= m.received_at as is_new_patient, r.created_at >= m.received_at as is_new,
      (select coalesce(json_agg(json_build_object('placer', i.placer_number, 'id', ${orderedItemId}) order by i.place), '[]')
        from interface_order_item i where i.requisition_id = r.id and i.partner_id = m.partner_id) as items,
      (select coalesce(json_agg(json_build_object('id', c.id, 'order', c.billing_order, 'policyNo', c.policy_no) order by c.billing_order), '[]')
        from insurance c join billing b on b.id = c.billing_id where b.requisition_id = r.id and c.deleted_at is null) as coverages
    from interface_message m join requisition r on r.id = m.requisition_id join patient p on p.id = r.patient_id
    where m.id = ${message.id}`.execute(services.databases(systemScope))
  return rows[0] ?? null
}
