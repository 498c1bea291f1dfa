import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const query = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows

/** What has been kept so far happened on that day. Versions are append-only, also for a test that needs some of earlier days. */
const happenedOn = async (instant: string, entity: string, id: number) => {
  await query('alter table record_version disable trigger user')
  await query(
    "update record_version set valid_from = $1::timestamptz + (id - (select min(id) from record_version)) * interval '1 ms' where entity like $2 || '%' and (entity_id = $3 or owner_id = $3) and valid_from > now() - interval '1 hour'",
    [instant, entity, id],
  )
  await query('alter table record_version enable trigger user')
}
const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe('asOf', () => {
  it('SOUT-12 gives the record of a laboratory with its accreditations as it was on a day, and its first version before', async () => {
    const { id } = await test.given.lab({ zone: 'America/New_York' })
    const accreditations = [{ bodyName: 'CAP', accreditationNumber: '7212345', validTo: null }]
    await admin.put(`labs/${id}`, { labCity: 'Boston', cliaNumber: '20D2104417', accreditations })
    await happenedOn('2026-03-10T12:00:00Z', 'lab', id)
    expect((await admin.put(`labs/${id}`, { labCity: 'Salem', accreditations: [] })).status).toBe(200)
    const on = async (day: string) => (await admin.get(`labs/${id}?asOf=${day}`)).body.data
    const boston = { labCity: 'Boston', cliaNumber: '20D2104417', accreditations, version: 2 }
    expect(await on('2026-03-10')).toMatchObject(boston)
    expect(await on(dayAgo(2))).toMatchObject(boston)
    expect(await on(dayAgo(-1))).toMatchObject({ labCity: 'Salem', accreditations: [], version: 3 })
    expect(await on('1999-12-31')).toMatchObject({ id, accreditations: [] })
    expect((await admin.get(`labs/${id}`)).body.data).toMatchObject({ labCity: 'Salem', accreditations: [] })
    expect((await admin.get('labs/999999?asOf=2026-01-01')).status).toBe(404)
  })

  it('SOUT-12 gives the ranges of a collaborator as they were on a day, also those that were deleted since', async () => {
    const { id } = await test.given.collaborator()
    const [chol] = await query("select id from test where code = 'CHOL'")
    const range = { testId: chol.id, units: 'mg/dL', colaMNormalLo: '0', colaMNormalHi: '199' }
    const path = `collaborators/${id}/test_ranges`
    const { data } = (await admin.post(path, { colaRanges: [range] })).body
    await happenedOn('2026-03-10T12:00:00Z', 'collaborator_test_range', data.id)
    expect((await admin.put(`${path}/${data.id}`, { colaMNormalHi: '180' })).status).toBe(200)
    await happenedOn('2026-05-10T12:00:00Z', 'collaborator_test_range', data.id)
    expect((await admin.del(`${path}/${data.id}`)).status).toBe(200)
    const on = async (day: string) => {
      const { body } = await admin.get(`${path}?asOf=${day}`)
      return [body.total, ...body.data.map((row: { colaMNormalHi: number }) => Number(row.colaMNormalHi))]
    }
    expect(await on('2026-03-09')).toEqual([0])
    expect(await on('2026-03-10')).toEqual([1, 199])
    expect(await on('2026-05-09')).toEqual([1, 199])
    expect(await on('2026-05-10')).toEqual([1, 180])
    expect(await on(dayAgo(-1))).toEqual([0])
    expect((await admin.get(path)).body.total).toBe(0)
  })

  it('SOUT-12 gives the prices of a client as they were on a day, to the client only its own', async () => {
    const { id } = await test.given.client()
    const [chol] = await query("select id from test where code = 'CHOL'")
    const path = `clients/${id}/prices`
    const { data } = (await admin.post(path, { testId: chol.id, price: '12.50', currencyCode: 'USD' })).body
    await happenedOn('2026-03-10T12:00:00Z', 'client_test_price', data.id)
    expect((await admin.put(`${path}/${data.id}`, { price: '14.00' })).status).toBe(200)
    const own = await test.as('CLNT', id)
    for (const reader of [admin, own]) {
      const priceOn = async (day: string) => (await reader.get(`${path}?asOf=${day}`)).body.data[0]?.price
      expect(await priceOn('2026-03-10')).toBe(12.5)
      expect(await priceOn(dayAgo(-1))).toBe(14)
      expect((await reader.get(`${path}?asOf=2026-03-09`)).body).toMatchObject({ total: 0, data: [] })
    }
    const stranger = await test.as('CLNT')
    expect((await stranger.get(`${path}?asOf=2026-03-10`)).status).toBe(404)
    const kept = async (caller: number) =>
      test.services
        .databases({ role: 'CLNT', ids: [caller] })
        .selectFrom('record_version')
        .select('id')
        .where('entity', '=', 'client_test_price')
        .where('owner_id', '=', id)
        .execute()
    expect(await kept(id)).toHaveLength(2)
    expect(await kept(id + 1)).toHaveLength(0)
  })

  it('SOUT-12 gives the catalogue as it was on a day: a day ends at midnight in the zone of the laboratory', async () => {
    await query('update lab set is_default = false')
    await test.given.lab({ zone: 'America/New_York', is_default: true })
    const { testId, mNormalHi } = (await admin.get('default_tests')).body.data.find(
      (row: { testCode: string }) => row.testCode === 'CHOL',
    )
    await admin.put(`labs/${(await test.given.lab()).id}`, { labCity: 'Boston' })
    await query('update test set m_normal_hi = 777 where id = $1', [testId])
    await happenedOn('2026-03-11T03:30:00Z', 'test', testId) // 23:30 of the day before in New York
    const on = async (day: string) =>
      (await admin.get(`default_tests?asOf=${day}&testCode=CHOL`)).body.data[0].mNormalHi
    expect(await on('2026-03-09')).toBe(mNormalHi)
    expect(await on('2026-03-10')).toBe(777)
    const { body } = await admin.get('default_tests?asOf=2026-03-09')
    expect(body.total).toBe((await admin.get('default_tests')).body.total)
  })

  it('SOUT-12 gives rules and limits as they were on a day', async () => {
    const limit = (await admin.post('critical_limits', { testCode: 'CHOL', hi: '400' })).body.data.id
    const rule = (await admin.post('autoverify_rules', { testCode: 'CHOL', low: '100', high: '240' })).body.data.id
    const added = { op: '>', value: '240', addTestCodes: ['HDL'], addPanelCodes: [] }
    const reflex = (await admin.post('reflex_rules', { testCode: 'CHOL', ...added })).body.data.id
    for (const [entity, id] of [
      ['critical_limit', limit],
      ['autoverify_rule', rule],
      ['reflex_rule', reflex],
    ])
      await happenedOn('2026-03-10T12:00:00Z', entity, id)
    await admin.put(`critical_limits/${limit}`, { hi: '500' })
    await admin.del(`autoverify_rules/${rule}`)
    await admin.put(`reflex_rules/${reflex}`, { addTestCodes: ['TRIG'] })
    const on = async (path: string, day: string, id: number) =>
      (await admin.get(`${path}?asOf=${day}`)).body.data.find((row: { id: number }) => row.id === id)
    expect((await on('critical_limits', '2026-03-10', limit)).hi).toBe('400')
    expect((await on('critical_limits', dayAgo(-1), limit)).hi).toBe('500')
    expect(await on('autoverify_rules', '2026-03-10', rule)).toMatchObject({ low: '100', high: '240' })
    expect(await on('autoverify_rules', dayAgo(-1), rule)).toBeUndefined()
    expect(await on('autoverify_rules', '2026-03-09', rule)).toBeUndefined()
    expect((await on('reflex_rules', '2026-03-10', reflex)).addTestCodes).toEqual(['HDL'])
    expect((await on('reflex_rules', dayAgo(-1), reflex)).addTestCodes).toEqual(['TRIG'])
  })

  it('SOUT-12 refuses an asOf that is not a date', async () => {
    const [lab, client, cola] = [await test.given.lab(), await test.given.client(), await test.given.collaborator()]
    const paths = [
      'default_tests',
      `collaborators/${cola.id}/test_ranges`,
      `clients/${client.id}/prices`,
      `labs/${lab.id}`,
      'critical_limits',
      'autoverify_rules',
      'reflex_rules',
    ]
    for (const path of paths)
      for (const day of ['2026-02-30', '03/10/2026', 'yesterday', '2026-3-1']) {
        const { status, body } = await admin.get(`${path}?asOf=${encodeURIComponent(day)}`)
        expect([path, status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([path, 400, ['asOf']])
      }
  })

  it('keeps versions that nobody can change, and none for a save that changes nothing', async () => {
    const { id } = await test.given.lab()
    const accreditations = [{ bodyName: 'CAP', accreditationNumber: '1', validTo: null }]
    await admin.put(`labs/${id}`, { accreditations })
    const count = async () =>
      (
        await query(
          "select count(*)::int as n from record_version where entity = 'lab_accreditation' and entity_id = $1",
          [id],
        )
      )[0].n
    expect(await count()).toBe(1)
    await admin.put(`labs/${id}`, { labCity: 'Salem' })
    expect(await count()).toBe(1)
    for (const change of [
      'update record_version set data = null',
      'delete from record_version',
      'truncate record_version',
    ])
      await expect(query(change)).rejects.toThrow('append-only')
  })
})
