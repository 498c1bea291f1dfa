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

const aClient = (over: Record<string, unknown> = {}) => test.given.clientBody(over)
const created = async (over: Record<string, unknown> = {}) => {
  const { body } = await staff.post('clients', await aClient(over))
  return body.data.id as number
}
const read = async (id: number) => (await staff.get(`clients/${id}`)).body.data
const place = async (country: string, state: string) => {
  const { country_id, state_id } = await test.given.address(country, state)
  return { clientCountryId: country_id, clientStateId: state_id }
}

describe('POST clients', () => {
  const whole = once(async () => {
    const [rep, second, service] = [
      await test.given.salesPerson({ rep_code: 'REP-A' }),
      await test.given.salesPerson({ rep_code: 'REP-B' }),
      await test.given.salesPerson({ type_code: 'SVC', first_name: 'Sue', last_name: 'Service' }),
    ]
    const lab = await test.given.lab({ name: 'Main Lab' })
    const cola = await test.given.collaborator({ name: 'Partner of all fields' })
    const input = await aClient({
      legacyClientId: 'OLD-7',
      clientName: 'Whole Practice',
      clientExtId: 'X1',
      clientAddr2: 'Suite 2',
      clientEmail: 'a@example.com',
      clientFaxEmail: 'fax@example.com',
      clientDeliveryNote: 'Back door',
      clientNote: 'Call first',
      isNoteVisible: 1,
      colaId: cola.id,
      serviceId: String(service.id),
      salesIds: [second.id, rep.id],
      labIds: [lab.id],
      clientReqTypeCode: 'PAPER',
      clientTransmitMethodCode: 'FAX',
      clientBillTypeCode: 'INSURANCE',
      clientName2: 'Bob',
      clientPhone2: '617-555-0199',
      clientEmail2: 'bob@example.com',
      isContractPhleb: 1,
      clientPortalPrefCode: 'RELEASED',
      isPortalOrder: 1,
    })
    const { status, body } = await staff.post('clients', input)
    expect([status, body]).toEqual([200, { data: { id: expect.any(Number) }, message: 'Successfully created' }])
    const expected = {
      ...input,
      id: body.data.id,
      clientPhone: '16175550100',
      clientPhone2: '6175550199',
      clientCountry: 'United States',
      clientState: 'Massachusetts',
      colaName: 'Partner of all fields',
      serviceId: service.id,
      serviceName: 'Sue Service',
      salesRep: expect.stringMatching(/^Sam Seller/),
      salesNames: expect.stringContaining(', '),
      salesJson: expect.any(String),
      labNames: 'Main Lab',
      clientReqTypeDesc: 'Paper requisition',
      clientTransmitMethodDesc: 'Secure fax',
      clientBillTypeDesc: 'Insurance',
      clientPortalPrefDesc: 'Released results only',
      clientTz: 'America/New_York',
      version: 1,
    }
    const sales = [
      { salesId: second.id, salesRepCode: 'REP-B' },
      { salesId: rep.id, salesRepCode: 'REP-A' },
    ]
    return { data: await read(body.data.id), expected, sales }
  })

  it('CLI-123 CLI-125 creates a client that can be read with every field', async () => {
    const { data, expected } = await whole()
    expect(data).toEqual(expected)
  })

  it('CLI-065 CLI-069 gives the sales reps as JSON text, each with id and code', async () => {
    const { data, sales } = await whole()
    expect(JSON.parse(data.salesJson)).toEqual({ salesReps: sales })
  })

  it.each([
    ['CLI-037', 'id'],
    ['CLI-038', 'legacyClientId'],
    ['CLI-039', 'clientName'],
    ['CLI-040', 'clientExtId'],
    ['CLI-041', 'clientAddr1'],
    ['CLI-042', 'clientAddr2'],
    ['CLI-043', 'clientCountryId'],
    ['CLI-044', 'clientCity'],
    ['CLI-045', 'clientStateId'],
    ['CLI-046', 'clientZip'],
    ['CLI-047', 'clientPhone'],
    ['CLI-048', 'clientEmail'],
    ['CLI-049', 'clientFaxEmail'],
    ['CLI-050', 'clientDeliveryNote'],
    ['CLI-051', 'clientNote'],
    ['CLI-052', 'colaId'],
    ['CLI-053', 'serviceId'],
    ['CLI-054', 'salesIds'],
    ['CLI-055', 'labIds'],
    ['CLI-056', 'clientReqTypeCode'],
    ['CLI-057', 'clientTransmitMethodCode'],
    ['CLI-058', 'clientBillTypeCode'],
    ['CLI-059', 'clientName2'],
    ['CLI-060', 'clientPhone2'],
    ['CLI-061', 'clientEmail2'],
    ['CLI-062', 'isContractPhleb'],
    ['CLI-063', 'clientPortalPrefCode'],
    ['CLI-064', 'clientTz'],
    ['CLI-070', 'clientState'],
    ['CLI-071', 'clientCountry'],
    ['CLI-072', 'colaName'],
    ['CLI-073', 'clientTransmitMethodDesc'],
    ['CLI-074', 'clientBillTypeDesc'],
    ['CLI-075', 'serviceName'],
    ['CLI-076', 'clientReqTypeDesc'],
    ['CLI-077', 'clientPortalPrefDesc'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('CLI-066 CLI-G4 CLI-G11 presets what is left empty: no phlebotomy contract, a Client ID of its own', async () => {
    const id = await created()
    expect(await read(id)).toMatchObject({ isContractPhleb: 0, legacyClientId: `C${1000 + id}`, salesIds: [] })
    await created({ legacyClientId: `C${1000 + id + 2}` })
    expect((await read(await created())).legacyClientId).toBe(`C${1000 + id + 2}-2`)
  })

  it.each([
    ['CLI-078', 'clientName', ' ', 'Name is required'],
    ['CLI-079', 'clientAddr1', '', 'Address 1 is required'],
    ['CLI-080', 'clientCountryId', null, 'Country is required'],
    ['CLI-081', 'clientCity', undefined, 'City is required'],
    ['CLI-082', 'clientZip', '', 'Zip is required'],
    ['CLI-083', 'clientStateId', '', 'State is required'],
    ['CLI-084', 'clientPhone', '', 'Phone is required'],
    ['CLI-085', 'clientBillTypeCode', '', 'Bill To is required'],
    ['CLI-086', 'colaId', '', 'Collaborator is required'],
    ['CLI-087', 'clientTransmitMethodCode', null, 'Test Result Delivery Method is required'],
    ['CLI-088 CLI-G3', 'labIds', [], 'Performing Laboratories is required'],
    ['', 'clientZip', '1234', 'Invalid zip'],
    ['', 'clientZip', '12345-67', 'Invalid zip'],
    ['', 'clientPhone', '555', 'Phone number allowed in format 00(000) 000-0000'],
    ['', 'clientEmail', 'no', 'Invalid email'],
    ['', 'clientTransmitMethodCode', 'FAX', 'Secure Fax is required', 'clientFaxEmail'],
    ['', 'clientTransmitMethodCode', 'EMAIL', 'Email is required', 'clientEmail'],
    ['', 'clientTransmitMethodCode', 'PIGEON', 'Test Result Delivery Method is invalid'],
    ['', 'clientBillTypeCode', 'NOBODY', 'Bill To is invalid'],
    ['', 'clientCountryId', 999_999, 'Country is invalid'],
    ['', 'clientStateId', 999_999, 'State is invalid'],
    ['', 'colaId', 999_999, 'Collaborator is invalid'],
    ['', 'serviceId', 9_007_199_254_740_991, 'Service Rep is invalid'],
    ['', 'salesIds', [999_999], 'Sales Reps is invalid'],
    ['', 'labIds', [999_999], 'Performing Laboratories is invalid'],
    ['', 'clientTz', 'Mars/Olympus', 'Timezone is invalid'],
    ['', 'clientName', 'x'.repeat(151), 'Name must be at most 150 characters'],
  ])('%s refuses %s = %j: %s', async (_id, field, value, message, named = field) => {
    const { status, body } = await staff.post('clients', await aClient({ [field]: value }))
    expect([status, body.errors]).toEqual([400, [{ field: named, message }]])
  })

  it('CLI-G4 refuses a Client ID that another client has, whatever its case', async () => {
    await created({ legacyClientId: 'Taken-1' })
    const { status, body } = await staff.post('clients', await aClient({ legacyClientId: 'tAKEN-1' }))
    expect([status, body.errors]).toEqual([400, [{ field: 'legacyClientId', message: 'Client ID is already used' }]])
  })

  it('DAY-36 asks before a second client of the same name and zip is saved, and shows the first', async () => {
    const first = await created({ clientName: 'St. Mary’s Clinic' })
    const duplicate = await aClient({ clientName: 'ST MARYS CLINIC', clientZip: '02108-1234' })
    const { status, body } = await staff.post('clients', duplicate)
    expect([status, body.code]).toEqual([409, 'question'])
    expect(body.current.questions).toMatchObject([
      {
        code: 'SAME_CLIENT',
        field: 'clientName',
        duplicates: [{ id: first, clientName: 'St. Mary’s Clinic', clientZip: '02108' }],
      },
    ])
    const saved = await staff.post('clients', { ...duplicate, answers: { SAME_CLIENT: 'SAVE' } })
    expect(saved.status).toBe(200)
    const { rows } = await test.database.owner.query(
      `select reason, actor_name from audit_entry where entity = 'client' and entity_id = $1`,
      [saved.body.data.id],
    )
    expect(rows).toEqual([
      {
        reason: 'A client with the same name and zip already exists. Save anyway.',
        actor_name: expect.stringMatching(/.+/),
      },
    ])
    expect((await staff.post('clients', { ...duplicate, clientZip: '02110' })).status).toBe(200)
  })

  it('distinguishes two names in another alphabet', async () => {
    for (const clientName of ['Клиника Север', 'Больница Юг', '北京诊所'])
      expect((await staff.post('clients', await aClient({ clientName, clientZip: '02199' }))).status).toBe(200)
    const again = await staff.post('clients', await aClient({ clientName: 'Клиника «Север»', clientZip: '02199' }))
    expect(again.body.current.questions[0].duplicates).toMatchObject([{ clientName: 'Клиника Север' }])
  })

  it('saves one of many who enter the same client at once, and asks the others', async () => {
    const input = await aClient()
    // Connections take longer to open than the write; with all of them open the writes do meet.
    await Promise.all(Array.from({ length: 8 }, () => staff.get('clients?perPage=-1')))
    const replies = await Promise.all(Array.from({ length: 8 }, () => staff.post('clients', input)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
  })

  it('sent twice with the same key creates one client', async () => {
    const [input, key] = [await aClient(), { 'idempotency-key': 'client-create-1' }]
    const [one, two] = await Promise.all([staff.post('clients', input, key), staff.post('clients', input, key)])
    expect(one.body.data.id).toBe(two.body.data.id)
  })
})

describe('the time zone of a client', () => {
  it('CLI-067 CLI-068 CLI-G15 LOOK-124 is estimated from the address, else TZNA', async () => {
    const el = { clientCity: 'El Paso', clientZip: '79901', ...(await place('US', 'TX')) }
    const abroad = { clientCity: 'Vancouver', clientZip: 'V5K 0A1', ...(await place('CA', 'BC')) }
    expect((await read(await created(el))).clientTz).toBe('America/Denver')
    expect((await read(await created(abroad))).clientTz).toBe('America/Vancouver')
    expect((await read(await created({ clientCity: 'Atlantis', clientZip: '00000' }))).clientTz).toBe('TZNA')
  })

  it('can be set by hand, and stays until the address changes', async () => {
    const id = await created({ clientTz: 'America/Chicago' })
    const tz = async (change: object) => (await staff.put(`clients/${id}`, change)).body.data.clientTz
    expect(await tz({ clientNote: 'moved nothing' })).toBe('America/Chicago')
    expect(await tz({ clientCity: 'Boston', clientZip: '02108', clientTz: 'America/Chicago' })).toBe('America/Chicago')
    // The form sends back what it was given; a new address counts for more.
    expect(await tz({ clientCity: 'Springfield', clientZip: '01103', clientTz: 'America/Chicago' })).toBe(
      'America/New_York',
    )
    expect(await tz({ clientTz: 'America/Phoenix' })).toBe('America/Phoenix')
    expect(await tz({ clientTz: '' })).toBe('America/New_York')
    expect(await tz({ clientCity: 'Nowhere', clientZip: '99999', clientTz: 'Pacific/Guam' })).toBe('Pacific/Guam')
    expect(await tz({ clientCity: 'Elsewhere' })).toBe('TZNA')
  })
})

describe('PUT clients/{id}', () => {
  it('CLI-124 CLI-G5 changes what is given and nothing else, and says from what to what in the audit', async () => {
    const id = await created({ clientNote: 'old', clientEmail: 'a@example.com' })
    const before = await read(id)
    const { status, body } = await staff.put(`clients/${id}`, { clientNote: 'new' })
    expect([status, body.message, body.data]).toEqual([
      200,
      'Successfully updated',
      { ...before, clientNote: 'new', version: 2 },
    ])
    const { rows } = await test.database.owner.query(
      "select action, actor_id, client_id, old_data->>'clientNote' as old, new_data->>'clientNote' as new from audit_entry where entity = 'client' and entity_id = $1 order by id",
      [id],
    )
    expect(rows).toEqual([
      { action: 'CREATE', actor_id: staff.userId, client_id: id, old: null, new: 'old' },
      { action: 'UPDATE', actor_id: staff.userId, client_id: id, old: 'old', new: 'new' },
    ])
  })

  it("keeps the laboratory's note from the client's own users, in record and activity, unless it is marked visible", async () => {
    const id = await created({ clientNote: 'slow payer, watch credit' })
    const reader = await test.as('CLNT', id)
    const seen = async () =>
      JSON.stringify([(await reader.get(`clients/${id}`)).body, (await reader.get(`clients/${id}/histories`)).body])
    expect((await staff.get(`clients/${id}`)).body.data).toMatchObject({
      clientNote: 'slow payer, watch credit',
      isNoteVisible: 0,
    })
    expect(await seen()).not.toContain('slow payer')
    await staff.put(`clients/${id}`, { clientNote: 'closed on Mondays', isNoteVisible: 1 })
    expect((await reader.get(`clients/${id}`)).body.data.clientNote).toBe('closed on Mondays')
    expect(await seen()).not.toContain('slow payer')
    expect((await staff.get(`clients/${id}/histories`)).body.data[0].changes).toContainEqual({
      field: 'isNoteVisible',
      label: 'Note visible to the client',
      from: 'No',
      to: 'Yes',
    })
  })

  it('replaces laboratories and sales reps by those of the form; the first rep is the one that lists show', async () => {
    const [one, two] = [
      await test.given.salesPerson({ last_name: 'One' }),
      await test.given.salesPerson({ last_name: 'Two' }),
    ]
    const lab = await test.given.lab()
    const id = await created({ salesIds: [one.id] })
    const put = async (change: object) => (await staff.put(`clients/${id}`, change)).body.data
    expect(await put({ salesIds: [two.id, one.id], labIds: [lab.id] })).toMatchObject({
      salesIds: [two.id, one.id],
      salesRep: 'Sam Two',
      labIds: [lab.id],
    })
    expect(await put({ salesIds: [one.id, two.id] })).toMatchObject({ salesRep: 'Sam One' })
    expect(await put({ salesIds: [] })).toMatchObject({ salesIds: [], salesRep: null, salesJson: expect.any(String) })
    expect((await staff.put(`clients/${id}`, { labIds: [] })).body.message).toBe('Performing Laboratories is required')
  })

  it('CLI-127 PHY-G9 TABLE-137 adds physicians by physIds, also twice, and refuses unknown ones', async () => {
    const id = await created()
    const [one, two] = [await test.given.physician(), await test.given.physician()]
    expect((await staff.put(`clients/${id}`, { physIds: [one.id] })).body.message).toBe('Successfully saved')
    expect((await staff.put(`clients/${id}`, { physIds: [one.id, two.id] })).body.data.version).toBe(1)
    const { body } = await staff.get(`clients/${id}/physicians?perPage=-1&sort=[id,ASC]`)
    expect(body.data.map((row: { id: number }) => row.id)).toEqual([one.id, two.id])
    expect((await staff.put(`clients/${id}`, { physIds: [999_999] })).status).toBe(400)
  })

  it('shows the second of two writers what the first has saved', async () => {
    const id = await created()
    const first = await staff.put(`clients/${id}`, { clientNote: 'first' }, { 'if-match': '"1"' })
    const second = await staff.put(`clients/${id}`, { clientNote: 'second' }, { 'if-match': '"1"' })
    expect([first.status, second.status, second.body.current.clientNote]).toEqual([200, 409, 'first'])
  })

  it('asks when a new name makes it a possible duplicate, applies rules across fields, and keeps its Client ID', async () => {
    const first = await read(await created())
    const id = await created()
    const change = { clientName: first.clientName }
    expect((await staff.put(`clients/${id}`, change)).body.current.questions).toMatchObject([
      { code: 'SAME_CLIENT', duplicates: [{ id: first.id }] },
    ])
    expect((await staff.put(`clients/${id}`, { ...change, answers: { SAME_CLIENT: 'SAVE' } })).status).toBe(200)
    expect((await staff.put(`clients/${id}`, { clientTransmitMethodCode: 'FAX' })).body.errors).toEqual([
      { field: 'clientFaxEmail', message: 'Secure Fax is required' },
    ])
    const abroad = await place('CA', 'ON')
    expect((await staff.put(`clients/${id}`, { clientCountryId: abroad.clientCountryId })).body.errors).toEqual([
      { field: 'clientStateId', message: 'State is invalid' },
    ])
    expect((await staff.put(`clients/${id}`, { legacyClientId: '' })).body.data.legacyClientId).toBe(`C${1000 + id}`)
  })

  it.each(['999999', '9007199254740991', 'abc', '0', '-1'])('has no client %s', async (id) => {
    for (const reply of [
      await staff.get(`clients/${id}`),
      await staff.put(`clients/${id}`, { clientNote: 'x' }),
      await staff.del(`clients/${id}`),
    ])
      expect([400, 404]).toContain(reply.status)
  })
})

describe('writing clients', () => {
  it.each(roles.filter((role) => !can(role, 'clients.write')))('PERM-046 PERM-047 is refused to %s', async (role) => {
    const id = await created()
    const who = await test.as(role, role === 'CLNT' ? id : undefined)
    for (const reply of [
      await who.post('clients', await aClient()),
      await who.put(`clients/${id}`, { clientNote: 'x' }),
      await who.del(`clients/${id}`),
      await who.del(`clients/bulk_delete?id=${id}`),
    ])
      expect(reply.status).toBe(403)
  })
})
