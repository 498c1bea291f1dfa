import { createHash } from 'node:crypto'
import { can } from '@lis/contract/access/permissions.ts'
import { fileTopic } from '@lis/contract/kit/events.ts'
import { routeName } from '@lis/contract/kit/patient-data.ts'
import { answersInput } from '@lis/contract/kit/questions.ts'
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '@lis/contract/kit/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { deletedIn } from '../audit/record.ts'
import type { Actor } from '../auth/actor.ts'
import { hasViewToken } from '../auth/sessions.ts'
import type { Db, Trx } from '../db/db.ts'
import { retryOnConflict } from '../db/retry.ts'
import { systemScope } from '../db/scope.ts'
import { counted, recordUndo, withUndoId } from '../db/undo.ts'
import { AppError, forbidden, invalid, invalidInput } from '../errors.ts'
import { publish } from '../events/publish.ts'
import type { Services } from '../services.ts'
import { validationMessages } from '../validation-messages.ts'
import { Bytes } from './bytes.ts'
import { runIdempotently } from './idempotency.ts'
import { JsonText } from './json-text.ts'
import { accessRecorder, recordShownInError } from './patient-data.ts'
import { Questions } from './questions.ts'

/** The input of a handler. On writing routes `db` is the transaction of the call, committed when the handler returns. */
export interface Context<R extends Route> {
  db: R['method'] extends 'GET' ? Db : Trx
  actor: R['access'] extends 'public' ? Actor | null : Actor
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** The questions that the call asks before it saves; a route lists them in `asks`. */
  questions: Questions
  services: Services
  request: FastifyRequest
  requestId: string
  /** On routes that make a file: aborted when the caller disconnects or the time limit is reached. */
  signal: AbortSignal
}

/** What a service needs of a writing call: its transaction, its actor and its request id. */
export interface WriteCall {
  db: Trx
  actor: Actor
  requestId: string
}

/** A writing call that may ask questions before it saves. */
export interface WriteCallWithQuestions extends WriteCall {
  questions: Questions
}

export interface Handler<R extends Route> {
  (context: Context<R>): Promise<ReplyOf<R> | JsonText | Bytes>
  /** See `prepared`. */
  prepare?: (context: ReadContext<R>) => Promise<unknown>
  /** See `withRight`. */
  requireRight?: (db: Db, actor: Actor) => Promise<unknown>
  /** The function that `prepared` or `withRight` wraps, for tests that inspect which fields a handler reads. */
  handle?: unknown
}

/** The input of `prepare`, which runs before the transaction of a writing call. */
export interface ReadContext<R extends Route> extends Omit<Context<R>, 'db'> {
  db: Db
}

/**
 * A handler whose slow work, such as reading a file, runs before its transaction, so that it holds no connection meanwhile. The handler
 * checks what may have changed since.
 */
export const prepared = <R extends Route, P>(
  prepare: (context: ReadContext<R>) => Promise<P>,
  handle: (context: Context<R>, work: P) => Promise<ReplyOf<R> | JsonText>,
): Handler<R> =>
  Object.assign((context: Context<R>) => handle(context, (context as { work?: unknown }).work as P), {
    prepare,
    handle,
  })

/** A handler for callers who need a right that their role alone does not give. It is checked before the input: whoever lacks it gets 403, not 400. */
export const withRight = <R extends Route>(
  requireRight: (db: Db, actor: Actor) => Promise<unknown>,
  handle: (context: Context<R>) => Promise<ReplyOf<R> | JsonText>,
): Handler<R> => Object.assign((context: Context<R>) => handle(context), { requireRight, handle })

export interface Module {
  routes: Record<string, Route>
  handlers: Record<string, Handler<Route>>
}

/** Connects the routes of a contract file with their handlers. A missing handler, or one with the wrong reply type, does not compile. */
export const implement = <R extends Record<string, Route>>(
  routes: R,
  handlers: { [K in keyof R]: Handler<R[K]> },
): Module => ({
  routes,
  // Each handler takes the input of its own route; their common type is wider.
  handlers: handlers as unknown as Module['handlers'],
})

export interface MountOptions {
  bases: readonly string[]
  services: Services
  /** Finds the user behind the call; null without a session. Throws 408 or 420 for a session that has ended. */
  authenticate: (request: FastifyRequest) => Promise<Actor | null>
  /** The tables whose deleted records can be restored. */
  restorableTables?: ReadonlySet<string>
  /** Checks every reply against the contract; only in tests. */
  checkReplies: boolean
}

