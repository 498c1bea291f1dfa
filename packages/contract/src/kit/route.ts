import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'

/** Who may call: a permission of the table, any signed-in person, or (spelled out, never by omission) everybody. */
export type Access = Permission | 'signedIn' | 'public'
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The definition of one call. `access` is required: a route without it does not compile. */
export interface Route {
  method: Method
  /** Relative to the API base, parameters as `:name`, or `:name(pattern)` where two routes differ only by it. */
  path: string
  access: Access
  summary?: string
  /** The application calls it on the report API (TABLE-G9); it answers under both addresses. */
  isReportApi?: true
  /** A list that rarely changes: the browser caches the reply and revalidates it (ETag, 304). */
  cache?: 'revalidate'
  /** Checks a user name, a password or a code: rate-limited by IP address together with sign-ins. */
  isSignIn?: true
  /** Opened by a secret in its address, again and again: rate-limited by IP address on its own, so that it uses up no sign-ins. */
  isOpenedByKey?: true
  /** A write whose reply is secret: it is not stored for the Idempotency-Key, so a repeated call runs again. */
  isReplySecret?: true
  /**
   * The same call by the same user within this time, or while the first still runs, counts as a repeat and gets the first reply, unless
   * its requisition has changed in between. An explicit Idempotency-Key overrides this.
   */
  repeatsWithinMs?: number
  /** Codes of the questions that it may ask before it saves; the body then also accepts `answers`. */
  asks?: readonly string[]
  /** Shows patient data although its reply type does not (a file): see kit/patient-data.ts. */
  patientData?: true
  /** A write that an administrator may make while viewing as somebody else; all others are refused. */
  isOpenToViewers?: true
  /** Generates a file: only a few of these run at once, the others are queued. A dry run is not. */
  makesFile?: true
  /** The content type of a reply that is not JSON. */
  replyType?: string
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  reply: z.ZodType
}

/** Base paths of the two APIs (TABLE-G8). */
export const apiBase = '/api/v3.0'
export const reportBase = '/report/v3.0'

/** Sent with a call that no user action has caused: it does not extend the session. */
export const backgroundHeader = 'x-background'

/** Within this time the same write is a double click, a second tab or a retry (DAY-35). */
export const repeatWindowMs = 10_000

/** Sent with an Idempotency-Key generated per click: it does not tell an intended second write from a repeat. */
export const automaticKeyHeader = 'x-automatic-key'

type Spec = Omit<Route, 'method' | 'path'>

const verb =
  <M extends Method>(method: M) =>
  <const S extends Spec>(path: string, spec: S): { method: M; path: string } & S => ({ method, path, ...spec })

export const get = verb('GET')
export const post = verb('POST')
export const put = verb('PUT')
export const del = verb('DELETE')

type Output<T> = T extends z.ZodType ? z.output<T> : undefined
type Input<T> = T extends z.ZodType ? z.input<T> : undefined
type FieldOf<R, K extends string> = R extends Record<K, infer T> ? T : undefined

/** What a handler receives, after parsing. */
export type ParamsOf<R> = Output<FieldOf<R, 'params'>>
export type QueryOf<R> = Output<FieldOf<R, 'query'>>
export type BodyOf<R> = Output<FieldOf<R, 'body'>>
/** What a caller sends, before parsing. */
export type ParamsIn<R> = Input<FieldOf<R, 'params'>>
export type QueryIn<R> = Input<FieldOf<R, 'query'>>
export type BodyIn<R> = Input<FieldOf<R, 'body'>>
export type ReplyOf<R> = Output<FieldOf<R, 'reply'>>

/** The path with each parameter replaced by `value(name)`. */
export const fillPath = ({ path }: Pick<Route, 'path'>, value: (name: string) => string) =>
  path.replace(/:(\w+)(?:\([^)]*\))?/g, (_, name: string) => value(name))

/** A path parameter that is a positive integer. */
export const idParam = z.coerce.number<string | number>().int().positive().max(Number.MAX_SAFE_INTEGER)
export const byId = z.object({ id: idParam })
