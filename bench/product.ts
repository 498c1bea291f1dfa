import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { loadBulk } from '../apps/server/seeds/bulk/load-bulk.ts'
import { hashToken } from '../apps/server/src/platform/auth/sessions.ts'
import { runningEmbeddedUrl } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { openPool } from '../apps/server/src/platform/db/pool.ts'
import { multipart, storagePath } from '../apps/server/test/multipart.ts'
import { runServer, untilReady } from '../apps/server/test/server-process.ts'

interface Slot {
  fields: Record<string, string>
}

export interface Product {
  owner: Pool
  /** One call of an administrator; returns `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: the measurements look into whatever comes back
  call: (method: string, path: string, body?: object) => Promise<any>
  send: (slot: Slot, bytes: Buffer) => Promise<void>
  /** Megabytes that the server's own process holds now, PostgreSQL not counted. */
  memory: () => number
  /** Seconds of processor time so far: of the server, and of its PostgreSQL. */
  processor: () => { server: number; postgres: number }
  close: () => Promise<void>
}

const bench = join(import.meta.dirname, '../.cache/bench')

/** The product in a process of its own, as `npm start` runs it, on a fresh copy of a laboratory that is made once. */
export const openProduct = async (requisitions = 20_000): Promise<Product> => {
  const made = join(bench, `loads-${requisitions}`)
  const folder = join(bench, 'loads')
  mkdirSync(bench, { recursive: true })
  if (!existsSync(made)) {
    await make(folder, requisitions)
    renameSync(folder, made)
  }
  rmSync(folder, { recursive: true, force: true })
  execFileSync('cp', ['-a', made, folder])
  const server = await run(folder)
  const owner = openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 2 })
  const authorization = `Bearer ${await signIn(owner)}`
  const call: Product['call'] = async (method, path, body) => {
    const reply = await fetch(`${server.url}/api/v3.0/${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    return ((await reply.json()) as { data: unknown }).data
  }
  const send: Product['send'] = async ({ fields }, bytes) => {
    const { payload, headers } = multipart(fields, bytes)
    const reply = await fetch(`${server.url}${storagePath(fields)}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(payload),
    })
    if (reply.status !== 204) throw new Error(`The store answered ${reply.status}`)
  }
  const close = async () => {
    await owner.end()
    await server.stop('SIGTERM')
  }
  const pid = server.child.pid as number
  const postmaster = Number(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const processor = () => ({ server: secondsOf(pid), postgres: secondsOfFamily(postmaster) })
  return { owner, call, send, memory: () => residentOf(pid), processor, close }
}

const run = async (folder: string) =>
  untilReady(await runServer({ LIS_DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '1000000' }))

const make = async (folder: string, requisitions: number) => {
  rmSync(folder, { recursive: true, force: true })
  const server = await run(folder)
  const owner = openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 2 })
  await loadBulk(owner, { requisitions, passwordHash: 'none', reportFiles: async () => undefined })
  await owner.query('vacuum analyze')
  await owner.end()
  await server.stop()
}

const signIn = async (owner: Pool): Promise<string> => {
  const token = randomBytes(32).toString('base64url')
  await owner.query(
    `insert into session (token_hash, user_id, token_expires_at, absolute_expires_at)
     select $1, id, now() + interval '2 hours', now() + interval '2 hours' from app_user where role_code = 'ADM' and status_code = 'ACT' order by id limit 1`,
    [hashToken(token)],
  )
  return token
}

const residentOf = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)

/** The time of a process and of its ended children, in hundredths of a second. */
const secondsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

const secondsOfFamily = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + secondsOf(one), 0)
}

/** Runs the work and says what it took: seconds by the clock and of the processor, and the server's memory at its start, at most, and at its end. */
export const watch = async (product: Product, work: () => Promise<unknown>) => {
  const begin = performance.now()
  const before = product.processor()
  const start = product.memory()
  let most = start
  const timer = setInterval(() => {
    most = Math.max(most, product.memory())
  }, 100)
  try {
    await work()
    const after = product.processor()
    return {
      seconds: (performance.now() - begin) / 1000,
      processor: { server: after.server - before.server, postgres: after.postgres - before.postgres },
      memory: { start, most, end: product.memory() },
    }
  } finally {
    clearInterval(timer)
  }
}

export const describe = ({ seconds, processor, memory }: Awaited<ReturnType<typeof watch>>) =>
  `${seconds.toFixed(1)} s by the clock, processor ${processor.server.toFixed(1)} s server + ${processor.postgres.toFixed(1)} s PostgreSQL, memory of the server ${memory.start} → at most ${memory.most} → ${memory.end} MB`
