import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { type BundleFault, linkFaults, type OrderBundle, type ParsedBundle, parseBundle } from './fhir-bundle.ts'
import {
  hashOfOrder,
  isTestBundle,
  orderFaults,
  readFhirOrder,
  type VersionClaim,
  versionClaims,
} from './fhir-order.ts'
import { type OwnReference, ownReferencesIn } from './fhir-references.ts'
import type { IncomingOrder } from './incoming-order.ts'
import { countAttempt, findFirst, findMessage, type StoredMessage, storeMessage } from './message-store.ts'
import type { Partner } from './partner-queries.ts'
import { ConcurrentOrder, claimPlacers, countChanges, findPlacers, isSameOrder } from './placers.ts'
import { staleWords } from './work.ts'
import { type WorkServices, workNext } from './work-queue.ts'

/** The outcome of a Bundle: refused with its errors, or the message that contains it. */
export type ReceivedBundle =
  | { faults: BundleFault[]; message?: undefined }
  | { faults?: undefined; message: StoredMessage; bundle: OrderBundle; order: IncomingOrder }

interface Sent {
  partner: Partner
  body: unknown
  /** Resources that the sender may not see, or that do not exist. */
  findUnknown: (references: readonly OwnReference[]) => Promise<OwnReference[]>
  /** Orders that have another version, or do not exist. */
  findStale: (claims: readonly VersionClaim[]) => Promise<VersionClaim[]>
}

interface Incoming extends Pick<Sent, 'partner' | 'body'> {
  parsed: ParsedBundle
  unknown: readonly OwnReference[]
  stale: readonly VersionClaim[]
  orderChanges: number | null
}

/** How long the answer waits for an order to be processed; after that it says that the order is waiting. */
const longestWorkMs = 10_000

/** Receives an order as FHIR: it is stored, processed in the order of its partner, and then answered. */
export const receiveBundle = async (services: WorkServices, sent: Sent): Promise<ReceivedBundle> => {
  const db = services.databases(systemScope)
  const parsed = parseBundle(sent.body, services.config.publicUrl)
  const unknown = parsed.faults ? [] : await sent.findUnknown(ownReferencesIn(parsed.bundle))
  const claims = parsed.faults ? [] : versionClaims(parsed.bundle)
  // Counted first, so that a concurrent change is noticed when the message is processed.
  const placers = claims.map(({ placer }) => placer)
  const orderChanges = claims.length > 0 ? await countChanges(db, sent.partner.id, placers) : null
  const stale = await sent.findStale(claims)
  const incoming: Incoming = { partner: sent.partner, body: sent.body, parsed, unknown, stale, orderChanges }
  const received = await retryOnConflict(() => db.transaction().execute((trx) => receive(trx, services, incoming)))
  if ('faults' in received) return received
  const { messageId, ...rest } = received
  const message = await workUntilSettled(services, db, incoming.partner.id, messageId)
  return message.state === 'REJECTED' ? { faults: [staleFault(message.reason ?? '')] } : { ...rest, message }
}

const staleFault = (words: string): BundleFault => ({ status: 412, path: 'Bundle.entry.request.ifMatch', words })

const workUntilSettled = async (
  services: WorkServices,
  db: Db,
  partnerId: number,
  id: number,
): Promise<StoredMessage> => {
  for (const end = Date.now() + longestWorkMs; ; ) {
    const message = (await findMessage(db, id)) as StoredMessage
    if (message.state !== 'RECEIVED' || Date.now() > end) return message
    if ((await workNext(services, partnerId)) === undefined) await wait(50)
  }
}

type Taken = { faults: BundleFault[] } | { messageId: number; bundle: OrderBundle; order: IncomingOrder }