export const mount = (app: FastifyInstance, modules: Module[], options: MountOptions) => {
  app.addHook('onResponse', async (request) => options.services.accessLog.forget(request.id))
  app.addHook('onRequest', refuseViewers(options))
  for (const module of modules) {
    for (const [name, route] of Object.entries(module.routes)) {
      const handler = module.handlers[name] as Handler<Route>
      const recordAccess = accessRecorder(route)
      for (const base of options.bases) {
        app.route({
          method: route.method,
          url: `${base}/${route.path}`,
          config: {
            isSignIn: route.isSignIn ?? false,
            isOpenedByKey: route.isOpenedByKey ?? false,
            isOpenToViewers: !isRefusedWhileViewing(route),
          },
          handler: (request, reply) => answer({ route, handler, recordAccess }, request, reply, options),
        })
      }
    }
  }
}

/** A call that deletes records which can be restored carries the id of its undo. */
const withDeletionUndo = async (
  trx: Trx,
  { route, actor }: { route: Route; actor: Actor | null },
  { restorableTables = new Set() }: MountOptions,
  answered: Promise<unknown>,
): Promise<unknown> => {
  const reply = await answered
  if (route.method !== 'DELETE' || !actor || reply instanceof JsonText) return reply
  const data = deletedIn(trx)
    .filter(({ entity }) => restorableTables.has(entity))
    .map(({ entity, entityId }) => ({ table: entity, id: entityId }))
  const [first] = data
  if (!first) return reply
  const noun = first.table.replaceAll('_', ' ')
  const description = `Delete ${counted(data.length, noun)}`
  const undoId = await recordUndo({ db: trx, actor }, { kind: 'DELETE', description, count: data.length, data })
  return withUndoId(reply as object, undoId)
}

const isRefusedWhileViewing = ({ method, isOpenToViewers }: Route) => method !== 'GET' && !isOpenToViewers

/**
 * A user in 'View as' changes nothing. This is decided before the body is read, and once more in `authorize`; the
 * prefix of the token saves all others the first look.
 */
const refuseViewers = (options: MountOptions) => async (request: FastifyRequest) => {
  const { isOpenToViewers } = request.routeOptions.config as { isOpenToViewers?: boolean }
  if (isOpenToViewers || !hasViewToken(request)) return
  // A session that has ended is answered by `authorize`.
  const actor = await options.authenticate(request).catch(() => null)
  if (actor?.viewer) throw viewOnly()
}

const viewOnly = () => new AppError('view_only', 'You are viewing as somebody else, read only: nothing can be changed')

interface Mounted {
  route: Route
  handler: Handler<Route>
  recordAccess: ReturnType<typeof accessRecorder>
}

const answer = async (mounted: Mounted, request: FastifyRequest, reply: FastifyReply, options: MountOptions) => {
  const { route } = mounted
  const actor = await authorize(route, request, options)
  try {
    return await answerActor(actor, mounted, request, reply, options)
  } catch (error) {
    if (error instanceof AppError && error.current !== undefined) {
      const text = JSON.stringify(error.current)
      recordShownInError(options.services.accessLog, route, {
        actor,
        requestId: request.id,
        params: request.params,
        text,
      })
    }
    throw error
  }
}

