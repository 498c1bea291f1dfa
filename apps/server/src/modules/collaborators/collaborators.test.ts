import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'
import { findReportContent } from '../reports/content.ts'
import { findReportLogo } from './report-logos.ts'

const test = openTestApp({
  env: { HL7_RECEIVERS: JSON.stringify({ WIRED: 'mllp://127.0.0.1:2575', 'C-WIRED': 'mllp://127.0.0.1:2576' }) },
})
let staff: Caller
let place: { colaCountryId: number; colaStateId: number }

beforeAll(async () => {
  staff = await test.as('STF')
  const { rows } = await test.database.owner.query(
    "select s.id, s.country_id from state s join country c on c.id = s.country_id where c.iso2 = 'US' and s.code = 'MA'",
  )
  place = { colaCountryId: rows[0].country_id, colaStateId: rows[0].id }
})

let serial = 0
const aCollaborator = (over: Record<string, unknown> = {}) => ({
  colaName: `Partner Lab ${++serial}`,
  colaAlias: `PL${serial}`,
  ...place,
  colaCity: 'Boston',
  colaZip: '02101',
  colaAddr1: '1 Main St',
  reportNameFormatCode: 'REQID',
  isLisInterface: 1,
  isOrderIdAvailable: 0,
  ...over,
})
const created = async (over: Record<string, unknown> = {}) =>
  (await staff.post('collaborators', aCollaborator(over))).body.data.id as number
const filter = (text: string) => `filter=${encodeURIComponent(text)}`
const outsiders = roles.filter((role) => !can(role, 'collaborators.read'))

