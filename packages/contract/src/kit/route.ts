import { z } from 'zod'
import type { Permission } from '../access/permissions.ts'

/** Who may call: a permission of the table, any signed-in person, or (spelled out, never by omission) everybody. */
export type Access = Permission | 'signedIn' | 'public'
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One call as both sides agree on it. `access` is required: a route that names nobody does not compile. */
export interface Route {
  method: Method
  /** Relative to the API base, parameters as `:name`, or `:name(pattern)` where two routes differ only by it. */
  path: string
  access: Access
  summary?: string
  /** The application calls it on the report API (TABLE-G9); it answers under both addresses. */
  isReportApi?: true
  /** A list that seldom changes: the browser keeps the reply and asks whether it still holds (ETag, 304). */
  cache?: 'revalidate'
  /** Tries a name, a password or a code: counted with the sign-ins of the caller's address, of which few a minute are let through. */
  isSignIn?: true
  /** A write whose reply is a secret: it is not kept for a repeat (Idempotency-Key), which simply runs once more. */
  isReplySecret?: true
  /**
   * The same call by the same person so soon after the first, or while that still runs, is a repeat of it and gets its reply, as long as
   * nothing has changed on its requisition. An Idempotency-Key of the caller's own decides otherwise.
   */
  repeatsWithinMs?: number
  /** Codes of the questions that it may ask before it saves; the body then takes `answers` besides. */
  asks?: readonly string[]
  /** Shows patient data although the type of its reply does not say so, as with a file: see kit/patient-data.ts. */
  patientData?: true
  /** Makes a file: only a few of these run at once, the others wait for their turn. A dry run does not. */
  makesFile?: true
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  reply: z.ZodType
}

/** Where the two APIs stand, on the host of the application (TABLE-G8). */
export const apiBase = '/api/v3.0'
export const reportBase = '/report/v3.0'

/** Sent with a call that nobody at the screen has caused: it is answered, but does not count as use of the session. */
export const backgroundHeader = 'x-background'

/** Two clicks, two tabs or a retry without a key: nobody means the same write twice within this time (DAY-35). */
export const repeatWindowMs = 10_000

/** Sent with an Idempotency-Key that the program made for one click: it says nothing about whether the same write is meant once more. */
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
type Part<R, K extends string> = R extends Record<K, infer T> ? T : undefined

/** What a handler receives, after parsing. */
export type ParamsOf<R> = Output<Part<R, 'params'>>
export type QueryOf<R> = Output<Part<R, 'query'>>
export type BodyOf<R> = Output<Part<R, 'body'>>
/** What a caller sends, before parsing. */
export type ParamsIn<R> = Input<Part<R, 'params'>>
export type QueryIn<R> = Input<Part<R, 'query'>>
export type BodyIn<R> = Input<Part<R, 'body'>>
export type ReplyOf<R> = Output<Part<R, 'reply'>>

/** The path with each parameter written by `print`. */
export const fillPath = ({ path }: Pick<Route, 'path'>, print: (name: string) => string) =>
  path.replace(/:(\w+)(?:\([^)]*\))?/g, (_, name: string) => print(name))

/** A path parameter that is a positive whole number. */
export const idParam = z.coerce.number<string | number>().int().positive().max(Number.MAX_SAFE_INTEGER)
export const byId = z.object({ id: idParam })
