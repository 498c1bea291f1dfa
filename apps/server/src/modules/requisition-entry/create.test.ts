import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { recentlyCollected } from '../../../test/given.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
const rowsOf = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(test.database.db)).rows
const post = async (body: Record<string, unknown>, role: 'ADM' | 'COLA' = 'ADM', entity?: number) =>
  (await test.as(role, entity)).post('requisitions', body)
const refusal = async (over: Record<string, unknown>) => {
  const { status, body } = await post(await test.given.requisitionBody(over))
  return [status, body.errors?.[0]?.field, body.errors?.[0]?.message]
}

describe('POST requisitions, CREATE-82', () => {
  const whole = once(async () => {
    const body = await test.given.requisitionBody({
      extOrderId: '00123',
      patientMiddleName: 'Q',
      patientRaceCode: 'ASIAN',
      patientSsn: '123-45-6789',
      patientDob: '1/2/1960',
      collectCode: 'VENI',
      collectedBy: 'L. Marchetti',
      sbp: '134',
      dbp: 86,
      isSmoker: 1,
      isCovidVac: 1,
      famHistT2DCode: 'SIBLING',
      isSelfT2DGest: 0,
      weight: '171',
      heightFeet: '5',
      heightInches: '6',
    })
    const admin = await test.as('ADM')
    const { status, body: reply } = await admin.post('requisitions', body)
    expect([status, reply.message]).toEqual([200, 'Successfully created'])
    const { id } = reply.data
    const detail = (await admin.get(`requisitions/${id}`)).body.data
    const expectedDetail = {
      reqStatusCode: 'LOG',
      extOrderId: '00123',
      collectCode: 'VENI',
      collectedBy: 'L. Marchetti',
      patientDob: '1960-01-02',
      collectedTz: 'America/New_York',
      clientId: body.clientId,
      colaId: body.collaborator,
      labId: body.labId,
      eventId: body.eventId,
      orderingClientPhysId: body.orderingClientPhysId,
      dateCollected: recentlyCollected(),
    }
    const { patient, history } = (await admin.get(`requisitions/${id}/patient`)).body.data
    const expectedPatient = {
      patientFirstName: 'Nora',
      patientMiddleName: 'Q',
      patientGenderCode: 'FEMALE',
      patientRaceCode: 'ASIAN',
      patientEthnicityCode: 'NA',
      patientLastName: body.patientLastName,
      patientSsn: '•••-••-6789',
    }
    const expectedHistory = {
      isSmoker: 1,
      isDiabetic: 0,
      isFamilyHistory: 0,
      isCovidVac: 1,
      isSelfT2DGest: 0,
      famHistT2DCode: 'SIBLING',
      famHistT2DDesc: 'Brother or sister',
      sbp: 134,
      dbp: 86,
      weight: 171,
      weightUom: 'LBS',
      heightInches: 66,
      heightCm: null,
      heightUom: 'INCH',
    }
    return {
      admin,
      id,
      data: { ...detail, ...patient, ...history, dateCollected: new Date(detail.dateCollected).toISOString() },
      expected: { ...expectedDetail, ...expectedPatient, ...expectedHistory },
    }
  })

  it('stores order, patient, history, first status and audit in one go', async () => {
    const { admin, id, data, expected } = await whole()
    expect(data).toMatchObject(expected)
    const events = await rowsOf(
      sql`select from_code, to_code, actor_id from requisition_status_event where requisition_id = ${id}`,
    )
    expect(events).toEqual([{ from_code: null, to_code: 'LOG', actor_id: admin.userId }])
    const audit = await rowsOf<{ action: string; entity: string; new_data: unknown }>(
      sql`select entity, action, new_data from audit_entry where requisition_id = ${id} order by id`,
    )
    expect(audit.map(({ entity, action }) => `${entity} ${action}`)).toEqual(['patient CREATE', 'requisition CREATE'])
    expect(JSON.stringify(audit)).not.toContain('123456789')
  })

  it.each([
    ['CREATE-11', 'colaId'],
    ['CREATE-12', 'clientId'],
    ['CREATE-13', 'orderingClientPhysId'],
    ['CREATE-14', 'eventId'],
    ['CREATE-15', 'extOrderId'],
    ['CREATE-16', 'labId'],
    ['CREATE-20', 'patientFirstName'],
    ['CREATE-21', 'patientMiddleName'],
    ['CREATE-22', 'patientLastName'],
    ['CREATE-23', 'patientGenderCode'],
    ['CREATE-24', 'patientRaceCode'],
    ['CREATE-25', 'patientEthnicityCode'],
    ['CREATE-26', 'patientSsn'],
    ['CREATE-33', 'collectCode'],
    ['CREATE-34', 'collectedBy'],
    ['CREATE-35', 'sbp'],
    ['CREATE-36', 'dbp'],
    ['CREATE-37', 'isSmoker'],
    ['CREATE-38', 'isDiabetic'],
    ['CREATE-39', 'isFamilyHistory'],
    ['CREATE-40', 'isCovidVac'],
    ['CREATE-41', 'famHistT2DCode'],
    ['CREATE-42', 'isSelfT2DGest'],
    ['CREATE-43', 'weight'],
    ['CREATE-44', 'weightUom'],
    ['CREATE-46', 'heightInches'],
    ['CREATE-47', 'heightCm'],
    ['CREATE-48', 'heightUom'],
    ['CREATE-83', 'patientDob'],
    ['CREATE-84', 'dateCollected'],
    ['PAT-038', 'patientDob'],
  ])('%s keeps %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('keeps the social security number sealed, and shows its end alone', async () => {
    const { body } = await post(await test.given.requisitionBody({ patientSsn: '123456789' }))
    const [row] = await rowsOf<{ ssn: Buffer; last4: string }>(
      sql`select p.ssn_encrypted as ssn, p.ssn_last4 as last4 from patient p join requisition r on r.patient_id = p.id where r.id = ${body.data.id}`,
    )
    expect([row?.ssn.toString('latin1').includes('123456789'), row?.last4]).toEqual([false, '6789'])
  })

  it('presets what is not said, CREATE-49 CREATE-51..CREATE-55', async () => {
    const { body } = await post(await test.given.requisitionBody())
    const { data } = (await (await test.as('ADM')).get(`requisitions/${body.data.id}/patient`)).body
    expect(data.patient.patientEthnicityCode).toBe('NA')
    expect(data.history).toMatchObject({
      isSmoker: 0,
      isDiabetic: 0,
      isFamilyHistory: 0,
      weightUom: 'LBS',
      heightUom: 'INCH',
    })
    expect(data.history).toMatchObject({ isCovidVac: null, isSelfT2DGest: null, weight: null })
  })

  it("is billed to whom the client's 'Bill To' says, where a requisition knows that bill type", async () => {
    const billTypeFor = async (billType: string) => {
      const client = await test.given.client({ bill_type_code: billType })
      const { id } = (await post(await test.given.requisitionBody({ clientId: client.id }))).body.data
      return (await (await test.as('ADM')).get(`requisitions/${id}`)).body.data.reqBillTypeCode
    }
    for (const code of ['CLIENT', 'INSURANCE', 'PATIENT', 'COLA']) expect(await billTypeFor(code)).toBe(code)
    expect(await billTypeFor('OTHER')).toBeNull()
  })

  it.each([
    ['CREATE-59', 'Lab'],
    ['CREATE-61', 'Client'],
    ['CREATE-62', 'Physician'],
    ['CREATE-63', 'Client Event'],
    ['CREATE-64', 'First Name'],
    ['CREATE-65', 'Last Name'],
    ['CREATE-66', 'Gender'],
    ['CREATE-83', 'Date of birth'],
    ['CREATE-84', 'Date Collected'],
  ])('%s names %s when it is missing', async (_, label) => {
    const { status, body } = await post({})
    expect(status).toBe(400)
    expect(body.errors.map(({ message }: { message: string }) => message)).toContain(`${label} is required`)
  })

  it('names the collaborator when it is missing, CREATE-60', async () => {
    const { collaborator: _, ...without } = await test.given.requisitionBody()
    expect((await post(without)).body.errors).toEqual([{ field: 'collaborator', message: 'Collaborator is required' }])
  })

  it('takes the collaborator under either name', async () => {
    const { collaborator, ...rest } = await test.given.requisitionBody()
    expect((await post({ ...rest, colaId: collaborator })).status).toBe(200)
  })

  it('refuses dates that cannot be, by the field', async () => {
    const future = new Date(Date.now() + 3 * 86_400_000).toISOString()
    expect(await refusal({ patientDob: future.slice(0, 10) })).toEqual([
      400,
      'patientDob',
      'Date cannot be in the future',
    ])
    expect(await refusal({ patientDob: '2/31/1960' })).toEqual([400, 'patientDob', 'Invalid date'])
    expect(await refusal({ patientDob: '1/2/1890' })).toEqual([
      400,
      'patientDob',
      'Date of birth cannot be more than 130 years ago',
    ])
    expect(await refusal({ dateCollected: future })).toEqual([400, 'dateCollected', 'Date cannot be in the future'])
    expect(await refusal({ dateCollected: '2026-02-31T10:00:00-05:00' })).toEqual([
      400,
      'dateCollected',
      'Invalid date',
    ])
    expect(await refusal({ dateCollected: 'yesterday' })).toEqual([400, 'dateCollected', 'Invalid date'])
    expect(await refusal({ patientDob: '1/2/2020', dateCollected: '2019-05-01T10:00:00-04:00' })).toEqual([
      400,
      'dateCollected',
      'Date collected cannot be before the date of birth',
    ])
  })

  it("reads a time without offset by the client's clocks, and refuses one that does not exist or exists twice, CREATE-76 CREATE-79", async () => {
    expect(await refusal({ dateCollected: '2026-03-08T02:30' })).toEqual([
      400,
      'dateCollected',
      "This time does not exist in the client's time zone.",
    ])
    expect(await refusal({ dateCollected: '2026-11-01T01:30' })).toEqual([
      400,
      'dateCollected',
      "This time occurs twice on this day in the client's time zone. Please choose which one is meant.",
    ])
    const admin = await test.as('ADM')
    const answers = { OLD_COLLECTION: 'SAVE' }
    const stored = async (dateCollected: string) => {
      const { body } = await admin.post('requisitions', await test.given.requisitionBody({ dateCollected, answers }))
      return new Date((await admin.get(`requisitions/${body.data.id}`)).body.data.dateCollected).toISOString()
    }
    expect(await stored('2026-11-01T01:30:00-04:00')).toBe('2026-11-01T05:30:00.000Z')
    expect(await stored('2026-11-01T01:30:00-05:00')).toBe('2026-11-01T06:30:00.000Z')
    expect(await stored('2026-07-08T10:05')).toBe('2026-07-08T14:05:00.000Z')
  })

  it('needs the time zone of the client, CREATE-76..CREATE-78', async () => {
    const { id: clientId } = await test.given.client({ zone: 'TZNA' })
    expect(await refusal({ clientId })).toEqual([
      400,
      'dateCollected',
      "Client Timezone is not available, please make sure the client's timezone is set correctly.",
    ])
  })

  it('keeps names of every script as they are and refuses what is in nobody’s name', async () => {
    const names = ['Zoë', 'محمد', '山田', "O'Brien-Smith, Jr."]
    const admin = await test.as('ADM')
    for (const patientLastName of names) {
      const { body } = await admin.post('requisitions', await test.given.requisitionBody({ patientLastName }))
      const detail = await admin.get(`requisitions/${body.data.id}`)
      expect(detail.body.data.patientLastName).toBe(patientLastName)
    }
    expect(await refusal({ patientLastName: 'x'.repeat(500) })).toEqual([
      400,
      'patientLastName',
      'Last Name must be at most 100 characters',
    ])
    for (const patientFirstName of ['a\u0000b', 'Zoë 🙂', '<b>Zoë</b>', '123'])
      expect(await refusal({ patientFirstName })).toEqual([400, 'patientFirstName', 'First Name is invalid'])
    for (const patientSsn of ['000-00-0000', '000-12-3456', '123-00-4567', '123-45-0000'])
      expect(await refusal({ patientSsn })).toEqual([400, 'patientSsn', 'SSN is invalid'])
  })

  it('asks about somebody of more than 100 years, and refuses one of more than 130, DAY-36', async () => {
    const born = (years: number) => `1/2/${new Date().getUTCFullYear() - years}`
    const send = async (patientDob: string, more: object = {}) =>
      post({ ...(await test.given.requisitionBody({ patientDob })), ...more })
    expect((await send(born(99))).status).toBe(200)
    expect((await send(born(108))).body.current.questions).toMatchObject([
      {
        code: 'OLD_BIRTH_DATE',
        field: 'patientDob',
        message: `The date of birth, ${born(108).replace('1/2/', '01/02/')}, is about 108 years ago.`,
      },
    ])
    expect((await send(born(108), { answers: { OLD_BIRTH_DATE: 'SAVE' } })).status).toBe(200)
    expect((await send(born(132))).body.errors[0].field).toBe('patientDob')
  })

  it.each([
    [120, 180],
    [90, 90],
  ])('refuses a blood pressure of %s / %s', async (sbp, dbp) => {
    expect(await refusal({ sbp, dbp })).toEqual([400, 'sbp', 'SBP must be higher than DBP'])
  })

  it.each([{ sbp: 120 }, { dbp: 180 }, { sbp: '', dbp: 180 }])(
    'takes the half of a blood pressure %j',
    async (half) => {
      expect((await post(await test.given.requisitionBody(half))).status).toBe(200)
    },
  )

  it.each([
    ['PAT-085', { weight: 0 }, 'weight', 'Weight must be great than 0'],
    ['PAT-086', { weight: 'heavy' }, 'weight', 'Weight is required'],
    ['PAT-088', { heightFeet: 9 }, 'heightFeet', 'Height must be less than or equal to 8 feet.'],
    ['PAT-089', { heightFeet: -1 }, 'heightFeet', 'Height Feet must be positive'],
    ['PAT-090', { heightInches: -1 }, 'heightInches', 'Height Inches must be positive'],
    ['PAT-091', { heightInches: 97 }, 'heightInches', 'Height must be less than or equal to 96 inches.'],
    ['PAT-092', { heightUom: 'CM', heightCm: -1 }, 'heightCm', 'Height Cm must be great than 0'],
  ])('%s refuses %j', async (_, sent, field, message) => {
    expect(await refusal(sent)).toEqual([400, field, message])
  })

  it('holds the bound of the chosen unit alone, and takes no weight, PAT-084 PAT-087 PAT-093', async () => {
    const { status } = await post(
      await test.given.requisitionBody({ heightUom: 'CM', heightCm: 182.5, heightFeet: 9, weight: '' }),
    )
    expect(status).toBe(200)
  })

  it("takes only the client's own physician, event and lab, and codes of the lists", async () => {
    const other = await test.given.requisitionBody()
    const invalid = (field: string, label: string) => [400, field, `${label} is invalid`]
    const { labId } = await test.given.requisitionBody()
    const body = await test.given.requisitionBody()
    const send = async (over: object) => {
      const reply = await post({ ...body, ...over })
      return [reply.status, reply.body.errors?.[0]?.field, reply.body.errors?.[0]?.message]
    }
    expect(await send({ orderingClientPhysId: other.orderingClientPhysId })).toEqual(
      invalid('orderingClientPhysId', 'Physician'),
    )
    expect(await send({ eventId: other.eventId })).toEqual(invalid('eventId', 'Client Event'))
    expect(await send({ labId })).toEqual(invalid('labId', 'Lab'))
    expect(await send({ collaborator: 999_999 })).toEqual(invalid('colaId', 'Collaborator'))
    expect(await send({ collectCode: 'NOPE' })).toEqual(invalid('collectCode', 'Collection Method'))
    expect(await send({ patientRaceCode: 'NOPE' })).toEqual(invalid('patientRaceCode', 'Race'))
    expect(await send({ famHistT2DCode: 'NOPE' })).toEqual(invalid('famHistT2DCode', 'Family history of T2D'))
  })

  it('is open to four roles and to no other, CREATE-01', async () => {
    const body = await test.given.requisitionBody()
    for (const role of ['ADM', 'MGMT', 'STF'] as const)
      expect((await (await test.as(role)).post('requisitions', { ...body, isNewPatient: 1 })).status).toBe(200)
    for (const role of ['SLS', 'CLNT', 'PHYS', 'BILL', 'GST'] as const) {
      const caller = await test.as(role)
      expect([role, (await caller.post('requisitions', body)).status]).toEqual([role, 403])
      expect((await caller.get('requisitions/create/presets')).status).toBe(403)
    }
    expect((await test.nobody.post('requisitions', body)).status).toBe(401)
  })

  it("lets a collaborator's people order for its own clients alone", async () => {
    const body = await test.given.requisitionBody()
    const foreign = await test.given.requisitionBody()
    const own = await post(body, 'COLA', body.collaborator)
    expect(own.status).toBe(200)
    expect((await post(foreign, 'COLA', body.collaborator)).status).toBe(404)
    expect(
      (await post({ ...body, collaborator: foreign.collaborator }, 'COLA', body.collaborator)).body.errors[0].field,
    ).toBe('colaId')
  })

  it('leaves nothing behind when it fails', async () => {
    const body = await test.given.requisitionBody({ patientLastName: 'Halfway', famHistT2DCode: 'NOPE' })
    await post(body)
    expect(await rowsOf(sql`select 1 from patient where last_name = 'Halfway'`)).toEqual([])
  })

  it('makes one requisition of a call that is sent twice', async () => {
    const admin = await test.as('ADM')
    const body = await test.given.requisitionBody()
    const send = () => admin.post('requisitions', body, { 'idempotency-key': 'twice-the-same' })
    const replies = await Promise.all([send(), send()])
    expect(replies[0]?.body.data).toEqual(replies[1]?.body.data)
    expect(await rowsOf(sql`select 1 from patient where last_name = ${body.patientLastName}`)).toHaveLength(1)
  })
})

