import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { hashToken } from '../apps/server/src/platform/auth/sessions.ts'
import type { Pool } from '../apps/server/src/platform/db/pool.ts'
import { runServer, untilReady } from '../apps/server/test/server-process.ts'
import { openBenchData } from './data.ts'
import { findPeople } from './people.ts'

/**
 * Simulates users of every role, who read, open, search and write with pauses, on a separate server.
 * `npm run bench:users -- --users 200 --minutes 10 --requisitions 1000000`
 */
const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '10' },
    requisitions: { type: 'string', default: '1000000' },
  },
})
const limits = { p95Ms: 200, growthMb: 100 }

/** How many of a hundred users have each role. */
const shares: [person: string, share: number][] = [
  ['STF', 48],
  ['CLNT middle', 14],
  ['CLNT small', 8],
  ['PHYS small', 10],
  ['BILL', 8],
  ['COLA small', 4],
  ['SLS', 3],
  ['ADM', 5],
]

interface User {
  role: string
  token: string
}

/** Whether there is time left after the pause: otherwise all users would wake at the end and ask at once. */
const think = async (until: number): Promise<boolean> => {
  const pause = 2000 + Math.random() * 6000
  if (Date.now() + pause > until) return false
  await wait(pause)
  return true
}
const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(Math.random() * list.length)] as Value

const data = await openBenchData(Number(values.requisitions))
const server = await startServer(data.url, data.folder)
const times = new Map<string, number[]>()
const faults: string[] = []
try {
  const users = await makeUsers(data.owner, Number(values.users))
  const until = Date.now() + Number(values.minutes) * 60_000
  const memory = [server.memory()]
  const watch = setInterval(() => memory.push(server.memory()), 5000)
  await Promise.all(users.map((user) => work(user, until)))
  clearInterval(watch)
  report(memory)
} finally {
  await server.stop()
  await data.close()
}

async function startServer(url: string, folder: string) {
  const process = await untilReady(
    await runServer({
      DATABASE_URL: url,
      LIS_DATA_DIR: folder,
      LIS_SECRET: randomBytes(32).toString('hex'),
      // As `npm start` runs it.
      NODE_OPTIONS: '--max-semi-space-size=8',
      // All of them come from one address here.
      RATE_LIMIT_PER_MINUTE: '1000000',
    }),
  )
  const { pid } = process.child
  return {
    address: process.url,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    stop: process.stop,
  }
}

/** Each user has a session of their own. */
async function makeUsers(owner: Pool, count: number): Promise<User[]> {
  await findPeople(owner)
  const users: User[] = []
  for (let index = 0; index < count; index++) {
    const name = personAt((100 * index) / count)
    const found = await owner.query<{ id: number; role: string }>(
      `select id, role_code as role from app_user where user_name like $1 and deleted_at is null order by id limit 1`,
      [`bench ${name}%`],
    )
    const token = randomBytes(32).toString('base64url')
    await owner.query(
      `insert into session (token_hash, user_id, token_expires_at, absolute_expires_at)
       values ($1, $2, now() + interval '6 hours', now() + interval '6 hours')`,
      [hashToken(token), found.rows[0]?.id],
    )
    users.push({ role: found.rows[0]?.role ?? '', token })
  }
  return users
}

function personAt(percent: number): string {
  let sum = 0
  for (const [person, share] of shares) {
    sum += share
    if (percent < sum) return person
  }
  return 'STF'
}

/** Comes to work within the first half minute, then looks, opens, and writes, with time to think in between. */
async function work(user: User, until: number) {
  await wait(Math.random() * 30_000)
  do {
    const id = await look(user)
    if (!(await think(until))) return
    if (id === undefined) continue
    await open(user, id)
    if (!(await think(until))) return
    if (user.role === 'STF' && Math.random() < 0.5) await write(user, id)
  } while (await think(until))
}

