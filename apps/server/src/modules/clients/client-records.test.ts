import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let staff: Caller
let programId = 0
let testId = 0

beforeAll(async () => {
  staff = await test.as('STF')
  programId = await test.given.firstId('program')
  testId = await test.given.firstId('test')
})

const created = async (over: Record<string, unknown> = {}) =>
  (await staff.post('clients', await test.given.clientBody(over))).body.data.id as number
const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id)
const ids = async (path: string) => idsOf((await staff.get(path)).body)
const auditOf = async (entity: string, clientId: number) => {
  const { rows } = await test.database.owner.query(
    'select action, actor_id from audit_entry where entity = $1 and client_id = $2 order by id',
    [entity, clientId],
  )
  return rows.map((row) => [row.action, row.actor_id === staff.userId])
}

describe('physicians of a client', () => {
  it('CLI-128 CLI-129 CLI-130 CLI-G7 CLI-G9 LOOK-057 VIEW-65 are read by id and removed by physician', async () => {
    const client = await created()
    const physicians = [await test.given.physician(), await test.given.physician(), await test.given.physician()]
    const [one, two, three] = physicians.map(({ id }) => id)
    await staff.put(`clients/${client}`, { physIds: [three, one, two] })
    const { body } = await staff.get(`clients/${client}/physicians?perPage=-1&sort=[id,asc]`)
    expect([body.total, idsOf(body)]).toEqual([3, [one, two, three]])
    expect(body.data[0]).toMatchObject({ physFirstName: 'Paula', physTitle: 'MD', npiNumber: expect.any(String) })
    const pair = body.data[0].clientPhysId
    expect((await staff.del(`clients/${client}/physicians/${one}`)).body.message).toBe('Successfully deleted')
    expect((await staff.del(`clients/${client}/physicians/${one}`)).status).toBe(404)
    expect((await staff.del(`clients/${client}/physicians/bulk_delete?id=${two},${one}`)).status).toBe(404)
    expect(await ids(`clients/${client}/physicians`)).toEqual([two, three])
    expect((await staff.del(`clients/${client}/physicians/bulk_delete?id=${two},${three}`)).status).toBe(200)
    // Old orders name the pair, so it comes back as it was.
    await staff.put(`clients/${client}`, { physIds: [one] })
    expect((await staff.get(`clients/${client}/physicians`)).body.data).toMatchObject([{ id: one, clientPhysId: pair }])
    expect(await auditOf('client_physician', client)).toHaveLength(7)
  })
})

