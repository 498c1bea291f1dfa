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
/** A number with its Luhn digit over 80840, as the National Provider Identifier asks for. */
const anNpi = () => {
  const nine = `1${String(20_000_000 + ++serial)}`
  const sum = [...`80840${nine}`].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${nine}${(10 - (sum % 10)) % 10}`
}
const aPhysician = (over: Record<string, unknown> = {}) => ({
  physFirstName: 'Paula',
  physLastName: `Weber${++serial}`,
  physTitle: 'MD',
  npiNumber: anNpi(),
  ...over,
})
const created = async (over: Record<string, unknown> = {}) =>
  (await staff.post('physicians', aPhysician(over))).body.data.id as number
const read = async (id: number) => (await staff.get(`physicians/${id}`)).body.data
const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id)

describe('POST physicians', () => {
  const whole = once(async () => {
    const [one, two] = [
      await test.given.client({ name: 'One', legacy_client_id: 'P-1' }),
      await test.given.client({ name: 'Two', legacy_client_id: 'P-2' }),
    ]
    const input = aPhysician({ physMiddleName: 'Q', ptanNumber: 'PT1', physPortalPrefCode: 'RELEASED' })
    const { status, body } = await staff.post('physicians', { ...input, clientIds: [one.id, String(two.id)] })
    expect([status, body]).toEqual([
      200,
      { data: { id: expect.any(Number), isNpiValid: 1 }, message: 'Successfully created' },
    ])
    const expected = {
      ...input,
      id: body.data.id,
      isNpiValid: 1,
      physPortalPrefDesc: 'Released results only',
      clientName: 'One, Two',
      legacyClientId: 'P-1, P-2',
      clientIds: [one.id, two.id],
      version: 1,
    }
    return { data: await read(body.data.id), expected }
  })

  it('PHY-85 PHY-88 TABLE-104 TABLE-108 TABLE-109 creates a physician with clients that can be read with every field', async () => {
    const { data, expected } = await whole()
    expect(data).toEqual(expected)
  })

  it.each([
    ['PHY-42', 'id'],
    ['PHY-43', 'physFirstName'],
    ['PHY-44', 'physMiddleName'],
    ['PHY-45', 'physLastName'],
    ['PHY-46', 'physTitle'],
    ['PHY-47', 'npiNumber'],
    ['PHY-48', 'ptanNumber'],
    ['PHY-49', 'physPortalPrefCode'],
    ['PHY-50', 'physPortalPrefDesc'],
    ['PHY-51', 'clientName'],
    ['PHY-52', 'legacyClientId'],
    ['PHY-53', 'clientIds'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it.each([
    ['PHY-54', 'None'],
    ['PHY-55', 'MD'],
    ['PHY-56', 'DO'],
    ['PHY-57', 'NP'],
    ['PHY-58', 'PA'],
    ['PHY-59', 'ND'],
    ['PHY-60', 'OD'],
    ['PHY-61', 'PhD'],
    ['PHY-62', 'FNP'],
    ['PHY-63', 'DNP'],
    ['PHY-64', 'DC'],
    ['PHY-65', 'PA-C'],
    ['PHY-66', 'BC'],
    ['PHY-67', 'NMD'],
    ['PHY-68', 'APRN'],
    ['PHY-69', 'FNP-BC'],
    ['PHY-70', 'MPAS'],
    ['PHY-71', 'RPH'],
    ['PHY-72', 'FNP-C'],
    ['PHY-73', 'MD.,FACP'],
    ['PHY-74', 'CRNP'],
    ['PHY-75', 'ARNP'],
    ['PHY-76', 'NP-C'],
    ['PHY-77', 'CNP'],
  ])('%s PHY-G7 takes and offers the title %s', async (_, physTitle) => {
    expect((await read(await created({ physTitle }))).physTitle).toBe(physTitle)
    expect((await staff.get('lovs/PHYSTITLE')).body.data.map((row: { code: string }) => row.code)).toContain(physTitle)
  })

  it.each([
    ['PHY-78', 'physFirstName', ' ', 'First Name is required'],
    ['PHY-79', 'physLastName', undefined, 'Last Name is required'],
    ['PHY-80', 'physTitle', null, 'Title is required'],
    ['PHY-81', 'npiNumber', undefined, 'NPI# is required'],
    ['PHY-G1', 'npiNumber', '123456789', 'NPI# must be 10 digits'],
    ['', 'npiNumber', '12345678901', 'NPI# must be 10 digits'],
    ['', 'physTitle', 'Sir', 'Title is invalid'],
    ['', 'physPortalPrefCode', 'NOPE', 'Portal Preference is invalid'],
    ['', 'clientIds', [999_999], 'Clients is invalid'],
    ['', 'ptanNumber', 'x'.repeat(21), 'PTAN# must be at most 20 characters'],
  ])('%s refuses %s = %j: %s', async (_id, field, value, message) => {
    const { status, body } = await staff.post('physicians', aPhysician({ [field]: value }))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })

  it('PHY-82 PHY-83 needs neither PTAN nor middle name', async () => {
    expect(await read(await created())).toMatchObject({ ptanNumber: null, physMiddleName: null, clientIds: [] })
  })

  it('flags a wrong check digit in reply, record and list, and keeps the number', async () => {
    const { status, body } = await staff.post('physicians', aPhysician({ npiNumber: '1234567890' }))
    expect([status, body.data.isNpiValid]).toEqual([200, 0])
    expect(body.message).toBe(
      'Successfully created. The check digit of the NPI# is wrong. Please compare it with the source.',
    )
    expect(await read(body.data.id)).toMatchObject({ npiNumber: '1234567890', isNpiValid: 0 })
    const list = await staff.get('physicians?filter=[npiNumber:1234567890]')
    expect(list.body.data).toMatchObject([{ id: body.data.id, isNpiValid: 0 }])
  })

  it('DAY-36 asks before a second physician with the same NPI is saved, also of many at once', async () => {
    const input = aPhysician()
    const first = await created(input)
    const { status, body } = await staff.post('physicians', { ...aPhysician(), npiNumber: input.npiNumber })
    expect([status, body.code]).toEqual([409, 'question'])
    expect(body.current.questions).toMatchObject([
      { code: 'SAME_PHYSICIAN', field: 'npiNumber', duplicates: [{ id: first, npiNumber: input.npiNumber }] },
    ])
    expect((await staff.post('physicians', { ...input, answers: { SAME_PHYSICIAN: 'SAVE' } })).status).toBe(200)
    const fresh = aPhysician()
    // Connections take longer to open than the write; with all of them open the writes do meet.
    await Promise.all(Array.from({ length: 8 }, () => staff.get('physicians?perPage=-1')))
    const replies = await Promise.all(Array.from({ length: 8 }, () => staff.post('physicians', fresh)))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, ...Array(7).fill(409)])
  })

  it('sent twice with the same key creates one physician', async () => {
    const [input, key] = [aPhysician(), { 'idempotency-key': 'physician-create-1' }]
    const [one, two] = await Promise.all([staff.post('physicians', input, key), staff.post('physicians', input, key)])
    expect(one.body.data.id).toBe(two.body.data.id)
  })
})

describe('PUT physicians/{id}', () => {
  it('PHY-86 TABLE-107 TABLE-138 changes what is given and nothing else, and says from what to what in the audit', async () => {
    const id = await created({ physMiddleName: 'Q' })
    const before = await read(id)
    const { body } = await staff.put(`physicians/${id}`, { physTitle: 'DO' })
    expect([body.message, body.data]).toEqual(['Successfully updated', { ...before, physTitle: 'DO', version: 2 }])
    const { rows } = await test.database.owner.query(
      "select action, actor_id, old_data->>'physTitle' as old, new_data->>'physTitle' as new from audit_entry where entity = 'physician' and entity_id = $1 order by id",
      [id],
    )
    expect(rows).toEqual([
      { action: 'CREATE', actor_id: staff.userId, old: null, new: 'MD' },
      { action: 'UPDATE', actor_id: staff.userId, old: 'MD', new: 'DO' },
    ])
  })

  it('PHY-87 PHY-G9 PHY-89 PHY-90 TABLE-137 adds clients by clientIds, lists them and takes them away', async () => {
    const [one, two, three] = [await test.given.client(), await test.given.client(), await test.given.client()]
    const id = await created({ clientIds: [one.id] })
    const put = await staff.put(`physicians/${id}`, { clientIds: [two.id, three.id] })
    expect([put.body.message, put.body.data.clientIds]).toEqual(['Successfully saved', [one.id, two.id, three.id]])
    const { body } = await staff.get(`physicians/${id}/clients`)
    expect(body).toMatchObject({
      total: 3,
      data: [{ id: one.id, clientCity: 'Boston', clientState: 'Massachusetts' }, {}, {}],
    })
    expect((await staff.del(`physicians/${id}/clients?id=${one.id}`)).body.message).toBe('Successfully deleted')
    expect((await staff.del(`physicians/${id}/clients/${two.id}`)).status).toBe(200)
    expect((await staff.del(`physicians/${id}/clients/bulk_delete?id=${three.id},${one.id}`)).status).toBe(404)
    expect((await staff.del(`physicians/${id}/clients/bulk_delete?id=${three.id}`)).status).toBe(200)
    expect((await read(id)).clientIds).toEqual([])
    const history = await staff.get(`clients/${two.id}/histories`)
    expect(history.body.data.map((row: { auditActionDesc: string }) => row.auditActionDesc)).toEqual([
      'Physician removed',
      'Physician added',
    ])
  })

  it('TABLE-G18 shows the second of two writers what the first has saved, who and when', async () => {
    const id = await created()
    const management = await test.as('MGMT')
    const first = await management.put(`physicians/${id}`, { ptanNumber: 'first' }, { 'if-match': '"1"' })
    const second = await staff.put(`physicians/${id}`, { ptanNumber: 'second' }, { 'if-match': '"1"' })
    expect([first.status, second.status, second.body.current.ptanNumber]).toEqual([200, 409, 'first'])
    const { rows } = await test.database.owner.query(
      "select actor_name, at from audit_entry where entity = 'physician' and entity_id = $1 and action = 'UPDATE'",
      [id],
    )
    expect(second.body.current).toMatchObject({
      changedBy: rows[0].actor_name,
      changedAt: new Date(rows[0].at).toISOString(),
    })
  })

  it('asks when a new NPI belongs to another physician, and not about its own', async () => {
    const other = await read(await created())
    const id = await created()
    const change = { npiNumber: other.npiNumber }
    expect((await staff.put(`physicians/${id}`, change)).body.current.questions).toMatchObject([
      { code: 'SAME_PHYSICIAN', duplicates: [{ id: other.id }] },
    ])
    expect((await staff.put(`physicians/${id}`, { ...change, answers: { SAME_PHYSICIAN: 'SAVE' } })).status).toBe(200)
    expect((await staff.put(`physicians/${id}`, change)).status).toBe(200)
    expect((await staff.put(`physicians/${id}`, { physLastName: '' })).body.message).toBe('Last Name is required')
  })

  it.each(['999999', '9007199254740991', 'abc', '0'])('has no physician %s', async (id) => {
    for (const reply of [
      await staff.get(`physicians/${id}`),
      await staff.get(`physicians/${id}/clients`),
      await staff.put(`physicians/${id}`, { physTitle: 'MD' }),
      await staff.del(`physicians/${id}`),
      await staff.del(`physicians/${id}/clients?id=1`),
    ])
      expect([400, 404]).toContain(reply.status)
  })
})

describe('DELETE physicians', () => {
  it('PHY-91 TABLE-111 TABLE-112 deletes softly, one or several, and takes the physician out of the clients', async () => {
    const client = await test.given.client()
    const [one, two, three] = [await created({ clientIds: [client.id] }), await created(), await created()]
    expect((await staff.del(`physicians/${one}`)).body.message).toBe('Successfully deleted')
    expect((await staff.del(`physicians/bulk_delete?id=${two},${three}`)).status).toBe(200)
    for (const id of [one, two, three]) expect((await staff.get(`physicians/${id}`)).status).toBe(404)
    expect((await staff.get(`clients/${client.id}/physicians`)).body.total).toBe(0)
    expect((await staff.put(`clients/${client.id}`, { physIds: [one] })).status).toBe(400)
  })

  it('answers 409 and says what still uses the physician; all or nothing', async () => {
    const used = await test.given.physician({ first_name: 'Una', last_name: 'Used' })
    await test.given.requisition({ physician_id: used.id })
    await test.given.requisition({ copy_physician_id: used.id })
    await test.given.user('PHYS', used.id)
    const free = await created()
    const { status, body } = await staff.del(`physicians/bulk_delete?id=${free},${used.id}`)
    expect([status, body.message]).toEqual([
      409,
      'Una Used cannot be deleted: still used by 2 requisition(s), 1 user(s)',
    ])
    expect((await staff.get(`physicians/${free}`)).status).toBe(200)
  })
})

describe('writing physicians', () => {
  it.each(roles.filter((role) => !can(role, 'physicians.write')))(
    'PERM-048 PERM-049 PERM-124 PHY-84 PHY-G2 is refused to %s',
    async (role) => {
      const client = await test.given.client()
      const id = await created({ clientIds: [client.id] })
      const who = await test.as(role, role === 'CLNT' ? client.id : role === 'PHYS' ? id : undefined)
      for (const reply of [
        await who.post('physicians', aPhysician()),
        await who.put(`physicians/${id}`, { physTitle: 'DO' }),
        await who.del(`physicians/${id}`),
        await who.del(`physicians/bulk_delete?id=${id}`),
        await who.del(`physicians/${id}/clients?id=${client.id}`),
        await who.del(`physicians/${id}/clients/bulk_delete?id=${client.id}`),
        await who.del(`physicians/${id}/clients/${client.id}`),
      ])
        expect(reply.status).toBe(403)
      expect(idsOf((await staff.get(`physicians/${id}/clients`)).body)).toEqual([client.id])
    },
  )
})
