import { can } from '@lis/contract/access/permissions.ts'
import { criticalTopic } from '@lis/contract/critical-calls.ts'
import { homeTopic } from '@lis/contract/home.ts'
import { reviewTopic } from '@lis/contract/instrument-results.ts'
import { instrumentTopic } from '@lis/contract/instruments.ts'
import { interfaceTopic } from '@lis/contract/interfaces.ts'
import { qcTopic } from '@lis/contract/quality-control.ts'
import { requisitionTopic } from '@lis/contract/requisitions/list.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError, forbidden } from '../../platform/errors.ts'
import type { EventHub } from '../../platform/events/hub.ts'
import { sessionTopic } from '../../platform/events/publish.ts'
import { type EventStream, eventStreams } from '../../platform/events/sse.ts'
import type { Services } from '../../platform/services.ts'

export interface EventDeps {
  hub: EventHub
  services: Pick<Services, 'config' | 'databases'>
  authenticate: (request: FastifyRequest) => Promise<Actor | null>
  /** e.g. `/api/v3.0` */
  base: string
  heartbeatMs?: number
}

// One per browser tab; the oldest is closed, so that no user can exhaust the server.
const streamsPerUser = 8

/**
 * Server-sent events for the signed-in user: `event: job` with the job, `event: requisitions` when a requisition has moved, `event: home`
 * when something that Home counts has changed,
 * `event: resync` when something may have been missed. A client reads the current state once after connecting; the stream then reports
 * changes.
 */
export const eventRoutes = (app: FastifyInstance, { hub, services, authenticate, base, heartbeatMs }: EventDeps) => {
  const db = services.databases(systemScope)
  const openStream = eventStreams(app, heartbeatMs === undefined ? {} : { heartbeatMs })
  const byUser = new Map<number, EventStream[]>()

  app.get(`${base}/events`, async (request, reply) => {
    const actor = await authenticate(request)
    if (!actor) throw new AppError('unauthenticated', 'Please sign in')
    if (actor.apiClient) throw forbidden('Events are for users; API clients can use webhooks')
    const stream = openStream(reply)
    keep(byUser, actor.userId, stream)
    const checkSession = () =>
      isAlive(db, actor.sessionId, services.config.SESSION_IDLE_SECONDS).then(
        (alive) => alive || stream.close(),
        () => undefined, // database unavailable: the next heartbeat checks again
      )
    stream.onClose(
      hub.subscribe({ userId: actor.userId }, ({ topic, data }) => {
        if (topic === sessionTopic) void checkSession()
        else stream.send(topic, data)
      }),
    )
    // Without data: what moved may be outside the user's scope.
    if (can(actor.role, 'requisitions.list'))
      stream.onClose(hub.subscribe({ topic: requisitionTopic }, () => stream.send(requisitionTopic, {})))
    if (can(actor.role, 'home.open'))
      stream.onClose(hub.subscribe({ topic: homeTopic }, () => stream.send(homeTopic, {})))
    if (can(actor.role, 'interfaces.read'))
      stream.onClose(hub.subscribe({ topic: interfaceTopic }, () => stream.send(interfaceTopic, {})))
    if (can(actor.role, 'critical.call'))
      stream.onClose(hub.subscribe({ topic: criticalTopic }, () => stream.send(criticalTopic, {})))
    if (can(actor.role, 'instruments.read'))
      stream.onClose(hub.subscribe({ topic: instrumentTopic }, () => stream.send(instrumentTopic, {})))
    if (can(actor.role, 'review.read'))
      stream.onClose(hub.subscribe({ topic: reviewTopic }, () => stream.send(reviewTopic, {})))
    if (can(actor.role, 'qc.read')) stream.onClose(hub.subscribe({ topic: qcTopic }, () => stream.send(qcTopic, {})))
    stream.onClose(hub.onGap(() => stream.send('resync', null)))
    stream.onBeat(checkSession)
  })
}

const keep = (byUser: Map<number, EventStream[]>, userId: number, stream: EventStream) => {
  const streams = [...(byUser.get(userId) ?? []), stream]
  byUser.set(userId, streams)
  stream.onClose(() => {
    const rest = (byUser.get(userId) ?? []).filter((other) => other !== stream)
    if (rest.length > 0) byUser.set(userId, rest)
    else byUser.delete(userId)
  })
  if (streams.length > streamsPerUser) streams[0]?.close()
}

/** Reads without updating `last_seen_at`: an open stream must not keep an idle session alive. */
const isAlive = async (db: Db, sessionId: string, idleSeconds: number): Promise<boolean> => {
  const found = await db
    .selectFrom('session as s')
    .innerJoin('app_user as u', 'u.id', 's.user_id')
    .select('s.id')
    .where('s.id', '=', sessionId)
    .where('s.ended_at', 'is', null)
    .where('s.absolute_expires_at', '>', sql<string>`now()`)
    .where('s.last_seen_at', '>', sql<string>`now() - make_interval(secs => ${idleSeconds})`)
    .where('u.status_code', '=', 'ACT')
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}