describe('labs and sales reps of a client', () => {
  it('CLI-095 CLI-096 CLI-134 CLI-135 CLI-G8 LOOK-056 VIEW-64 adds labs and never removes the last', async () => {
    const [first, second] = [await test.given.lab({ name: 'First' }), await test.given.lab({ lab_code: 'SECOND' })]
    const client = await created({ labIds: [first.id] })
    const added = await staff.post(`clients/${client}/labs`, { labIds: [second.id, first.id] })
    expect([added.status, added.body.message]).toEqual([200, 'Successfully saved'])
    const { body } = await staff.get(`clients/${client}/labs`)
    expect(body.data).toEqual([
      { id: first.id, labCode: expect.any(String), labName: 'First' },
      { id: second.id, labCode: 'SECOND', labName: expect.any(String) },
    ])
    expect((await staff.del(`clients/${client}/labs/${first.id}`)).status).toBe(200)
    const last = await staff.del(`clients/${client}/labs/bulk_delete?id=${second.id}`)
    expect([last.status, last.body.message]).toEqual([409, 'A client needs at least one performing laboratory'])
    expect((await staff.post(`clients/${client}/labs`, { labIds: [999_999] })).status).toBe(400)
    expect((await staff.post(`clients/${client}/labs`, { labIds: [] })).body.message).toBe('Labs is required')
    expect((await staff.get(`clients/${client}`)).body.data.version).toBe(3)
  })

  it('CLI-097..CLI-101 CLI-136 CLI-137 CLI-G8 adds sales reps; one is always the first', async () => {
    const [one, two, three] = [
      await test.given.salesPerson({ middle_name: 'M', phone: '16175550111' }),
      await test.given.salesPerson(),
      await test.given.salesPerson(),
    ]
    const client = await created()
    const primary = async () => (await staff.get(`clients/${client}/sales?perPage=-1`)).body.data
    await staff.post(`clients/${client}/sales`, { salesIds: [two.id] })
    await staff.post(`clients/${client}/sales`, { salesIds: [one.id, three.id, two.id] })
    expect((await primary()).map((row: { id: number; isPrimary: number }) => [row.id, row.isPrimary])).toEqual([
      [two.id, 1],
      [one.id, 0],
      [three.id, 0],
    ])
    expect((await primary())[1]).toMatchObject({
      salesRepCode: expect.any(String),
      salesFirstName: 'Sam',
      salesMiddleName: 'M',
      salesLastName: expect.any(String),
      salesPhone: '16175550111',
    })
    await staff.del(`clients/${client}/sales/${two.id}`)
    expect((await primary())[0]).toMatchObject({ id: one.id, isPrimary: 1 })
    expect((await staff.del(`clients/${client}/sales/bulk_delete?id=${one.id},${three.id}`)).status).toBe(200)
    expect(await primary()).toEqual([])
    expect((await staff.del(`clients/${client}/sales/${one.id}`)).status).toBe(404)
  })

  it('two people who add at once both succeed', async () => {
    const client = await created()
    const reps = [await test.given.salesPerson(), await test.given.salesPerson()]
    const replies = await Promise.all(reps.map(({ id }) => staff.post(`clients/${client}/sales`, { salesIds: [id] })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(
      (await staff.get(`clients/${client}/sales`)).body.data.map((row: { isPrimary: number }) => row.isPrimary),
    ).toEqual([1, 0])
  })
})

describe('events of a client', () => {
  it('CLI-091..CLI-094 CLI-132 CLI-133 LOOK-058 VIEW-66 are created, changed and deleted', async () => {
    const client = await created()
    const { status, body } = await staff.post('events', { clientId: client, eventName: 'Health Fair', programId })
    expect([status, body.message]).toEqual([200, 'Successfully created'])
    const event = { id: body.data.id, clientId: client, eventName: 'Health Fair', programId, version: 1 }
    expect((await staff.get(`clients/${client}/events`)).body.data).toMatchObject([
      { ...event, programName: expect.any(String) },
    ])
    const path = `clients/${client}/events/${event.id}`
    const change = { eventName: 'Fair 2', programId }
    expect((await staff.put(path, change, { 'if-match': '"1"' })).body.data).toMatchObject({ eventName: 'Fair 2' })
    const late = await staff.put(path, change, { 'if-match': '"1"' })
    expect([late.status, late.body.current.eventName]).toEqual([409, 'Fair 2'])
    expect((await staff.del(path)).status).toBe(200)
    expect((await staff.del(path)).status).toBe(404)
    expect(await auditOf('client_event', client)).toEqual([
      ['CREATE', true],
      ['UPDATE', true],
      ['DELETE', true],
    ])
  })

  it.each([
    ['CLI-120', { eventName: ' ' }, 'Event Name is required'],
    ['CLI-121', { programId: null }, 'Program ID is required'],
    ['', { programId: 999_999 }, 'Program ID is invalid'],
    ['', { clientId: '' }, 'Client is required'],
  ])('%s refuses %j: %s', async (_id, over, message) => {
    const client = await created()
    const { status, body } = await staff.post('events', { clientId: client, eventName: 'E', programId, ...over })
    expect([status, body.message]).toEqual([400, message])
  })

  it('are not deleted while requisitions name them, nor reached through another client', async () => {
    const client = await test.given.client()
    const event = await test.given.event(client.id, { name: 'Used Fair' })
    await test.given.requisition({ client_id: client.id, event_id: event.id })
    const { status, body } = await staff.del(`clients/${client.id}/events/bulk_delete?id=${event.id}`)
    expect([status, body.message]).toEqual([409, 'Used Fair cannot be deleted: still used by 1 requisition(s)'])
    const other = await test.given.client()
    expect((await staff.put(`clients/${other.id}/events/${event.id}`, { eventName: 'x', programId })).status).toBe(404)
    expect((await staff.post('events', { clientId: 999_999, eventName: 'x', programId })).status).toBe(404)
  })
})

describe('authorized users and activity', () => {
  it('CLI-115 CLI-116 CLI-117 CLI-138 CLI-G13 lists the accounts of the client with their last sign-in', async () => {
    const client = await created()
    const at = '2026-03-01T10:00:00Z'
    const user = await test.given.user('CLNT', client, { user_name: 'practice.user', last_logon_at: at })
    await test.given.user('CLNT')
    const { body } = await staff.get(`clients/${client}/users`)
    expect(body).toMatchObject({
      total: 1,
      data: [{ id: user.id, userName: 'practice.user', userEmail: expect.stringContaining('@') }],
    })
    expect(new Date(body.data[0].lastLoginDate).toISOString()).toBe('2026-03-01T10:00:00.000Z')
  })

  it('CLI-112 CLI-113 CLI-114 CLI-131 lists changes newest first, with user, old and new values', async () => {
    const client = await created({ clientNote: 'old note' })
    const physician = await test.given.physician({ first_name: 'Hanna', last_name: 'History' })
    await staff.put(`clients/${client}`, { clientNote: 'new note', isContractPhleb: 1, clientBillTypeCode: 'PATIENT' })
    await staff.put(`clients/${client}`, { physIds: [physician.id] })
    await staff.post(`clients/${client}/prices`, { testId, price: 7 })
    const { body } = await staff.get(`clients/${client}/histories`)
    expect(body.data.map((row: { auditActionDesc: string }) => row.auditActionDesc)).toEqual([
      'Test price added',
      'Physician added',
      'Client changed',
      'Client added',
    ])
    expect(body.data[1].changes).toEqual([{ field: 'physName', label: 'Physician', from: null, to: 'Hanna History' }])
    expect(body.data[2]).toMatchObject({
      modifiedDate: expect.any(String),
      modifiedByName: expect.stringContaining('Test'),
    })
    expect(body.data[2].changes).toEqual([
      { field: 'clientNote', label: 'Note', from: 'old note', to: 'new note' },
      { field: 'clientBillTypeDesc', label: 'Bill To', from: 'Client', to: 'Patient' },
      { field: 'isContractPhleb', label: 'Contract Phlebotomy', from: 'No', to: 'Yes' },
    ])
    const own = await (await test.as('CLNT', client)).get(`clients/${client}/histories`)
    expect(own.body.total).toBe(4)
  })
})

describe('DELETE clients', () => {
  it('CLI-126 TABLE-112 deletes softly, one or several; the Client ID becomes free and the audit stays', async () => {
    const gone = [await created({ legacyClientId: 'GONE-1' }), await created(), await created()]
    expect((await staff.del(`clients/${gone[0]}`)).body.message).toBe('Successfully deleted')
    expect((await staff.del(`clients/bulk_delete?id=${gone[1]},${gone[2]}`)).status).toBe(200)
    for (const id of gone) expect((await staff.get(`clients/${id}/labs`)).status).toBe(404)
    expect(await auditOf('client', gone[0] as number)).toEqual([
      ['CREATE', true],
      ['DELETE', true],
    ])
    expect((await staff.get(`clients/${await created({ legacyClientId: 'GONE-1' })}`)).status).toBe(200)
  })

  it('answers 409 and says what still uses the client; all or nothing', async () => {
    const used = await test.given.client({ name: 'Used Practice' })
    await test.given.requisition({ client_id: used.id })
    await test.given.requisition({ copy_to_client_id: used.id })
    await test.given.user('CLNT', used.id)
    const free = await created()
    const { status, body } = await staff.del(`clients/bulk_delete?id=${free},${used.id}`)
    expect([status, body.message]).toEqual([
      409,
      'Used Practice cannot be deleted: still used by 1 requisition(s), 1 requisition(s) copied to it, 1 user(s)',
    ])
    expect((await staff.get(`clients/${free}`)).status).toBe(200)
  })

  it('names every client that cannot be deleted, not only the first', async () => {
    const names = ['First Practice', 'Second Practice']
    const ids: number[] = []
    for (const name of names) {
      const { id } = await test.given.client({ name })
      await test.given.requisition({ client_id: id })
      ids.push(id)
    }
    const { status, body } = await staff.del(`clients/bulk_delete?id=${ids},${await created()}`)
    expect([status, body.message]).toEqual([
      409,
      names.map((name) => `${name} cannot be deleted: still used by 1 requisition(s)`).join('; '),
    ])
  })
})

describe('writing records of a client', () => {
  it.each(roles.filter((role) => !can(role, 'clients.write')))(
    'PERM-123 CLI-122 CLI-G2 is refused to %s',
    async (role) => {
      const client = await created()
      const who = await test.as(role, role === 'CLNT' ? client : undefined)
      const calls: [string, string, object?][] = [
        ['post', `clients/${client}/labs`, { labIds: [1] }],
        ['post', `clients/${client}/sales`, { salesIds: [1] }],
        ['post', 'events', { clientId: client, eventName: 'E', programId }],
        ['put', `clients/${client}/events/1`, { eventName: 'E', programId }],
        ['post', `clients/${client}/prices`, { testId, price: 1 }],
        ['put', `clients/${client}/prices/1`, { testId, price: 1 }],
        ['post', `clients/${client}/docs/init`, { fileName: 'a.pdf' }],
        ['post', `clients/${client}/docs`, { originalFileName: 'a.pdf', fileName: 'a.pdf' }],
        ...['physicians', 'labs', 'events', 'sales', 'docs', 'prices'].flatMap((name): [string, string][] => [
          ['del', `clients/${client}/${name}/1`],
          ['del', `clients/${client}/${name}/bulk_delete?id=1`],
        ]),
      ]
      for (const [verb, path, body] of calls)
        expect([path, (await who[verb as 'post'](path, body)).status]).toEqual([path, 403])
    },
  )
})
