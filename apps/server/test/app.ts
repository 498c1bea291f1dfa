import { setTimeout as wait } from 'node:timers/promises'
import type { Role } from '@lis/contract/access/roles.ts'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect } from 'vitest'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/platform/config.ts'
import { heldConnections } from '../src/platform/db/connection-tracking.ts'
import { openLog } from '../src/platform/log.ts'
import { type AssembledServices, assembleServices } from '../src/start.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { factories, type Given } from './given.ts'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  body: any
  headers: Record<string, unknown>
}

type Send = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

/** A caller with or without a session: calls go through the real routes in process. */
export interface Caller {
  userId: number
  token: string
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  post: Send
  put: Send
  del: Send
}

export interface TestApp {
  app: FastifyInstance
  database: TestDatabase
  services: AssembledServices['services']
  given: Given
  /** A new user of the role; the entity is the client, collaborator, physician, sales person or lab it belongs to. */
  as: (role: Role, entityId?: number) => Promise<Caller>
  nobody: Caller
  inject: (options: InjectOptions) => Promise<Reply>
}

export interface TestAppOptions {
  env?: Record<string, string>
  /** Where the log goes; nowhere unless LOG_LEVEL says so. */
  log?: { write: (line: string) => void }
  /** Instead of a clone of the template. */
  database?: () => Promise<TestDatabase>
}

/** Builds the server on a separate database for the tests of one file; everything is closed after them. */
export const openTestApp = ({ env = {}, log, database: open = openTestDatabase }: TestAppOptions = {}): TestApp => {
  const test = {} as TestApp
  let assembled: AssembledServices
  beforeAll(async () => {
    const database = await open()
    const config = readConfig({
      LIS_DATA_DIR: database.folder,
      LIS_DEMO: '1',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '1000000',
      SIGN_IN_LIMIT_PER_MINUTE: '1000000',
      ...env,
    })
    // Not by the settings: a demo refuses an external database.
    if (database.pooledUrl)
      Object.assign(config, { DATABASE_URL: database.pooledUrl, DATABASE_DIRECT_URL: database.url })
    if (database.replicaUrl) Object.assign(config, { DATABASE_REPLICA_URL: database.replicaUrl })
    assembled = await assembleServices(config, database.url, openLog(config.LOG_LEVEL, log))
    const app = await buildApp(assembled.services, { checkReplies: true, sessionAgeMs: 0 })
    const given = factories(database.db)
    const inject = async (options: InjectOptions) => toReply(await app.inject(options))
    Object.assign(test, {
      app,
      database,
      services: assembled.services,
      given,
      inject,
      nobody: caller(inject, 0, ''),
      as: async (role: Role, entityId?: number) => {
        const { userId, token } = await given.session(role, entityId)
        return caller(inject, userId, token)
      },
    } satisfies TestApp)
  })
  afterAll(async () => {
    await test.app?.close()
    const held = assembled ? await findUnreleased(assembled.services.pools) : []
    // A pool does not end while a connection is in use; then the database is dropped without ending it.
    if (held.length === 0) await assembled?.stop()
    await test.database?.close()
    expect(held, 'connections that no call has released').toEqual([])
  })
  return test
}

const waitMs = 60_000

/** Connections that are still in use after every call has been answered; the access log and the rate limits write a moment later. */
export const findUnreleased = async (pools: AssembledServices['services']['pools']) => {
  for (const end = Date.now() + waitMs; Date.now() < end; await wait(20))
    if (pools.every((pool) => heldConnections(pool).length === 0)) return []
  return pools.flatMap(heldConnections)
}

const toReply = (response: Awaited<ReturnType<FastifyInstance['inject']>>): Reply => {
  const isJson = String(response.headers['content-type'] ?? '').includes('json')
  return {
    status: response.statusCode,
    body: isJson && response.body ? JSON.parse(response.body) : response.body,
    headers: response.headers,
  }
}

const base = '/api/v3.0'

const caller = (inject: (options: InjectOptions) => Promise<Reply>, userId: number, token: string): Caller => {
  const send =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      inject({
        method,
        url: path.startsWith('/') ? path : `${base}/${path}`,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
        ...(body !== undefined && { payload: body as object }),
      })
  return {
    userId,
    token,
    get: (path, headers) => send('GET')(path, undefined, headers),
    post: send('POST'),
    put: send('PUT'),
    del: send('DELETE'),
  }
}
