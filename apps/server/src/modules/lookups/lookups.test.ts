import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { lookupRoutes, lovTypes } from '@lis/contract/lookups.ts'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let who: Caller

beforeAll(async () => {
  // Before anybody asks: the answer is remembered for a while.
  await test.given.lab()
  who = await test.as('CLNT')
})

const paths = Object.values(lookupRoutes)
  .map(({ path }) => path)
  .filter((path) => !path.includes(':'))

describe('the lookups', () => {
  it.each([...paths, ...lovTypes.map((type) => `lovs/${type}`)])(
    'TABLE-095 TABLE-101 TABLE-102 TABLE-103 %s gives rows, a total and a message',
    async (path) => {
      const { status, body } = await who.get(`${path}?perPage=-1`)
      expect([status, body.message, Array.isArray(body.data)]).toEqual([200, '', true])
      expect(body.total).toBeGreaterThanOrEqual(body.data.length)
    },
  )

  it.each([
    ['LOOK-001', 'lovs/CLIENTREQTYPE', ''],
    ['LOOK-002', 'lovs/SALESTYPE', ''],
    ['LOOK-003', 'lovs/WEIGHTUOM', ''],
    ['LOOK-004', 'lovs/HEIGHTUOM', ''],
    ['LOOK-005', 'lovs/FAMHISTT2D', ''],
    ['LOOK-006', 'lovs/COLLECTIONMETHOD', ''],
    ['LOOK-007', 'lovs/RACE', ''],
    ['LOOK-008', 'lovs/ETHNICITY', ''],
    ['LOOK-009', 'lovs/SPECIMENTYPE', ''],
    ['LOOK-010', 'lovs/TEMPERATURETYPE', ''],
    ['LOOK-011', 'lovs/CONTAINERTYPE', ''],
    ['LOOK-012', 'lovs/SPECLOCTYPE', ''],
    ['LOOK-013', 'lovs/SAMPLESIZE', ''],
    ['LOOK-014', 'lovs/RELATIONTYPE', ''],
    ['LOOK-015', 'lovs/PAYMENTTYPE', ''],
    ['LOOK-016', 'lovs/PAYERTYPE', ''],
    ['LOOK-017', 'lovs/LABQCSTATUS', ''],
    ['LOOK-018', 'lovs/PORTALPREF', ''],
    ['LOOK-019', 'lovs/TRANSMITMETHOD', ''],
    ['LOOK-020', 'lovs/BILLTYPE', ''],
    ['LOOK-021 VIEW-62', 'lovs/REQBILLTYPE', ''],
    ['LOOK-022', 'lovs/ISSUESTATUS', ''],
    ['LOOK-023', 'lovs/REPORTNAMEFORMAT', ''],
    ['LOOK-024', 'lovs/REPORTDELIVERTO', ''],
    ['LOOK-025', 'lovs/IDPRINTOUT', ''],
    ['LOOK-026', 'lovs/CURRENCY', ''],
    ['LOOK-027', 'lovs/BATCHTYPE', ''],
    ['LOOK-028', 'lovs/LOADFILETYPE', ''],
    ['LOOK-029 VIEW-58', 'lovs/PASSCODE', ''],
    ['LOOK-030 VIEW-59', 'lovs/FAILCODE', ''],
    ['LOOK-031 VIEW-60', 'lovs/LABNOTE', ''],
    ['LOOK-032 VIEW-61', 'lovs/TESTCODE', ''],
    ['LOOK-033 VIEW-63', 'lovs/TESTCOMBO', ''],
    ['LOOK-034', 'reasons/PASS', ''],
    ['LOOK-035', 'reasons/FAIL', ''],
    ['LOOK-036 VIEW-54', 'labs', 'id labName'],
    ['LOOK-037 VIEW-67', 'countries', 'id countryLongName'],
    ['LOOK-038 VIEW-69', 'states', 'id stateLongname'],
    ['LOOK-042 VIEW-56', 'flags', ''],
    ['LOOK-043 VIEW-55', 'depts', 'deptCode deptName'],
    ['LOOK-044', 'issue_types', ''],
    ['LOOK-045 VIEW-57', 'req_status_types', ''],
    ['LOOK-046', 'lab_note_types', ''],
    ['LOOK-047', 'ins_co', ''],
    ['LOOK-048', 'icds', ''],
    ['LOOK-049', 'default_tests', ''],
    ['LOOK-050', 'programs', ''],
    ['LOOK-051', 'roles', ''],
  ])('%s %s is a list with rows', async (_, path, fields) => {
    const { body } = await who.get(path)
    expect(body.total).toBeGreaterThan(0)
    for (const field of fields.split(' ').filter(Boolean)) expect(body.data[0][field]).not.toBeUndefined()
  })

  it('TABLE-025 TABLE-098 gives the whole list without a page, and by perPage -1', async () => {
    for (const path of ['countries', 'countries?perPage=-1']) {
      const { body } = await who.get(path)
      expect(body.data.length).toBe(body.total)
      expect(body.total).toBeGreaterThan(100)
    }
  })

  it('LOOK-059 VIEW-68 gives the states of one country', async () => {
    const { data } = (await who.get('countries?filter=[countryCode:US]')).body
    const { body } = await who.get(`countries/${data[0].id}/states`)
    expect(body.total).toBeGreaterThanOrEqual(50)
    expect(new Set(body.data.map((row: { countryId: number }) => row.countryId))).toEqual(new Set([data[0].id]))
    expect((await who.get('countries/999999/states')).body.data).toEqual([])
  })

  it('LIST-187 LIST-188 gives flags with their id and description', async () => {
    const { body } = await who.get('flags')
    expect(body.data[0]).toMatchObject({ id: expect.any(Number), flagDesc: expect.any(String) })
  })

  it.each(roles)('%s: for registered users only', async (role) => {
    const { status } = await (await test.as(role)).get('flags')
    expect(status).toBe(can(role, 'lookups.read') ? 200 : 403)
  })

  it.each([
    ['flags?filter=[nope:1]', 400],
    ['flags?filter=[id:x]', 400],
    ['flags?sort=[sort_order,ASC]', 400],
    ["flags?filter=[flagDesc:'; drop table flag]", 200],
    [`flags?filter=[flagDesc:${'x'.repeat(5000)}]`, 200],
    [`icds?q=${'x'.repeat(5000)}`, 200],
    ['icds?filter=[q:%25_%25]', 200],
    ['flags?page=99999&perPage=25', 200],
    ['countries/abc/states', 400],
    ['countries/9007199254740991/states', 200],
  ])('answers %s with %i, never with 500', async (path, status) => {
    expect((await who.get(path)).status).toBe(status)
  })

  it('gives of a very long list no more than a thousand at once, and tells how many there are', async () => {
    await test.database.owner.query(
      "insert into icd (code, description) select 'Q' || n, 'Many ' || n from generate_series(100000, 102000) n",
    )
    const { body } = await who.get(`icds?q=many&perPage=-1`)
    expect([body.data.length, body.total]).toEqual([1000, 2001])
  })
})

