import { createHash } from 'node:crypto'
import { can } from '@lis/contract/access/permissions.ts'
import { fileTopic } from '@lis/contract/kit/events.ts'
import { answersInput } from '@lis/contract/kit/questions.ts'
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '@lis/contract/kit/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Actor } from '../auth/actor.ts'
import type { Db, Trx } from '../db/db.ts'
import { runAgainOnConflict } from '../db/run-again.ts'
import { systemScope } from '../db/scope.ts'
import { AppError, forbidden, invalid, invalidInput } from '../errors.ts'
import { publish } from '../events/publish.ts'
import { plainly } from '../plain-words.ts'
import type { Services } from '../services.ts'
import { JsonText } from './json-text.ts'
import { accessRecorder } from './patient-data.ts'
import { Questions } from './questions.ts'
import { unlessRepeated } from './repeats.ts'

/** What a handler may use. On writing routes `db` is the transaction of the call: it commits when the handler has answered. */
export interface Context<R extends Route> {
  db: R['method'] extends 'GET' ? Db : Trx
  actor: R['access'] extends 'public' ? Actor | null : Actor
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** What the call asks before it saves; a route that asks names its questions in `asks`. */
  questions: Questions
  services: Services
  request: FastifyRequest
  requestId: string
  /** Aborted when the caller of a call that makes a file has gone, or its time is over. */
  signal: AbortSignal
}

/** What a service needs of a writing call: its transaction, who does it, and the request it belongs to. */
export interface WriteCall {
  db: Trx
  actor: Actor
  requestId: string
}

/** A writing call that may ask before it saves. */
export interface AskingCall extends WriteCall {
  questions: Questions
}

export interface Handler<R extends Route> {
  (context: Context<R>): Promise<ReplyOf<R> | JsonText>
  /** See `prepared`. */
  prepare?: (context: ReadContext<R>) => Promise<unknown>
  /** The function that `prepared` wraps, for tests that look at what a handler reads. */
  handle?: unknown
}

/** What is known before the transaction of a writing call. */
export interface ReadContext<R extends Route> extends Omit<Context<R>, 'db'> {
  db: Db
}

/**
 * A handler whose long work, such as reading a file, is done before its transaction: a connection that waits for it would be missing
 * elsewhere. What may have changed since is for the handler to check.
 */
export const prepared = <R extends Route, P>(
  prepare: (context: ReadContext<R>) => Promise<P>,
  handle: (context: Context<R>, work: P) => Promise<ReplyOf<R> | JsonText>,
): Handler<R> =>
  Object.assign((context: Context<R>) => handle(context, (context as { work?: unknown }).work as P), {
    prepare,
    handle,
  })

export interface Module {
  routes: Record<string, Route>
  handlers: Record<string, Handler<Route>>
}

/** Ties the routes of a contract file to their handlers. A missing handler, or one that answers the wrong shape, does not compile. */
export const implement = <R extends Record<string, Route>>(
  routes: R,
  handlers: { [K in keyof R]: Handler<R[K]> },
): Module => ({
  routes,
  // Each handler takes the input of its own route; together they can only be named by what they share.
  handlers: handlers as unknown as Module['handlers'],
})

export interface MountOptions {
  bases: readonly string[]
  services: Services
  /** Finds the person behind the call; null without a session. Throws 408 or 420 for a session that is over. */
  authenticate: (request: FastifyRequest) => Promise<Actor | null>
  /** Tests let every reply be checked against the contract. */
  checkReplies: boolean
}

export const mount = (app: FastifyInstance, modules: Module[], options: MountOptions) => {
  app.addHook('onResponse', async (request) => options.services.accessLog.forget(request.id))
  for (const module of modules) {
    for (const [name, route] of Object.entries(module.routes)) {
      const handler = module.handlers[name] as Handler<Route>
      const recordAccess = accessRecorder(route)
      for (const base of options.bases) {
        app.route({
          method: route.method,
          url: `${base}/${route.path}`,
          config: { isSignIn: route.isSignIn ?? false },
          handler: (request, reply) => answer({ route, handler, recordAccess }, request, reply, options),
        })
      }
    }
  }
}

interface Mounted {
  route: Route
  handler: Handler<Route>
  recordAccess: ReturnType<typeof accessRecorder>
}

const answer = async (
  { route, handler, recordAccess }: Mounted,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
) => {
  const actor = await admit(route, request, options)
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
    return route.method === 'GET' ? call(db) : write(db, writing, call)
  }
  const result =
    route.makesFile && actor && !isDryRun(input.body)
      ? await inTurn(services, actor, reply, (signal) => run(services.fileDatabases(scope), signal))
      : await run(services.databases(scope), never)
  if (options.checkReplies) checkReply(route, result instanceof JsonText ? JSON.parse(result.text) : result)
  const text = result instanceof JsonText ? result.text : JSON.stringify(result)
  recordAccess?.(options.services.accessLog, { actor, requestId: request.id, params: input.params, text })
  if (route.cache && isStillKnown(request, reply, text)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}

/** The answers stand beside the fields of the body, whose schema does not know them. */
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

/** Lets a call that makes a file wait for its turn, and tells the person that it waits. */
const inTurn = <T>(
  services: Services,
  actor: Actor,
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<T>,
) => {
  const gone = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || gone.abort(new Error('The caller has gone')))
  const onWait = (ahead: number) =>
    void publish(services.databases(systemScope), { topic: fileTopic, userId: actor.userId, data: { ahead } }).catch(
      (error) => services.log.warn({ err: error }, 'event not sent'),
    )
  return services.fileCalls.run({ userId: actor.userId, signal: gone.signal, onWait }, () =>
    work(AbortSignal.any([gone.signal, AbortSignal.timeout(longestFileMs)])),
  )
}

/** Marks the reply by its content and says whether the caller holds the same already. What a person may see is part of the content. */
const isStillKnown = (request: FastifyRequest, reply: FastifyReply, text: string): boolean => {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  reply.headers({ etag: `W/${tag}`, 'cache-control': 'private, max-age=0, must-revalidate', vary: 'authorization' })
  const known = request.headers['if-none-match'] ?? ''
  return known
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === tag || one === '*')
}

const admit = async (route: Route, request: FastifyRequest, options: MountOptions): Promise<Actor | null> => {
  // A public call is open to everybody, also to one who still carries the token of a session that is over.
  if (route.access === 'public') return options.authenticate(request).catch(() => null)
  const actor = await options.authenticate(request)
  if (!actor) throw new AppError('unauthenticated', 'Please sign in')
  if (route.access !== 'signedIn' && !can(actor.role, route.access)) throw forbidden()
  return actor
}

const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (!schema) return undefined
  const parsed = schema.safeParse(value ?? {}, plainly)
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

const checkReply = (route: Route, result: unknown) => {
  const checked = route.reply.safeParse(result)
  if (!checked.success)
    throw new Error(`The reply of ${route.method} ${route.path} breaks its contract: ${checked.error.message}`)
}

/** One call, one transaction: what is answered is committed, what fails leaves nothing. A call that loses to another is run again. */
const write = (
  db: Db,
  call: Parameters<typeof unlessRepeated>[1],
  run: (trx: Trx) => Promise<unknown>,
): Promise<unknown> =>
  runAgainOnConflict(() => db.transaction().execute((trx) => unlessRepeated(trx, call, () => run(trx))))
