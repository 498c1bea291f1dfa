import { fillPath } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../src/modules.ts'
import { type Caller, openTestApp } from './app.ts'
import { makeWorld, mark, type World } from './authorization/world.ts'
import { type EditCase, editCases } from './lost-updates-cases.ts'

const test = openTestApp()
const writers = 8
let world: World
let cases: Record<string, EditCase>
let people: Caller[]

beforeAll(async () => {
  world = await makeWorld(test, mark.own, (await test.given.lab()).id)
  cases = await editCases(test, world)
  people = await Promise.all(Array.from({ length: writers }, () => test.as('MGMT')))
})

/** The calls whose handler reads `If-Match`; new ones are found automatically. */
const versioned = modules.flatMap(({ routes, handlers }) =>
  Object.entries(routes)
    .filter(([name]) => /\bexpectedVersion\b/.test(String(handlers[name]?.handle ?? handlers[name])))
    .map(([, route]) => `${route.method} ${fillPath(route, (name) => `:${name}`)}`),
)

interface Entry {
  id: number
  old_data: Record<string, unknown> | null
  new_data: Record<string, unknown> | null
}

/** What the eight writers need of a record. */
const open = (name: string) => {
  const found = cases[name] as EditCase
  const self = people[0] as Caller
  const id = found.isOwn ? self.userId : found.id
  const path = found.path.replace(':self', String(self.userId))
  const version = async (): Promise<number> => {
    const { rows } = await test.database.owner.query(
      `select ${found.version ?? 'version'} as version from ${found.table} where ${found.key ?? 'id'} = $1`,
      [id],
    )
    return rows[0].version
  }
  const history = async (after: number): Promise<Entry[]> => {
    const { rows } = await test.database.owner.query<Entry>(
      'select id, old_data, new_data from audit_entry where entity = $1 and entity_id = $2 and id > $3 order by chain_no',
      [found.audit?.entity ?? found.table, found.audit?.id ?? id, after],
    )
    return rows
  }
  const write = (n: number, headers: Record<string, string> = {}) => {
    const who = found.isOwn ? self : (people[n % writers] as Caller)
    return name.startsWith('POST') ? who.post(path, found.body(n), headers) : who.put(path, found.body(n), headers)
  }
  return { ...found, version, history, write }
}

const lastEntry = async () =>
  (await test.database.owner.query('select coalesce(max(id), 0) as id from audit_entry')).rows[0].id
const numbers = (from: number) => Array.from({ length: writers }, (_, n) => from + n)

/** Each write saw the result of the previous one: nothing was overwritten unnoticed. */
const expectUnbroken = (entries: Entry[]) => {
  const last: Record<string, unknown> = {}
  for (const { old_data, new_data } of entries) {
    for (const [field, value] of Object.entries(old_data ?? {}))
      if (field in last) expect([field, value]).toEqual([field, last[field]])
    Object.assign(last, new_data)
  }
}

it('every call that carries a version has its case', () => {
  expect(Object.keys(cases).sort()).toEqual([...versioned].sort())
})

describe.each(versioned)('%s with eight writers at once', (name) => {
  it('of several writers with the same version one succeeds, the others get a conflict', async () => {
    const record = open(name)
    const before = await record.version()
    const replies = await Promise.all(numbers(1).map((n) => record.write(n, { 'if-match': `"${before}"` })))
    const statuses = replies.map(({ status }) => status).sort()
    expect([statuses, replies.find(({ status }) => status >= 400 && status !== 409)?.body]).toEqual([
      [200, ...Array<number>(writers - 1).fill(409)],
      undefined,
    ])
    expect(await record.version()).toBeGreaterThan(before)
  })

  it('writers who read again and retry all succeed, one after the other', async () => {
    const record = open(name)
    const { mark } = record
    if (!mark) return
    const after = await lastEntry()
    await Promise.all(
      numbers(9).map(async (n) => {
        for (;;) {
          const { status, body } = await record.write(n, { 'if-match': `"${await record.version()}"` })
          if (status === 200) return
          expect([status, body.message]).toEqual([409, expect.stringContaining('Somebody else')])
        }
      }),
    )
    const entries = await record.history(after)
    for (const n of numbers(9))
      expect(entries.filter(({ new_data }) => JSON.stringify(new_data).includes(mark(n)))).toHaveLength(1)
    expectUnbroken(entries)
  })

  it('writers without a version succeed one after the other, and the history shows each of them', async () => {
    const record = open(name)
    const { mark } = record
    if (!mark) return
    const after = await lastEntry()
    const replies = await Promise.all(numbers(17).map((n) => record.write(n)))
    expect(replies.map(({ status }) => status)).toEqual(Array<number>(writers).fill(200))
    const entries = await record.history(after)
    for (const n of numbers(17))
      expect(entries.filter(({ new_data }) => JSON.stringify(new_data).includes(mark(n)))).toHaveLength(1)
    expectUnbroken(entries)
  })
})

describe('cells that save themselves', () => {
  const cells = async (codes: string[]) => {
    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    const ids: number[] = []
    for (const code of codes) ids.push((await test.given.orderedTest(id, code)).id)
    const save = (n: number, testId: number | undefined, result: string) =>
      (people[n] as Caller).put(`requisitions/${id}/req_tests/bulk_edit`, {
        reqTests: [{ reqTestId: testId, result, version: 1 }],
      })
    const stored = async () => {
      const { rows } = await test.database.owner.query(
        'select result from requisition_test where id = any($1) order by id',
        [ids],
      )
      return rows.map(({ result }) => result)
    }
    return { ids, save, stored }
  }

  it('eight results for one test: one is stored, seven writers get a conflict', async () => {
    const { ids, save, stored } = await cells(['CHOL', 'HDL'])
    const replies = await Promise.all(people.map((_, n) => save(n, ids[0], `19${n}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(writers - 1).fill(409)])
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(await stored()).toEqual([`19${winner}`, null])
  })

  it('four concurrent results for four tests are all stored, and so are four other cells of the same row', async () => {
    const { ids, save, stored } = await cells(['CHOL', 'HDL', 'TRIG', 'A1C'])
    const values = ['190', '50', '150', '5.5']
    const replies = await Promise.all(values.map((value, n) => save(n, ids[n], value)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await stored()).toEqual(values)

    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    const flag = (await test.database.owner.query('select id from flag where not is_set_by_system order by id limit 1'))
      .rows[0].id
    const sent: [string, object][] = [
      ['/dem_qc', { isDemQcPass: 1 }],
      ['/send_notif', { isSendNotif: 1 }],
      ['/flags', { flagIds: [flag] }],
      ['', { extOrderId: 'Kept' }],
    ]
    const saved = await Promise.all(
      sent.map(([cell, body], n) => (people[n] as Caller).put(`requisitions/${id}${cell}`, body)),
    )
    expect(saved.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { rows } = await test.database.owner.query(
      `select is_dem_qc_pass, is_send_notif, ext_order_id, version, (select array_agg(flag_id) from requisition_flag where requisition_id = r.id) as flags
       from requisition r where id = $1`,
      [id],
    )
    expect(rows).toEqual([
      { is_dem_qc_pass: true, is_send_notif: true, ext_order_id: 'Kept', version: 5, flags: [flag] },
    ])
  })
})