describe('the browser keeps a lookup', () => {
  it('and gets 304 without the body while it is unchanged', async () => {
    const first = await who.get('flags')
    const etag = String(first.headers.etag)
    expect([etag, first.headers['cache-control']]).toEqual([
      expect.stringMatching(/^W\/"[\w-]{27}"$/),
      'private, max-age=0, must-revalidate',
    ])
    for (const known of [etag, etag.slice(2), `"other", ${etag}`]) {
      const again = await who.get('flags', { 'if-none-match': known })
      expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    expect((await who.get('flags', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('and gets it again after a change, for another query, or in another scope', async () => {
    const tagOf = async (caller: Caller, path: string) => (await caller.get(path)).headers.etag
    const before = await tagOf(who, 'flags')
    expect(await tagOf(who, 'flags?perPage=1')).not.toBe(before)
    await test.database.owner.query(
      "update flag set description = description || ' (new)' where id = (select min(id) from flag)",
    )
    // Such lists are kept for five seconds.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6_000 })
    expect((await who.get('flags', { 'if-none-match': String(before) })).status).toBe(200)
    vi.useRealTimers()
    const one = await test.as('COLA')
    expect(await tagOf(one, 'collaborators')).not.toBe(await tagOf(await test.as('COLA'), 'collaborators'))
    expect((await one.get('sales')).headers.etag).toBeDefined()
  })

  it('but never answers without a session, nor caches a refusal', async () => {
    const etag = String((await who.get('flags')).headers.etag)
    const nobody = await test.nobody.get('flags', { 'if-none-match': etag })
    const guest = await (await test.as('GST')).get('flags', { 'if-none-match': '*' })
    expect([nobody.status, guest.status]).toEqual([401, 403])
    expect([nobody.headers['cache-control'], guest.headers['cache-control']]).toEqual(['no-store', 'no-store'])
  })

  it('and keeps nothing of other calls', async () => {
    const { headers } = await (await test.as('MGMT')).get('users')
    expect([headers.etag, headers['cache-control']]).toEqual([undefined, 'no-store'])
  })
})