describe('the patient of a new requisition', () => {
  it('is a known one by its id, CREATE-85', async () => {
    const body = await test.given.requisitionBody()
    const { id: patientId } = await test.given.patient({ first_name: 'Nora', last_name: 'Known', dob: '1960-01-02' })
    const { body: reply } = await post({ ...body, patientLastName: 'Known', patientId })
    const [row] = await rowsOf<{ patient_id: number; version: number }>(
      sql`select r.patient_id, p.version from requisition r join patient p on p.id = r.patient_id where r.id = ${reply.data.id}`,
    )
    expect(row).toEqual({ patient_id: patientId, version: 1 })
  })

  it('is updated if it was edited, and not over a concurrent change, CREATE-90', async () => {
    const body = await test.given.requisitionBody({ patientLastName: 'Edited', patientFirstName: 'Now' })
    const { id: patientId } = await test.given.patient({ last_name: 'Before', dob: '1960-01-02' })
    const edited = { ...body, patientId, isPatientEdited: 1, answers: { IDENTITY_CHANGE: 'SAME_PERSON' } }
    const stale = await post({ ...edited, patientVersion: 7 })
    expect([stale.status, stale.body.current.patientLastName]).toEqual([409, 'Before'])
    const { status, body: reply } = await post({ ...edited, patientVersion: 1 })
    expect(status).toBe(200)
    const [row] = await rowsOf<object>(sql`select last_name, version from patient where id = ${patientId}`)
    expect(row).toEqual({ last_name: 'Edited', version: 2 })
    const audit = await rowsOf<{ action: string }>(
      sql`select action from audit_entry where requisition_id = ${reply.data.id} and entity = 'patient'`,
    )
    expect(audit).toEqual([{ action: 'EDIT' }])
  })

  it('is not guessed when the record is somebody else by now', async () => {
    const { id: patientId } = await test.given.patient({ last_name: 'Married' })
    const { status, body } = await post(await test.given.requisitionBody({ patientId }))
    expect([status, body.message]).toEqual([
      409,
      "The patient's record is different by now. Please choose the patient again.",
    ])
  })

  it('shows what the chosen record says by now, so that the order can go on with it, CREATE-85 CREATE-90', async () => {
    const { id: patientId } = await test.given.patient({ first_name: 'Nora', last_name: 'Married', version: 2 })
    const sent = await test.given.requisitionBody({ patientId, patientVersion: 1, patientLastName: 'Maiden' })
    const stale = await post(sent)
    expect([stale.status, stale.body.current]).toEqual([
      409,
      expect.objectContaining({ id: patientId, patientLastName: 'Married', version: 2 }),
    ])
    // Taken over from there, as the page sends it once the two were compared.
    const settled = { ...sent, patientLastName: 'Married', isPatientEdited: 1, patientVersion: 2 }
    expect((await post(settled)).status).toBe(200)
  })

  it('is the same one however many spaces stand within the name, and is stored with one, CREATE-91 PAT-G8', async () => {
    const first = { first_name: 'Anna Lena', last_name: 'De La Cruz', dob: '1961-02-03' }
    const { id: patientId } = await test.given.patient(first)
    const body = await test.given.requisitionBody({
      patientFirstName: 'Anna Lena',
      patientLastName: 'De\u00a0La  Cruz',
      patientDob: '2/3/1961',
    })
    const asked = await post(body)
    expect([asked.status, asked.body.current?.questions[0].duplicates?.map(({ id }: { id: number }) => id)]).toEqual([
      409,
      [patientId],
    ])
    expect((await post({ ...body, patientId })).status).toBe(200)
    const { body: made } = await post({ ...body, isNewPatient: 1 })
    const [row] = await rowsOf<object>(
      sql`select p.last_name, p.first_name from requisition r join patient p on p.id = r.patient_id where r.id = ${made.data.id}`,
    )
    expect(row).toEqual({ last_name: 'De La Cruz', first_name: 'Anna Lena' })
    const filter = JSON.stringify({ patientFirstName: 'Anna  Lena', patientLastName: 'De  La Cruz' })
    const { body: found } = await (await test.as('ADM')).get(`patients?filter=${encodeURIComponent(filter)}`)
    expect(found.total).toBe(2)
  })

  it('is asked about before a second one of the same name and birth date is made, CREATE-91', async () => {
    const { id: patientId } = await test.given.patient({ first_name: 'José', last_name: 'Twín', dob: '1960-01-02' })
    const body = await test.given.requisitionBody({ patientFirstName: 'Jose', patientLastName: 'Twin' })
    const asked = await post(body)
    expect(asked.status).toBe(409)
    // With the fields that distinguish namesakes, as in the suggestions.
    expect(asked.body.current.questions[0].duplicates).toEqual([
      expect.objectContaining({ id: patientId, patientGenderDesc: 'Female', reqCount: 0 }),
    ])
    const made = await post({ ...body, patientId, isNewPatient: 1 })
    expect(made.status).toBe(200)
    const [row] = await rowsOf<{ patient_id: number }>(
      sql`select patient_id from requisition where id = ${made.body.data.id}`,
    )
    expect(row?.patient_id).not.toBe(patientId)
  })

  it('of another collaborator is not there, neither by id nor as a namesake', async () => {
    const { id: patientId } = await test.given.patient({ first_name: 'Nora', last_name: 'Secret', dob: '1960-01-02' })
    await test.given.requisition({ patient_id: patientId })
    const body = await test.given.requisitionBody({ patientLastName: 'Secret' })
    expect((await post({ ...body, patientId }, 'COLA', body.collaborator)).status).toBe(404)
    expect((await post(body, 'COLA', body.collaborator)).status).toBe(200)
  })
})

