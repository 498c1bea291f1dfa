import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { totalFromCounters } from '../apps/server/src/modules/requisition-list/counts.ts'
import { requisitionList } from '../apps/server/src/modules/requisition-list/list.ts'
import { listNames } from '../apps/server/src/modules/requisition-record/names.ts'
import type { Actor } from '../apps/server/src/platform/auth/actor.ts'
import { openPool, type Pool, unrestrictedRole } from '../apps/server/src/platform/db/pool.ts'
import { scopedDatabases } from '../apps/server/src/platform/db/scope.ts'
import { listPage } from '../apps/server/src/platform/lists.ts'
import type { Services } from '../apps/server/src/platform/services.ts'
import { openCostBench } from './cost-server.ts'
import { timed } from './measure.ts'

/** Where the time of a list page goes: shares of the processor time of the server, and milliseconds of the database. */
export interface CostParts {
  server: Record<string, number>
  database: { plan: number; rows: number; json: number }
}

/** Which function of the server belongs to which part: the first one found from the function that runs outward. */
const parts: [part: string, where: RegExp][] = [
  ['session', /platform\/auth\//],
  ['scope', /platform\/db\/(scope|shared-connections|connection-tracking)/],
  ['JSON', /platform\/(lists|zones|http\/(json-text|patient-data))|^(parse|stringify) /],
  ['rows', /node_modules\/(pg|pg-pool|pg-protocol|kysely)\/|platform\/db\//],
  [
    'reading',
    /^(onStreamRead|tryReadStart|readSt(art|op)|\S*\._?read) (node:|$)|node:(_http_incoming|_http_common|internal\/streams\/readable)/,
  ],
  ['writing', /^\S*write\S* (node:|$)|node:(_http_outgoing|internal\/streams\/writable)|fastify\/lib\/reply/i],
  ['routing and rules', /apps\/server\/src\/|node_modules\//],
]
const otherPart = 'the rest of Node'

export const measureCostParts = async (size: number, seconds: number): Promise<CostParts> => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-profile-'))
  try {
    const { from, to, database } = await profileList(size, seconds, folder)
    return { server: sharesOf(largestIn(folder), from, to), database }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const profileList = async (size: number, seconds: number, folder: string) => {
  const bench = await openCostBench(size, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
  try {
    const ask = () => timed({ url: `${bench.api}/requisitions/ALL?page=1&perPage=25`, headers: bench.headers })
    for (let turn = 0; turn < 200; turn++) await ask()
    const from = now()
    const until = performance.now() + Math.max(1, seconds) * 3000
    const askOn = async () => {
      while (performance.now() < until) await ask()
    }
    await Promise.all(Array.from({ length: 8 }, askOn))
    return { from, to: now(), database: await measureDatabase(bench.databaseUrl) }
  } finally {
    await bench.close()
  }
}

/** The clock of the profiles, in microseconds. */
const now = () => Number(process.hrtime.bigint() / 1000n)

interface Profile {
  startTime: number
  samples: number[]
  timeDeltas: number[]
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
}

/** That of the main thread: other threads and programs of the server write smaller ones. */
const largestIn = (folder: string): Profile => {
  const files = readdirSync(folder).map((name) => join(folder, name))
  const [largest = ''] = files.sort((one, other) => statSync(other).size - statSync(one).size)
  return JSON.parse(readFileSync(largest, 'utf8')) as Profile
}

/** Of every part, also of one in which the profile has no sample. */
export const sharesOf = ({ startTime, samples, timeDeltas, nodes }: Profile, from: number, to: number) => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child): [number, number] => [child, id])),
  )
  const partOf = (id: number | undefined): string | null => {
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const { functionName, url } = byId.get(at)?.callFrame ?? { functionName: '', url: '' }
      if (functionName === '(idle)') return null
      if (functionName === '(garbage collector)') return 'clearing memory'
      const part = parts.find(([, where]) => where.test(`${functionName} ${url}`) || where.test(url))
      if (part) return part[0]
    }
    return otherPart
  }
  const times = new Map(parts.map(([part]): [string, number] => [part, 0]))
  let at = startTime
  samples.forEach((sample, index) => {
    const spent = timeDeltas[index] ?? 0
    at += spent
    const part = at >= from && at <= to ? partOf(sample) : null
    if (part) times.set(part, (times.get(part) ?? 0) + spent)
  })
  const total = [...times.values()].reduce((sum, time) => sum + time, 0) || 1
  return Object.fromEntries([...times].map(([part, time]) => [part, time / total]))
}

const turns = 40

/** Of the statement behind the page: its plan, which is kept, its rows, and what printing them as JSON adds. */
const measureDatabase = async (url: string): Promise<CostParts['database']> => {
  const pool = openPool(url, { max: 1, role: unrestrictedRole })
  try {
    const { text, values } = await statementOf(pool)
    await pool.query('set plan_cache_mode = force_generic_plan')
    const plain = text.replace('row_to_json(r)::text as row', 'r.*')
    const whole = await fastestOf(pool, text, values)
    const rows = await fastestOf(pool, plain, values)
    return { plan: whole.plan, rows: rows.run, json: Math.max(0, whole.run - rows.run) }
  } finally {
    await pool.end()
  }
}

const fastestOf = async (pool: Pool, text: string, values: readonly unknown[]) => {
  const explain = `explain (analyze, timing off, summary on, format json) ${text}`
  const times: { plan: number; run: number }[] = []
  for (let turn = 0; turn < turns; turn++) {
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ 'Planning Time': number; 'Execution Time': number }] }>(
      explain,
      [...values],
    )
    const [one] = rows[0]?.['QUERY PLAN'] ?? []
    if (one) times.push({ plan: one['Planning Time'], run: one['Execution Time'] })
  }
  return {
    plan: Math.min(...times.map(({ plan }) => plan)),
    run: Math.min(...times.map(({ run }) => run)),
  }
}

/** The statement that an administrator's first page runs. */
const statementOf = async (pool: Pool) => {
  const actor: Actor = {
    userId: 0,
    userName: '',
    name: '',
    role: 'ADM',
    entityId: null,
    departmentIds: [],
    sessionId: '',
    scope: { role: 'ADM', ids: [] },
  }
  const db = scopedDatabases(pool)(actor.scope)
  const query = { page: 1, perPage: 25, filters: {}, sort: null }
  const total = totalFromCounters('ALL', actor, query)
  const list = requisitionList('ALL', actor, query, await listNames(db, {} as Services))
  let found = { text: '', values: [] as readonly unknown[] }
  const noting = new Proxy(db, {
    get: (target, name) => {
      if (name === 'executeQuery')
        return (statement: Parameters<typeof db.executeQuery>[0] & { sql: string; parameters: readonly unknown[] }) => {
          found = { text: statement.sql, values: statement.parameters }
          return target.executeQuery(statement)
        }
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await listPage(noting, { ...list, ...(total && { total }) }, query)
  return found
}

export const printCostParts = ({ server, database }: CostParts) => {
  const shares = Object.entries(server).sort((one, other) => other[1] - one[1])
  console.log('\nwhere the time of a list page goes')
  console.log(`server: ${shares.map(([part, share]) => `${part} ${(share * 100).toFixed(0)} %`).join(', ')}`)
  const ms = (time: number) => `${time.toFixed(2)} ms`
  console.log(`database: plan ${ms(database.plan)} once, rows ${ms(database.rows)}, JSON ${ms(database.json)}`)
}