const answerActor = async (
  actor: Actor | null,
  { route, handler, recordAccess }: Mounted,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
) => {
  if (actor) await handler.requireRight?.(options.services.databases(actor.scope), actor)
  const { body, answers } = takeAnswers(route, request.body)
  const input = {
    params: parse(route.params, request.params),
    query: parse(route.query, request.query),
    body: parse(route.body, body),
  }
  const { services } = options
  const scope = actor?.scope ?? systemScope
  const run = async (db: Db, signal: AbortSignal) => {
    const context = { actor, ...input, services, request, requestId: request.id, signal }
    const work = await handler.prepare?.({ ...context, db } as ReadContext<Route>)
    const call = (handle: Db | Trx) =>
      handler({ ...context, work, db: handle, questions: new Questions(answers) } as unknown as Context<Route>)
    const writing = { route, actor, request, input: { ...input, answers } }
    return route.method === 'GET'
      ? call(db)
      : write(db, writing, (trx) => withDeletionUndo(trx, writing, options, call(trx)))
  }
  const result =
    route.makesFile && actor && !isDryRun(input.body)
      ? await runQueued(services, actor, reply, (signal) => run(services.fileDatabases(scope), signal))
      : await run(services.databases(scope), never)
  if (result instanceof Bytes) {
    recordAccess?.(options.services.accessLog, { actor, requestId: request.id, params: input.params, text: '' })
    return reply.type(result.type).header('cache-control', 'private, no-store').send(result.content)
  }
  if (options.checkReplies) checkReply(route, result instanceof JsonText ? JSON.parse(result.text) : result)
  const text = result instanceof JsonText ? result.text : JSON.stringify(result)
  recordAccess?.(options.services.accessLog, { actor, requestId: request.id, params: input.params, text })
  if (!recordAccess && actor?.viewer)
    services.accessLog.record({ actor, requestId: request.id, method: route.method, route: routeName(route) })
  if (route.cache && isNotModified(request, reply, text)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Separates the answers from the body, whose schema does not contain them. */
const takeAnswers = (route: Route, sent: unknown) => {
  if (!route.asks || typeof sent !== 'object' || sent === null) return { body: sent, answers: {} }
  const { answers, ...body } = sent as Record<string, unknown>
  const given = answersInput.safeParse(answers)
  if (!given.success) throw invalid('answers', given.error.issues[0]?.message ?? 'answers must be an object')
  return { body, answers: given.data }
}

const never = new AbortController().signal
const isDryRun = (body: unknown) => (body as { dryRun?: boolean } | undefined)?.dryRun === true

const longestFileMs = 10 * 60_000

/** Queues a call that makes a file, and notifies the user while it waits. */
const runQueued = <T>(
  services: Services,
  actor: Actor,
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<T>,
) => {
  const disconnected = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || disconnected.abort(new Error('The caller has gone')))
  const onWait = (ahead: number) =>
    void publish(services.databases(systemScope), { topic: fileTopic, userId: actor.userId, data: { ahead } }).catch(
      (error) => services.log.warn({ err: error }, 'event not sent'),
    )
  return services.fileCalls.run({ userId: actor.userId, signal: disconnected.signal, onWait }, () =>
    work(AbortSignal.any([disconnected.signal, AbortSignal.timeout(longestFileMs)])),
  )
}

/** Sets the ETag of the reply and says whether the caller already has the same content. */
const isNotModified = (request: FastifyRequest, reply: FastifyReply, text: string): boolean => {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  reply.headers({ etag: `W/${tag}`, 'cache-control': 'private, max-age=0, must-revalidate', vary: 'authorization' })
  const known = request.headers['if-none-match'] ?? ''
  return known
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === tag || one === '*')
}

const authorize = async (route: Route, request: FastifyRequest, options: MountOptions): Promise<Actor | null> => {
  // A public call is open to everyone, also to a caller who still sends the token of an ended session.
  if (route.access === 'public') return options.authenticate(request).catch(() => null)
  const actor = await options.authenticate(request)
  if (!actor) throw new AppError('unauthenticated', 'Please sign in')
  if (actor.viewer && isRefusedWhileViewing(route)) throw viewOnly()
  if (actor.apiClient) requireScope(actor.apiClient.scopes, route)
  if (route.access !== 'signedIn' && !can(actor.role, route.access)) throw forbidden()
  return actor
}

/** A system reads with one scope and writes with another, beside the permissions of its role. */
const requireScope = (scopes: readonly string[], { method }: Route) => {
  const needed = method === 'GET' ? 'lis/read' : 'lis/write'
  if (!scopes.includes(needed)) throw forbidden(`The access token does not have the scope ${needed}`)
}

const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (!schema) return undefined
  const parsed = schema.safeParse(value ?? {}, validationMessages)
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

const checkReply = (route: Route, result: unknown) => {
  const checked = route.reply.safeParse(result)
  if (!checked.success)
    throw new Error(`The reply of ${route.method} ${route.path} breaks its contract: ${checked.error.message}`)
}

/** One call, one transaction: a reply means that it is committed, an error that nothing was saved. A call that loses a conflict is retried. */
const write = (
  db: Db,
  call: Parameters<typeof runIdempotently>[1],
  run: (trx: Trx) => Promise<unknown>,
): Promise<unknown> =>
  retryOnConflict(() => db.transaction().execute((trx) => runIdempotently(trx, call, () => run(trx))))