describe('POST collaborators', () => {
  const whole = once(async () => {
    const full = {
      ...aCollaborator({ colaAddr2: 'Floor 2', colaPhone: '1 617 555 0100', colaEmail: 'lab@example.com' }),
      colaFaxEmail: 'fax@example.com',
      fax: '1 617 555 0101',
      colaNote: 'Note',
      colaOfficeContact: 'Olga',
      cola2ndContact: 'Tom',
      colaLabDirector: 'Dr. Ann Lee',
      colaLabNpi: '1234567893',
      colaTransmitMethodCode: 'PORTAL',
      colaBillTypeCode: 'CLIENT',
      colaDeliveryNote: 'Evenings',
      templateFilename: 'partner.docx',
      reportWording: 'In partnership with us',
      reportLogo: null,
      reportDeliverToCode: 'BOTH',
      idPrintOutCode: 'EXTORDER',
      colaPortalPrefCode: 'RELEASED',
    }
    const { status, body } = await staff.post('collaborators', full)
    expect([status, body]).toEqual([200, { data: { id: expect.any(Number) }, message: 'Successfully created' }])
    const expected = {
      id: body.data.id,
      ...full,
      colaPhone: '16175550100',
      fax: '16175550101',
      colaCountry: 'United States',
      colaState: 'Massachusetts',
      colaTransmitMethodDesc: 'Portal',
      colaBillTypeDesc: expect.stringMatching(/client/i),
      reportNameFormatDesc: 'Requisition id',
      reportDeliverToDesc: 'Collaborator and client',
      idPrintoutDesc: 'External order id',
      colaPortalPrefDesc: 'Released results only',
      version: 1,
    }
    return { data: (await staff.get(`collaborators/${body.data.id}`)).body.data, expected }
  })

  it('COL-88 COL-90 creates one that can be read with every field and description', async () => {
    const { data, expected } = await whole()
    expect(data).toEqual(expected)
  })

  it.each([
    ['COL-17', 'id'],
    ['COL-18', 'colaName'],
    ['COL-19', 'colaAlias'],
    ['COL-20', 'colaCountryId'],
    ['COL-21', 'colaStateId'],
    ['COL-22', 'colaCity'],
    ['COL-23', 'colaZip'],
    ['COL-24', 'colaAddr1'],
    ['COL-25', 'colaAddr2'],
    ['COL-26', 'colaPhone'],
    ['COL-27', 'colaEmail'],
    ['COL-28', 'colaFaxEmail'],
    ['COL-29', 'fax'],
    ['COL-30', 'colaNote'],
    ['COL-31', 'colaOfficeContact'],
    ['COL-32', 'cola2ndContact'],
    ['COL-33', 'colaLabDirector'],
    ['COL-34', 'colaLabNpi'],
    ['COL-35', 'colaTransmitMethodCode'],
    ['COL-36', 'colaBillTypeCode'],
    ['COL-37', 'colaDeliveryNote'],
    ['COL-38', 'reportNameFormatCode'],
    ['COL-39', 'templateFilename'],
    ['COL-40', 'reportDeliverToCode'],
    ['COL-41', 'idPrintOutCode'],
    ['COL-42', 'isLisInterface'],
    ['COL-43', 'isOrderIdAvailable'],
    ['COL-44', 'colaPortalPrefCode'],
    ['COL-45', 'colaState'],
    ['COL-46', 'colaCountry'],
    ['COL-47', 'colaTransmitMethodDesc'],
    ['COL-48', 'colaBillTypeDesc'],
    ['COL-49', 'reportNameFormatDesc'],
    ['COL-50', 'reportDeliverToDesc'],
    ['COL-51', 'idPrintoutDesc'],
    ['COL-52', 'colaPortalPrefDesc'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('COL-42 COL-43 keeps the flags as 1 and 0, and what is left out as nothing', async () => {
    const id = await created({ isLisInterface: 0, isOrderIdAvailable: 1, colaEmail: '', colaLabNpi: ' ' })
    expect((await staff.get(`collaborators/${id}`)).body.data).toMatchObject({
      isLisInterface: 0,
      isOrderIdAvailable: 1,
      colaEmail: null,
      colaLabNpi: null,
      colaTransmitMethodCode: null,
      colaTransmitMethodDesc: null,
    })
  })

  it.each([
    ['COL-73', 'colaName', ' ', 'Name is required'],
    ['COL-74', 'colaAlias', undefined, 'Alias is required'],
    ['COL-75', 'colaCountryId', '', 'Country is required'],
    ['COL-76', 'colaStateId', null, 'State is required'],
    ['COL-77', 'colaZip', '', 'Zip is required'],
    ['COL-78', 'colaCity', '', 'City is required'],
    ['COL-79', 'colaAddr1', '', 'Address 1 is required'],
    ['COL-80', 'reportNameFormatCode', undefined, 'Name Format Code is required'],
    ['COL-81', 'isLisInterface', undefined, 'LIS Interface is required'],
    ['COL-82', 'isOrderIdAvailable', null, 'Order ID Available is required'],
    ['an unknown', 'colaCountryId', 999_999, 'Country is invalid'],
    ['an endless', 'colaCountryId', '999999999999', 'Country is invalid'],
    ['an unknown', 'colaStateId', 999_999, 'State is invalid'],
    ['an unknown', 'colaTransmitMethodCode', 'PIGEON', 'Delivery Method is invalid'],
    ['an unknown', 'reportNameFormatCode', 'REQI', 'Name Format Code is invalid'],
    ['an unknown', 'idPrintOutCode', 'X', 'ID Printout is invalid'],
    ['a wrong', 'colaEmail', 'lab@', 'Invalid email'],
    ['a wrong', 'colaPhone', 'abc', 'Invalid phone number'],
    ['a wrong', 'colaLabNpi', '12345', 'Lab NPI is invalid'],
  ])('%s %s "%s" is refused by name', async (_, field, value, message) => {
    const { status, body } = await staff.post('collaborators', aCollaborator({ [field]: value }))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })

  it('COL-84 refuses a state of another country', async () => {
    const { rows } = await test.database.owner.query('select id from country where id <> $1 limit 1', [
      place.colaCountryId,
    ])
    const { body } = await staff.post('collaborators', aCollaborator({ colaCountryId: rows[0].id }))
    expect(body.errors).toEqual([{ field: 'colaStateId', message: 'State is invalid' }])
  })

  it('refuses a name that is taken, whatever its case', async () => {
    await created({ colaName: 'Same Name Labs' })
    const { status, body } = await staff.post('collaborators', aCollaborator({ colaName: 'SAME NAME labs' }))
    expect([status, body.errors]).toEqual([400, [{ field: 'colaName', message: 'Name is already used' }]])
  })

  it('refuses an alias that is used or is a Client ID, in any case, and a client refuses one that is an alias', async () => {
    const taken = (field: string, message: string) => [400, [{ field, message }]]
    const id = await created({ colaAlias: 'North' })
    const second = await staff.post('collaborators', aCollaborator({ colaAlias: 'nORTH' }))
    expect([second.status, second.body.errors]).toEqual(taken('colaAlias', 'Alias is already used'))
    const { id: clientId } = await test.given.client({ legacy_client_id: 'South-1' })
    const renamed = await staff.put(`collaborators/${id}`, aCollaborator({ colaAlias: 'SOUTH-1' }))
    expect([renamed.status, renamed.body.errors]).toEqual(taken('colaAlias', 'Alias is already used as a Client ID'))
    const client = await staff.put(`clients/${clientId}`, { legacyClientId: 'NORTH' })
    expect([client.status, client.body.errors]).toEqual(
      taken('legacyClientId', 'Client ID is already used as the alias of a collaborator'),
    )
    const racers = await Promise.all(
      [1, 2].map(() => staff.post('collaborators', aCollaborator({ colaAlias: 'Race' }))),
    )
    expect(racers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    // What was stored before this was refused can be saved again as it is.
    const { id: old } = await test.given.collaborator({ alias: 'North' })
    const name = (await staff.get(`collaborators/${old}`)).body.data.colaName
    const kept = await staff.put(`collaborators/${old}`, aCollaborator({ colaName: name, colaAlias: 'North' }))
    expect(kept.status).toBe(200)
    expect((await staff.del(`collaborators/${id}`)).status).toBe(200)
    expect((await staff.del(`collaborators/${old}`)).status).toBe(200)
    expect((await staff.post('collaborators', aCollaborator({ colaAlias: 'NORTH' }))).status).toBe(200)
  })

  it('keeps an alias or Client ID under which the settings have an HL7 receiver, and says why', async () => {
    const why = (name: string) =>
      `${name} has an HL7 receiver of its own (HL7_RECEIVERS), which would no longer be found; an administrator changes that setting first`
    const input = aCollaborator({ colaAlias: 'WIRED' })
    const id = (await staff.post('collaborators', input)).body.data.id as number
    const { status, body } = await staff.put(`collaborators/${id}`, { ...input, colaAlias: 'Loose' })
    expect([status, body.errors]).toEqual([400, [{ field: 'colaAlias', message: why('Alias WIRED') }]])
    expect((await staff.put(`collaborators/${id}`, { ...input, colaCity: 'Salem' })).status).toBe(200)
    const { id: clientId } = await test.given.client({ legacy_client_id: 'C-WIRED' })
    const client = await staff.put(`clients/${clientId}`, { legacyClientId: 'C-LOOSE' })
    expect([client.status, client.body.errors]).toEqual([
      400,
      [{ field: 'legacyClientId', message: why('Client ID C-WIRED') }],
    ])
    expect((await staff.put(`clients/${clientId}`, { clientNote: 'Salem' })).status).toBe(200)
    // After a deletion another record could take its name, and so its interface.
    for (const [path, name] of [
      [`collaborators/${id}`, 'Alias WIRED'],
      [`clients/${clientId}`, 'Client ID C-WIRED'],
    ] as const) {
      const deleted = await staff.del(path)
      expect([deleted.status, deleted.body.message]).toEqual([409, expect.stringContaining(why(name))])
      expect((await staff.get(path)).status).toBe(200)
    }
  })

  it('sent twice with the same key creates one', async () => {
    const [input, key] = [aCollaborator(), { 'idempotency-key': `cola-create-${serial}` }]
    const replies = await Promise.all([1, 2].map(() => staff.post('collaborators', input, key)))
    expect(replies[0]?.body.data.id).toBe(replies[1]?.body.data.id)
  })

  it.each(roles.filter((role) => !can(role, 'collaborators.write')))('refuses %s', async (role) => {
    const [who, id] = [await test.as(role), await created()]
    expect((await who.post('collaborators', aCollaborator())).status).toBe(403)
    expect((await who.put(`collaborators/${id}`, aCollaborator())).status).toBe(403)
    expect((await who.del(`collaborators/${id}`)).status).toBe(403)
    expect((await who.del(`collaborators/bulk_delete?id=${id}`)).status).toBe(403)
  })
})

describe('PUT and DELETE collaborators/{id}', () => {
  it('COL-89 changes it and says from what to what in the audit', async () => {
    const id = await created()
    const { status, body } = await staff.put(`collaborators/${id}`, aCollaborator({ colaCity: 'Salem' }))
    expect([status, body.message, body.data.colaCity, body.data.version]).toEqual([
      200,
      'Successfully updated',
      'Salem',
      2,
    ])
    const { rows } = await test.database.owner.query(
      "select action, old_data, new_data from audit_entry where entity = 'collaborator' and entity_id = $1 order by id",
      [id],
    )
    expect(rows.map((row) => row.action)).toEqual(['CREATE', 'UPDATE'])
    expect([rows[1].old_data.colaCity, rows[1].new_data.colaCity]).toEqual(['Boston', 'Salem'])
  })

  it('shows the second of two writers what the first has saved', async () => {
    const id = await created()
    const save = (colaNote: string) =>
      staff.put(`collaborators/${id}`, aCollaborator({ colaNote }), { 'if-match': '"1"' })
    const [first, second] = [await save('first'), await save('second')]
    expect([first.status, second.status, second.body.current.colaNote]).toEqual([200, 409, 'first'])
  })

  it('keeps a code that has left its list', async () => {
    const id = await created({ colaTransmitMethodCode: 'PRINT' })
    await test.database.owner.query(
      "update lov set is_active = false where type_code = 'TRANSMITMETHOD' and code = 'PRINT'",
    )
    const change = aCollaborator({ colaTransmitMethodCode: 'PRINT' })
    expect((await staff.put(`collaborators/${id}`, change)).status).toBe(200)
    expect((await staff.post('collaborators', change)).status).toBe(400)
  })

  it('COL-91 TABLE-112 deletes softly, one or several, all or nothing', async () => {
    const ids = [await created(), await created(), await created()]
    expect((await staff.del(`collaborators/bulk_delete?id=${ids[0]},999999`)).status).toBe(404)
    expect((await staff.del(`collaborators/${ids[0]}`)).body.message).toBe('Successfully deleted')
    expect((await staff.del(`collaborators/bulk_delete?id=${ids[1]},${ids[2]}`)).status).toBe(200)
    for (const id of ids) expect((await staff.get(`collaborators/${id}`)).status).toBe(404)
  })

  it('answers 409 and says what still uses it', async () => {
    const id = await created({ colaName: 'Busy Labs' })
    const client = await test.given.client({ collaborator_id: id })
    await test.given.requisition({ client_id: client.id })
    await test.given.user('COLA', id)
    const { status, body } = await staff.del(`collaborators/${id}`)
    expect([status, body.message]).toEqual([
      409,
      'Busy Labs cannot be deleted: still used by 1 client(s), 1 requisition(s), 1 user(s)',
    ])
  })

  it.each(['999999', '9007199254740991', 'abc'])('has no collaborator %s', async (id) => {
    for (const { status } of [
      await staff.get(`collaborators/${id}`),
      await staff.put(`collaborators/${id}`, aCollaborator()),
      await staff.del(`collaborators/${id}`),
      await staff.get(`collaborators/${id}/test_ranges`),
    ])
      expect([400, 404]).toContain(status)
  })
})

describe('GET collaborators', () => {
  it('COL-03 COL-04 COL-05 COL-06 COL-07 filters by id, name, alias, phone and email', async () => {
    const id = await created({
      colaName: 'Findable Labs',
      colaAlias: 'FINDME',
      colaPhone: '14155559876',
      colaEmail: 'find@me.example',
    })
    for (const text of [
      `[id:${id}]`,
      '[colaName:findable]',
      '[colaAlias:findme]',
      '[colaPhone:5559876]',
      '[colaEmail:find@me]',
      '[search:findable labs]',
    ]) {
      const { body } = await staff.get(`collaborators?${filter(text)}`)
      expect([text, body.total, body.data[0]?.id]).toEqual([text, 1, id])
    }
  })

  it.each([
    ['filter=[nope:1]', 400],
    ["filter=[id:1' or '1'='1]", 400],
    ["filter=[colaName:'; drop table collaborator; --]", 200],
    [`filter=[search:${'x'.repeat(5000)}]`, 200],
    ['sort=[colaNote,ASC]', 400],
    ['sort=[colaName,sideways]', 400],
    ['sort=[colaEmail,DESC]', 200],
    ['page=99999', 200],
    ['perPage=501', 400],
  ])('answers %s with %i, never with 500', async (query, status) => {
    expect((await staff.get(`collaborators?${query}`)).status).toBe(status)
  })

  it.each(outsiders)('%s may open neither a collaborator nor its ranges', async (role) => {
    const [who, id] = [await test.as(role), await created()]
    expect((await who.get(`collaborators/${id}`)).status).toBe(403)
    expect((await who.get(`collaborators/${id}/test_ranges`)).status).toBe(403)
  })

  it('LOOK-039 VIEW-48 gives others the names in their scope and nothing more', async () => {
    const [own, foreign] = [await created(), await created()]
    const client = await test.given.client({ collaborator_id: own })
    await test.given.client({ collaborator_id: foreign })
    const physician = await test.given.physician()
    await test.given.clientPhysician(client.id, physician.id)
    const rep = await test.given.salesPerson()
    await test.given.clientSales(client.id, rep.id)
    const readers = [
      await test.as('COLA', own),
      await test.as('CLNT', client.id),
      await test.as('PHYS', physician.id),
      await test.as('SLS', rep.id),
    ]
    for (const who of readers) {
      const { body } = await who.get('collaborators?perPage=-1')
      expect(body).toEqual({ data: [{ id: own, colaName: expect.any(String) }], total: 1, message: '' })
      expect((await who.get(`collaborators?${filter(`[id:${foreign}]`)}`)).body.total).toBe(0)
      expect((await who.get(`collaborators?${filter('[colaEmail:x]')}`)).status).toBe(400)
      expect((await who.get('collaborators?sort=[colaEmail,ASC]')).status).toBe(400)
    }
    expect((await (await test.as('BILL')).get('collaborators')).body.total).toBe(0)
    expect((await (await test.as('GST')).get('collaborators')).status).toBe(403)
  })
})

describe('logo and wording on reports', () => {
  const png = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#205080' } })
      .png()
      .toBuffer()
  const asUrl = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`

  it('SOUT-08 are set with the collaborator, printed in its reports, and taken out again', async () => {
    const id = await created()
    const set = { reportWording: 'Reported for Partner Lab.', reportLogo: asUrl(await png(800, 200)) }
    const { status, body } = await staff.put(`collaborators/${id}`, set)
    expect([status, body.data.reportWording]).toEqual([200, 'Reported for Partner Lab.'])
    expect(body.data.reportLogo).toMatch(/^data:image\/jpeg;base64,/)
    const { width, height } = await sharp(Buffer.from(body.data.reportLogo.split(',')[1], 'base64')).metadata()
    expect([width, height]).toEqual([400, 100])
    // A list of collaborators does not carry pictures; the history says which one it was.
    expect((await staff.get(`collaborators?${filter(`[id:${id}]`)}`)).body.data[0]).not.toHaveProperty('reportLogo')
    const { rows } = await test.database.owner.query(
      "select new_data ->> 'reportLogo' as logo from audit_entry where entity = 'collaborator' and entity_id = $1 order by id desc limit 1",
      [id],
    )
    expect(rows[0].logo).toMatch(/^sha256 [0-9a-f]{64}$/)

    const client = await test.given.client({ collaborator_id: id })
    const order = await test.given.requisition({ client_id: client.id })
    const said = await findReportContent(test.database.db, order.id)
    expect(said.collaborator).toMatchObject({ wording: 'Reported for Partner Lab.', logoId: expect.any(Number) })
    const picture = (await findReportLogo(test.database.db, said.collaborator.logoId ?? null)) as Buffer
    const logo = `data:image/jpeg;base64,${picture.toString('base64')}`
    expect(logo).toBe(body.data.reportLogo)

    const cleared = await staff.put(`collaborators/${id}`, { reportWording: '', reportLogo: '' })
    expect(cleared.body.data).toMatchObject({ reportWording: null, reportLogo: null })
  })

  it.each([
    ['a text', 'hello', 'Report Logo must be a PNG or JPEG of at most 100 kB'],
    [
      'another kind of file',
      asUrl(Buffer.from('<svg/>'), 'svg+xml'),
      'Report Logo must be a PNG or JPEG of at most 100 kB',
    ],
    ['too large a file', asUrl(Buffer.alloc(120_000)), 'Report Logo must be a PNG or JPEG of at most 100 kB'],
    ['no picture', asUrl(Buffer.from('not a picture')), 'Report Logo is not a picture that can be read'],
  ])('SOUT-08 refuse %s as a logo', async (_, reportLogo, message) => {
    const { status, body } = await staff.post('collaborators', aCollaborator({ reportLogo }))
    expect([status, body.errors]).toEqual([400, [{ field: 'reportLogo', message }]])
  })
})