const receive = async (trx: Trx, services: WorkServices, incoming: Incoming): Promise<Taken> => {
  const { partner, body, parsed } = incoming
  if (parsed.faults) return refuse(trx, services, incoming, controlIdIn(body), parsed.faults)
  const { bundle } = parsed
  const controlId = bundle.identifier?.value || randomUUID()
  const faults = faultsOf(incoming, bundle)
  if (faults.length > 0) return refuse(trx, services, incoming, controlId, faults)
  const order = readFhirOrder(bundle)
  const isTest = isTestBundle(bundle)
  const hash = hashOfOrder(order, isTest)
  const first = await findFirst(trx, partner.id, controlId)
  if (first) {
    const words = 'This identifier was used for another Bundle'
    if (!first.content_hash?.equals(hash))
      return refuse(trx, services, incoming, controlId, [{ status: 409, path: 'Bundle.identifier', words }])
    await countAttempt(trx, first.id)
    return { messageId: first.id, bundle, order }
  }
  const taken = isTest ? [] : await findPlacers(trx, partner.id, order.placers)
  if (!isTest && order.control !== 'NW' && taken.length === 0)
    return refuse(trx, services, incoming, controlId, [
      { status: 404, path: 'ServiceRequest.identifier', words: 'The placer number is not known' },
    ])
  const [old] = isTest ? [] : incoming.stale
  if (old) return refuse(trx, services, incoming, controlId, [staleFault(staleWords([old.placer]))])
  if (order.control === 'NW' && taken.length > 0) {
    if (!isSameOrder(taken, order.placers, hash))
      return refuse(trx, services, incoming, controlId, [
        { status: 409, path: 'ServiceRequest.identifier', words: 'This placer number was used for another order' },
      ])
    return repeat(trx, services, { incoming, controlId, hash, bundle, order }, taken[0])
  }
  const stored = await store(trx, services, { incoming, controlId, hash, bundle }, { state: 'RECEIVED' })
  if (!isTest && order.control !== 'CA') {
    const isClaimed = await claimPlacers(trx, partner.id, order.placers, stored.id, hash)
    if (!isClaimed && order.control === 'NW') throw new ConcurrentOrder()
  }
  return { messageId: stored.id, bundle, order }
}

interface Read {
  incoming: Incoming
  controlId: string
  hash: Buffer
  bundle: OrderBundle
}

/** The order was sent before: a created one is marked as a repeat, one that still waits is answered as waiting. */
const repeat = async (
  trx: Trx,
  services: WorkServices,
  { order, ...read }: Read & { order: IncomingOrder },
  first: { message_id: number; requisition_id: number | null } | undefined,
): Promise<Taken> => {
  const { bundle } = read
  if (first?.requisition_id == null) return { messageId: first?.message_id as number, bundle, order }
  const stored = await store(trx, services, read, {
    state: 'ACCEPTED',
    reason: 'The order has come before and was not made again',
    requisitionId: first.requisition_id,
  })
  return { messageId: stored.id, bundle, order }
}

const store = async (
  trx: Trx,
  services: WorkServices,
  { incoming, controlId, hash }: Read,
  how: { state: 'RECEIVED' | 'ACCEPTED'; reason?: string; requisitionId?: number },
): Promise<{ id: number }> => {
  const stored = await storeMessage(trx, services, {
    ...baseOf(incoming, controlId),
    ...how,
    ackCode: null,
    contentHash: hash,
    isFirst: true,
    orderChanges: incoming.orderChanges,
  })
  if (!stored) throw new ConcurrentOrder()
  return stored
}

const baseOf = ({ partner, body }: Incoming, controlId: string | null) => ({
  direction: 'IN' as const,
  kind: 'FHIR' as const,
  partnerId: partner.id,
  messageType: 'Bundle',
  controlId,
  raw: Buffer.from(JSON.stringify(body, null, 2)),
})

const refuse = async (
  trx: Trx,
  services: WorkServices,
  incoming: Incoming,
  controlId: string | null,
  faults: BundleFault[],
): Promise<Taken> => {
  await storeMessage(trx, services, {
    ...baseOf(incoming, controlId),
    state: 'REJECTED',
    ackCode: String(faults[0]?.status),
    reason: faults.map(({ words }) => words).join('; '),
  })
  return { faults }
}

const controlIdIn = (body: unknown): string | null => {
  const value = (body as { identifier?: { value?: unknown } } | null)?.identifier?.value
  return typeof value === 'string' ? value : null
}

const faultsOf = ({ partner, unknown }: Incoming, bundle: OrderBundle): BundleFault[] => {
  const faults = [...linkFaults(bundle), ...orderFaults(bundle)]
  if (isTestBundle(bundle) && !partner.is_test)
    faults.push({ status: 422, path: 'Bundle.meta', words: 'Test messages (HTEST) are for test interfaces' })
  if (faults.length > 0) return faults
  return unknown.map(({ type, id }) => ({ status: 404, path: 'Bundle.entry', words: `${type}/${id} is not known` }))
}

/** The active partner that sends with this API client. */
export const findFhirPartner = async (db: Db, apiClientId: number): Promise<Partner | undefined> => {
  const { rows } = await sql<Partner>`select id, name, kind, client_id, collaborator_id, is_active, is_test, auto_accept
    from interface_partner where api_client_id = ${apiClientId} and kind = 'FHIR' and is_active and deleted_at is null order by id limit 1`.execute(
    db,
  )
  return rows[0]
}

/** Stores the answer, for the desk. */
export const recordAnswer = async (db: Db, id: number, status: number, answer: string) => {
  await sql`update interface_message set ack_code = ${String(status)}, answer = left(${answer}, 100000) where id = ${id}`.execute(
    db,
  )
}
