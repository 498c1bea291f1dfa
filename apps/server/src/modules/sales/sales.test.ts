import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

let serial = 0
const aPerson = (over: Record<string, unknown> = {}) => ({
  salesFirstName: 'Jane',
  salesLastName: `Tiller${++serial}`,
  salesEmail: `jane${serial}@example.com`,
  salesTitle: 'Sales Rep.',
  salesTypeCode: 'SLS',
  ...over,
})
const created = async (over: Record<string, unknown> = {}) =>
  (await staff.post('sales', aPerson(over))).body.data.id as number
const filter = (text: string) => `filter=${encodeURIComponent(text)}`
const outsiders = roles.filter((role) => !can(role, 'sales.read'))

describe('POST sales', () => {
  const whole = once(async () => {
    const bossId = await created({ salesFirstName: 'Bea', salesLastName: 'Boss' })
    const { status, body } = await staff.post('sales', {
      ...aPerson({ salesMiddleName: 'Q', salesPhone: '+1 (617) 555-0123', reportToId: String(bossId) }),
      salesCompanyName: 'Acme',
      salesNote: 'Calls on Mondays',
      salesRepCode: 'JT-01',
    })
    expect([status, body]).toEqual([200, { data: { id: expect.any(Number) }, message: 'Successfully created' }])
    const expected = {
      id: body.data.id,
      salesFirstName: 'Jane',
      salesMiddleName: 'Q',
      salesLastName: `Tiller${serial}`,
      salesEmail: `jane${serial}@example.com`,
      salesPhone: '16175550123',
      salesTitle: 'Sales Rep.',
      reportToId: bossId,
      reportTo: 'Bea Boss',
      salesCompanyName: 'Acme',
      salesNote: 'Calls on Mondays',
      salesTypeCode: 'SLS',
      salesTypeDesc: 'Sales rep',
      salesRepCode: 'JT-01',
      version: 1,
    }
    return { data: (await staff.get(`sales/${body.data.id}`)).body.data, expected }
  })

  it('SAL-42 SAL-44 creates a person that can be read with every field', async () => {
    const { data, expected } = await whole()
    expect(data).toEqual(expected)
  })

  it.each([
    ['SAL-16', 'id'],
    ['SAL-17', 'salesFirstName'],
    ['SAL-18', 'salesMiddleName'],
    ['SAL-19', 'salesLastName'],
    ['SAL-20', 'salesEmail'],
    ['SAL-21', 'salesPhone'],
    ['SAL-22', 'salesTitle'],
    ['SAL-23', 'reportToId'],
    ['SAL-24', 'reportTo'],
    ['SAL-25', 'salesCompanyName'],
    ['SAL-26', 'salesNote'],
    ['SAL-27', 'salesTypeCode'],
    ['SAL-28', 'salesTypeDesc'],
    ['SAL-29', 'salesRepCode'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it.each(['Manager', 'Sales Rep.', 'Service Rep.', 'VP of Sales', 'Regional Sales Director'])(
    'SAL-30 SAL-31 SAL-32 SAL-33 SAL-34 takes the profession %s',
    async (salesTitle) => {
      expect((await staff.get(`sales/${await created({ salesTitle })}`)).body.data.salesTitle).toBe(salesTitle)
    },
  )

  it('SAL-35 SAL-36 SAL-28 tells sales reps from service reps', async () => {
    const id = await created({ salesTypeCode: 'SVC' })
    expect((await staff.get(`sales/${id}`)).body.data).toMatchObject({
      salesTypeCode: 'SVC',
      salesTypeDesc: 'Service rep',
    })
  })

  it.each([
    ['SAL-37', 'salesFirstName', '  ', 'First Name is required'],
    ['SAL-38', 'salesLastName', '', 'Last Name is required'],
    ['SAL-39', 'salesEmail', undefined, 'Email is required'],
    ['SAL-40', 'salesTitle', null, 'Profession is required'],
    ['SAL-41', 'salesTypeCode', '', 'Sales Type Code is required'],
    ['SAL-G1', 'salesEmail', 'jane@', 'Invalid email'],
    ['SAL-G1', 'salesPhone', '12', 'Invalid phone number'],
    ['SAL-G5', 'reportToId', 999_999, 'Reports To is invalid'],
    ['SAL-G5', 'reportToId', '9999999999999999', 'Reports To is invalid'],
    ['SAL-G2', 'salesTitle', 'Astronaut', 'Profession is invalid'],
    ['the length of', 'salesFirstName', 'x'.repeat(101), 'First Name must be at most 100 characters'],
  ])('%s %s "%s" is refused by name', async (_, field, value, message) => {
    const { status, body } = await staff.post('sales', aPerson({ [field]: value }))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })

  it('SAL-G6 gives initials and id when the code is empty, whatever others have typed', async () => {
    const id = await created({ salesFirstName: 'åse', salesLastName: 'öberg', salesRepCode: ' ' })
    expect((await staff.get(`sales/${id}`)).body.data.salesRepCode).toBe(`ÅÖ${id}`)
    await created({ salesRepCode: `zz${id + 2}` })
    const next = await created({ salesFirstName: 'Z', salesLastName: 'Z' })
    expect((await staff.get(`sales/${next}`)).body.data.salesRepCode).toBe(`ZZ${id + 2}-2`)
  })

  it('SAL-G6 refuses a code that is taken, whatever its case', async () => {
    await created({ salesRepCode: 'Twin1' })
    const { status, body } = await staff.post('sales', aPerson({ salesRepCode: 'tWIN1' }))
    expect([status, body.errors]).toEqual([400, [{ field: 'salesRepCode', message: 'Sales Rep Code is already used' }]])
    const racers = await Promise.all([1, 2].map(() => staff.post('sales', aPerson({ salesRepCode: 'RACE' }))))
    expect(racers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(racers.every(({ status }) => status < 500)).toBe(true)
  })

  it('sent twice with the same key creates one person', async () => {
    const [input, key] = [aPerson(), { 'idempotency-key': `sales-create-${serial}` }]
    const [first, second] = await Promise.all([staff.post('sales', input, key), staff.post('sales', input, key)])
    expect(first.body.data.id).toBe(second.body.data.id)
  })

  it.each(roles.filter((role) => !can(role, 'sales.write')))('refuses %s', async (role) => {
    const [who, id] = [await test.as(role), await created()]
    expect((await who.post('sales', aPerson())).status).toBe(403)
    expect((await who.put(`sales/${id}`, aPerson())).status).toBe(403)
    expect((await who.del(`sales/${id}`)).status).toBe(403)
    expect((await who.del(`sales/bulk_delete?id=${id}`)).status).toBe(403)
  })
})

describe('PUT sales/{id}', () => {
  it('SAL-43 changes the person, keeps a code left empty, and says from what to what in the audit', async () => {
    const id = await created({ salesRepCode: 'KEEP1' })
    const { status, body } = await staff.put(`sales/${id}`, aPerson({ salesLastName: 'Married' }))
    expect([status, body.message, body.data.salesLastName, body.data.salesRepCode, body.data.version]).toEqual([
      200,
      'Successfully updated',
      'Married',
      'KEEP1',
      2,
    ])
    const { rows } = await test.database.owner.query(
      "select action, old_data, new_data, actor_id from audit_entry where entity = 'sales_person' and entity_id = $1 order by id",
      [id],
    )
    expect(rows.map((row) => [row.action, row.actor_id])).toEqual([
      ['CREATE', staff.userId],
      ['UPDATE', staff.userId],
    ])
    expect([rows[1].old_data.salesLastName, rows[1].new_data.salesLastName]).toEqual([
      expect.stringContaining('Tiller'),
      'Married',
    ])
  })

  it('shows the second of two writers what the first has saved', async () => {
    const id = await created()
    const first = await staff.put(`sales/${id}`, aPerson({ salesNote: 'first' }), { 'if-match': '"1"' })
    const second = await staff.put(`sales/${id}`, aPerson({ salesNote: 'second' }), { 'if-match': '"1"' })
    expect([first.status, second.status, second.body.current.salesNote]).toEqual([200, 409, 'first'])
  })

  it('SAL-G1 nobody reports to themselves or to their own staff, however deep', async () => {
    const top = await created()
    const middle = await created({ reportToId: top })
    const low = await created({ reportToId: middle })
    for (const reportToId of [top, middle, low]) {
      const { status, body } = await staff.put(`sales/${top}`, aPerson({ reportToId }))
      expect([status, body.errors]).toEqual([
        400,
        [{ field: 'reportToId', message: 'This would make the person report to themselves' }],
      ])
    }
    expect((await staff.put(`sales/${low}`, aPerson({ reportToId: top }))).status).toBe(200)
  })

  it('two changes at once cannot close a cycle together', async () => {
    const [one, two] = [await created(), await created()]
    const replies = await Promise.all([
      staff.put(`sales/${one}`, aPerson({ reportToId: two })),
      staff.put(`sales/${two}`, aPerson({ reportToId: one })),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  it.each(['999999', '9007199254740991', 'abc', '0', '-1'])('has no person %s', async (id) => {
    expect([400, 404]).toContain((await staff.put(`sales/${id}`, aPerson())).status)
    expect([400, 404]).toContain((await staff.get(`sales/${id}`)).status)
    expect([400, 404]).toContain((await staff.get(`sales/${id}/staff`)).status)
    expect([400, 404]).toContain((await staff.del(`sales/${id}`)).status)
  })
})

describe('DELETE sales', () => {
  it('SAL-45 TABLE-112 deletes softly, one or several; the code becomes free and the audit stays', async () => {
    const ids = [await created({ salesRepCode: 'GONE1' }), await created(), await created()]
    expect((await staff.del(`sales/${ids[0]}`)).body.message).toBe('Successfully deleted')
    expect((await staff.del(`sales/bulk_delete?id=${ids[1]},${ids[2]}`)).body.message).toBe('Successfully deleted')
    for (const id of ids) expect((await staff.get(`sales/${id}`)).status).toBe(404)
    const { rows } = await test.database.owner.query(
      "select count(*) as n from audit_entry where entity = 'sales_person' and action = 'DELETE' and entity_id = any($1)",
      [ids],
    )
    expect(rows[0].n).toBe(3)
    expect((await staff.post('sales', aPerson({ salesRepCode: 'GONE1' }))).status).toBe(200)
  })

  it('answers 409 and says what still uses the person', async () => {
    const id = await created({ salesFirstName: 'Una', salesLastName: 'Used' })
    const client = await test.given.client()
    await test.given.clientSales(client.id, id)
    await created({ reportToId: id })
    await test.given.user('SLS', id)
    const { status, body } = await staff.del(`sales/${id}`)
    expect([status, body.message]).toEqual([
      409,
      'Una Used cannot be deleted: still used by 1 client(s), 1 staff, 1 user(s)',
    ])
    const service = await created({ salesTypeCode: 'SVC' })
    await test.given.client({ service_person_id: service })
    expect((await staff.del(`sales/${service}`)).body.message).toContain('1 client(s)')
  })

  it('deletes all or nothing, and lets a boss leave together with the staff', async () => {
    const boss = await created()
    const report = await created({ reportToId: boss })
    expect((await staff.del(`sales/bulk_delete?id=${report},999999`)).status).toBe(404)
    expect((await staff.get(`sales/${report}`)).status).toBe(200)
    expect((await staff.del(`sales/bulk_delete?id=${boss},${report}`)).status).toBe(200)
  })
})

describe('GET sales', () => {
  it('SAL-05 SAL-06 SAL-07 SAL-08 SAL-G3 filters by every shown column, by type and by search', async () => {
    const id = await created({ salesFirstName: 'Filippa', salesLastName: 'Filter', salesTitle: 'Manager' })
    for (const text of [
      '[salesFirstName:filip]',
      '[salesLastName:FILTER]',
      `[salesEmail:jane${serial}@]`,
      '[salesTitle:Manager,salesFirstName:Filippa]',
      '[salesTypeCode:SLS,salesFirstName:Filippa]',
      `{id:[${id}]}`,
      '[search:filippa filter]',
    ]) {
      const { body } = await staff.get(`sales?${filter(text)}`)
      expect([text, body.total, body.data[0]?.id]).toEqual([text, 1, id])
    }
    expect((await staff.get(`sales?${filter('[salesTypeCode:SVC,salesFirstName:Filippa]')}`)).body.total).toBe(0)
  })

  it('TABLE-015 TABLE-017 shows ten rows by id, and sorts by the shown columns', async () => {
    for (let n = 0; n < 11; n++) await created()
    const { body } = await staff.get('sales')
    expect(body.data).toHaveLength(10)
    const ids = body.data.map((row: { id: number }) => row.id)
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b))
    for (const field of ['salesFirstName', 'salesLastName', 'salesEmail', 'salesTitle'])
      expect((await staff.get(`sales?sort=${encodeURIComponent(`[${field},DESC]`)}`)).status).toBe(200)
  })

  it.each([
    ['filter=[nope:1]', 400],
    ['filter=[id:1;drop table sales_person]', 400],
    ['filter=[id:1 or 1=1]', 400],
    ["filter=[salesLastName:'; drop table sales_person; --]", 200],
    ['filter=[salesLastName:%25_\\]', 200],
    [`filter=[search:${'x'.repeat(5000)}]`, 200],
    ['sort=[salesNote,ASC]', 400],
    ['sort=[id;drop,ASC]', 400],
    ['page=99999', 200],
    ['page=0', 400],
    ['perPage=0', 400],
    ['perPage=100000', 400],
    ['filter=[salesLastName:%00]', 400],
  ])('answers %s with %i, never with 500', async (query, status) => {
    const reply = await staff.get(`sales?${query}`)
    expect(reply.status).toBe(status)
    if (query === 'page=99999') expect(reply.body.data).toEqual([])
  })

  it('SAL-47 SAL-46 SAL-14 SAL-15 gives staff and clients of a person', async () => {
    const boss = await created()
    const [one, two] = [await created({ reportToId: boss }), await created({ reportToId: boss })]
    await created({ reportToId: one })
    const client = await test.given.client({ name: 'Of The Boss' })
    await test.given.clientSales(client.id, boss)
    await test.given.client()
    const staffReply = await staff.get(`sales/${boss}/staff?perPage=-1`)
    expect(staffReply.body.data.map((row: { id: number }) => row.id)).toEqual([one, two])
    const { body } = await staff.get(`sales/${boss}/clients`)
    expect(body).toMatchObject({
      total: 1,
      data: [{ id: client.id, clientName: 'Of The Boss', clientCity: 'Boston', clientState: 'Massachusetts' }],
    })
  })

  it('SAL-03 SAL-48 exports the filtered list', async () => {
    await created({ salesFirstName: 'Exporta' })
    const { body } = await staff.get(`/report/v3.0/sales/export?${filter('[salesFirstName:Exporta]')}`)
    expect(body).toMatchObject({ retval: 'SUCCESS', data: { url: expect.any(String) } })
    const none = await staff.get(`sales/export?${filter('[salesFirstName:nobody-like-this]')}`)
    expect(none.body).toMatchObject({ retval: 'EMPTY', message: 'No matching records found for export' })
  })

  it.each(outsiders)('%s may neither open a person, nor its staff and clients, nor export', async (role) => {
    const [who, id] = [await test.as(role), await created()]
    for (const path of [`sales/${id}`, `sales/${id}/staff`, `sales/${id}/clients`, 'sales/export'])
      expect([path, (await who.get(path)).status]).toEqual([path, 403])
  })
})