/** A page of the list: mostly the first one, sometimes a later one, a search by name or another order. */
async function look(user: User): Promise<number | undefined> {
  const isLab = ['STF', 'ADM'].includes(user.role)
  const view = isLab
    ? pick(['ALL', 'LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER'])
    : user.role === 'BILL'
      ? 'BILL'
      : 'CLIENTPHYSROLE'
  const dice = Math.random()
  const extra =
    dice < 0.6
      ? ''
      : dice < 0.75
        ? `&page=${2 + Math.floor(Math.random() * 8)}`
        : dice < 0.9
          ? `&filter=${encodeURIComponent(`[patientLastName:${pick(['Smi', 'John', 'Gar', 'Lee', 'Bro'])}]`)}`
          : '&sort=[id,DESC]'
  const reply = await call(user, 'list', 'GET', `requisitions/${view}?perPage=25${extra}`)
  if (isLab && user.role === 'ADM') await call(user, 'counts', 'GET', 'requisitions/status_count')
  const rows = (reply?.data ?? []) as { id: number }[]
  return rows.length > 0 ? pick(rows).id : undefined
}

/** The page of a requisition and some of its tabs, as the browser asks for them; physicians and billing people have no such page. */
async function open(user: User, id: number) {
  if (user.role === 'PHYS' || user.role === 'BILL') return
  await call(user, 'page', 'GET', `requisitions/${id}`)
  if (user.role !== 'STF' && user.role !== 'ADM') return
  const tabs = ['specimens', 'req_tests', 'issues', 'lab_notes', 'req_hists', 'reports', 'docs', 'checklist']
  for (const tab of tabs.filter(() => Math.random() < 0.3)) await call(user, tab, 'GET', `requisitions/${id}/${tab}`)
}

/** A note, or one step on: most of these are refused for a reason, as in life, and that is no fault. */
async function write(user: User, id: number) {
  if (Math.random() < 0.5)
    await call(user, 'note', 'POST', `requisitions/${id}/lab_notes`, { labNoteTypeId: 1, note: 'Seen' })
  else await call(user, 'move', 'PUT', `requisitions/LOG/next_status/bulk_move?id=${id}`, {})
}

function note(name: string, ms: number) {
  const known = times.get(name)
  if (known) known.push(ms)
  else times.set(name, [ms])
}

async function call(user: User, name: string, method: string, path: string, body?: object) {
  const start = performance.now()
  try {
    const response = await fetch(`${server.address}/api/v3.0/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${user.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const reply = (await response.json()) as { data?: unknown; message?: string }
    note(name, performance.now() - start)
    if (!response.ok) faults.push(`${method} ${path} as ${user.role}: ${response.status} ${reply.message}`)
    return reply
  } catch (error) {
    faults.push(`${method} ${path} as ${user.role}: ${(error as Error).message}`)
    return undefined
  }
}

function report(memory: number[]) {
  const all = [...times.values()].flat()
  const at = (list: number[], part: number) => list.toSorted((a, b) => a - b)[Math.floor(list.length * part)] ?? 0
  console.log(`\n| call | calls | p50 | p95 | p99 |\n|---|---|---|---|---|`)
  for (const [name, list] of [...times, ['all', all] as const])
    console.log(
      `| ${name} | ${list.length} | ${[0.5, 0.95, 0.99].map((part) => `${at(list, part).toFixed(0)} ms`).join(' | ')} |`,
    )
  // The first minute fills the caches; from then on it must not grow.
  const settled = memory.slice(12)
  const growth = (settled.at(-1) ?? 0) - (settled[0] ?? 0)
  console.log(
    `\nMemory: ${memory[0]?.toFixed(0)} MB at rest, ${settled[0]?.toFixed(0)} MB after a minute, at most ${Math.max(...memory).toFixed(0)} MB, ${memory.at(-1)?.toFixed(0)} MB at the end`,
  )
  console.log(`Faults: ${faults.length}`)
  for (const fault of new Set(faults.slice(0, 20))) console.log(`  ${fault}`)
  if (at(all, 0.95) > limits.p95Ms || faults.length > 0 || growth > limits.growthMb) process.exitCode = 1
}