describe('GET requisitions/create/presets', () => {
  it('names the company defaults, and what follows from the client, CREATE-56..CREATE-58', async () => {
    const body = await test.given.requisitionBody()
    const { id: house } = await test.given.collaborator({ name: 'House Collaborator' })
    const { id: eventId } = await test.given.event(body.clientId, { name: 'House Event' })
    const [{ id: labId } = { id: 0 }] = await rowsOf<{ id: number }>(sql`select id from lab where is_default`)
    await sql`insert into setting (key, value) values ('company.defaults', '{"collaborator":"House Collaborator","event":"House Event"}')
      on conflict (key) do update set value = excluded.value`.execute(test.database.db)
    const admin = await test.as('ADM')
    const first = (await admin.get('requisitions/create/presets')).body.data
    expect(first).toEqual({
      labId: labId || null,
      colaId: house,
      colaName: 'House Collaborator',
      isColaFixed: 0,
      eventId: null,
      clientTz: null,
    })
    const chosen = (await admin.get(`requisitions/create/presets?clientId=${body.clientId}`)).body.data
    expect(chosen).toMatchObject({
      colaId: body.collaborator,
      labId: body.labId,
      eventId,
      clientTz: 'America/New_York',
    })
  })

  it("fixes a collaborator's own, and knows no foreign client", async () => {
    const body = await test.given.requisitionBody()
    const other = await test.given.client()
    const caller = await test.as('COLA', body.collaborator)
    expect((await caller.get('requisitions/create/presets')).body.data).toMatchObject({
      colaId: body.collaborator,
      isColaFixed: 1,
    })
    expect((await caller.get(`requisitions/create/presets?clientId=${other.id}`)).status).toBe(404)
  })
})
