import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp, type Reply } from '../../../test/app.ts'
import { openConcurrentTransaction, untilBlocked } from '../../../test/concurrent-transaction.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
const rowsOf = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(test.database.db)).rows
const made = async (over: Record<string, unknown> = {}) => {
  const body = await test.given.requisitionBody(over)
  const { body: reply } = await (await test.as('ADM')).post('requisitions', body)
  return { id: reply.data.id as number, body }
}
const firstFault = ({ status, body }: Reply) => [status, body.errors?.[0]?.field, body.errors?.[0]?.message]
const auditOf = (id: number) =>
  rowsOf<{ entity: string; action: string; old_data: object; new_data: object }>(
    sql`select entity, action, old_data, new_data from audit_entry where requisition_id = ${id} order by id desc limit 1`,
  )
const setStatusOf = (id: number, code: string) =>
  sql`update requisition set status_code = ${code} where id = ${id}`.execute(test.database.db)

describe('PUT requisitions/:id, DETAIL-156', () => {
  const whole = once(async () => {
    const { id } = await made()
    const next = await test.given.requisitionBody()
    const copy = await test.given.client()
    const copyPair = await test.given.clientPhysician(copy.id, (await test.given.physician()).id)
    const staff = await test.as('STF')
    const { status, body } = await staff.put(`requisitions/${id}`, {
      colaId: next.collaborator,
      clientId: next.clientId,
      orderingClientPhysId: next.orderingClientPhysId,
      eventId: next.eventId,
      labId: next.labId,
      copyToClientId: copy.id,
      copyToClientPhysId: copyPair.id,
      extOrderId: '0007',
      extAccessionId: '0042',
      isFasting: 1,
      dateCollected: '2026-11-07T09:30:00-05:00',
      answers: { OLD_COLLECTION: 'SAVE' },
      timeCentrifuged: '19:40',
      collectCode: 'VENI',
      collectedBy: 'Lee',
    })
    expect([status, body]).toEqual([200, { data: { id, version: 2 }, message: 'Successfully updated' }])
    const { data } = (await staff.get(`requisitions/${id}`)).body
    const expected = {
      colaId: next.collaborator,
      clientId: next.clientId,
      orderingClientPhysId: next.orderingClientPhysId,
      eventId: next.eventId,
      labId: next.labId,
      copyToClientId: copy.id,
      copyToClientPhysId: copyPair.id,
      extOrderId: '0007',
      extAccessionId: '0042',
      isFasting: 1,
      timeCentrifuged: '19:40',
      collectCode: 'VENI',
      collectedBy: 'Lee',
      dateCollected: expect.stringMatching(/^2026-11-07T14:30:00/),
    }
    return { id, data, expected }
  })

  it('changes every field of the card, and keeps what it was', async () => {
    const { id, data, expected } = await whole()
    expect(data).toMatchObject(expected)
    const [audit] = await auditOf(id)
    expect(audit).toMatchObject({ action: 'EDIT', old_data: { extOrderId: null }, new_data: { extOrderId: '0007' } })
    expect(Object.keys(audit?.new_data ?? {})).not.toContain('legacyIcdNote')
  })

  it('DETAIL-126 DETAIL-127 keeps the leading zeros of both outside numbers', async () => {
    const { data } = await whole()
    expect([data.extOrderId, data.extAccessionId]).toEqual(['0007', '0042'])
  })

  it.each([
    ['DETAIL-105', 'colaId'],
    ['DETAIL-106', 'clientId'],
    ['DETAIL-107', 'orderingClientPhysId'],
    ['DETAIL-108', 'copyToClientId'],
    ['DETAIL-109', 'copyToClientPhysId'],
    ['DETAIL-110', 'eventId'],
    ['DETAIL-111', 'labId'],
    ['DETAIL-112', 'extOrderId'],
    ['DETAIL-113', 'extAccessionId'],
    ['DETAIL-114', 'isFasting'],
    ['DETAIL-124', 'collectCode'],
    ['DETAIL-125', 'collectedBy'],
  ])('%s changes %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('keeps a trace of a receiver of copies who has the name of the one before, DETAIL-160', async () => {
    const { id, body } = await made()
    const admin = await test.as('ADM')
    const pairs: { clientId: number; pairId: number }[] = []
    for (let n = 0; n < 2; n++) {
      const client = await test.given.client({ name: 'Riverside Clinic' })
      const physician = await test.given.physician({ first_name: 'Ann', last_name: 'Lee' })
      pairs.push({ clientId: client.id, pairId: (await test.given.clientPhysician(client.id, physician.id)).id })
    }
    const [first, second] = pairs as [(typeof pairs)[0], (typeof pairs)[0]]
    await admin.put(`requisitions/${id}`, { copyToClientId: first.clientId, copyToClientPhysId: first.pairId })
    const { body: reply } = await admin.put(`requisitions/${id}`, {
      copyToClientId: second.clientId,
      copyToClientPhysId: second.pairId,
    })
    expect(reply.data.version).toBe(3)
    const [audit] = await auditOf(id)
    expect(audit).toMatchObject({
      action: 'EDIT',
      old_data: { copyToClientName: `Riverside Clinic (${first.clientId})` },
      new_data: { copyToClientName: `Riverside Clinic (${second.clientId})` },
    })
    // So does another event of one name.
    const [one, other] = [
      await test.given.event(body.clientId, { name: 'Health Fair' }),
      await test.given.event(body.clientId, { name: 'Health Fair' }),
    ]
    await admin.put(`requisitions/${id}`, { eventId: one.id })
    expect((await admin.put(`requisitions/${id}`, { eventId: other.id })).body.data.version).toBe(5)
  })

  it('leaves alone what is not sent', async () => {
    const { id } = await made({ extOrderId: 'KEEP', collectedBy: 'Ann' })
    const admin = await test.as('ADM')
    await admin.put(`requisitions/${id}`, { collectedBy: 'Bo' })
    expect((await admin.get(`requisitions/${id}`)).body.data).toMatchObject({ extOrderId: 'KEEP', collectedBy: 'Bo' })
  })

  it('names what is emptied though it is needed, DETAIL-129..DETAIL-133', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    const labels = {
      colaId: 'Collaborator',
      clientId: 'Client',
      orderingClientPhysId: 'Physician',
      eventId: 'Client Event',
      labId: 'Lab',
    }
    for (const [field, label] of Object.entries(labels))
      expect(firstFault(await admin.put(`requisitions/${id}`, { [field]: '' }))).toEqual([
        400,
        field,
        `${label} is required`,
      ])
  })

  it('refuses a physician without a name, DETAIL-134 DETAIL-135', async () => {
    const { id, body } = await made()
    const nameless = await test.given.physician({ first_name: ' ', last_name: '' })
    const pair = await test.given.clientPhysician(body.clientId, nameless.id)
    const reply = await (await test.as('ADM')).put(`requisitions/${id}`, { orderingClientPhysId: pair.id })
    expect(reply.body.errors).toEqual([
      { field: 'physFirstName', message: 'Physician First Name is required' },
      { field: 'physLastName', message: 'Physician Last Name is required' },
    ])
  })

  it("needs the client's zone once the date is edited, and only then, DETAIL-144", async () => {
    const { id, body } = await made()
    await sql`update client set zone = 'TZNA' where id = ${body.clientId}`.execute(test.database.db)
    const admin = await test.as('ADM')
    expect(firstFault(await admin.put(`requisitions/${id}`, { dateCollected: '2026-11-07T09:30' }))).toEqual([
      400,
      'dateCollected',
      "Client Timezone is not available, please make sure the client's timezone is set correctly.",
    ])
    expect((await admin.put(`requisitions/${id}`, { collectedBy: 'Bo' })).status).toBe(200)
  })

  it('keeps the zone it was collected in though the client has moved, and takes that of another client, CLI-G15 DETAIL-145', async () => {
    const { id, body } = await made()
    await sql`update client set zone = 'America/Los_Angeles' where id = ${body.clientId}`.execute(test.database.db)
    const admin = await test.as('ADM')
    const detail = async () => (await admin.get(`requisitions/${id}`)).body.data
    const answers = { OLD_COLLECTION: 'SAVE' }
    expect((await admin.put(`requisitions/${id}`, { dateCollected: '2026-11-08T10:15', answers })).status).toBe(200)
    expect(await detail()).toMatchObject({ collectedTz: 'America/New_York', collectedTzAbbr: 'EST' })
    expect(Date.parse((await detail()).dateCollected)).toBe(Date.parse('2026-11-08T10:15:00-05:00'))
    const other = await test.given.requisitionBody()
    await sql`update client set zone = 'America/Chicago' where id = ${other.clientId}`.execute(test.database.db)
    const { clientId, orderingClientPhysId, eventId, labId } = other
    const order = { clientId, orderingClientPhysId, eventId, labId, dateCollected: '2026-11-08T10:15', answers }
    expect((await admin.put(`requisitions/${id}`, order)).status).toBe(200)
    expect(await detail()).toMatchObject({ collectedTz: 'America/Chicago' })
    expect(Date.parse((await detail()).dateCollected)).toBe(Date.parse('2026-11-08T10:15:00-06:00'))
  })

  it("is billed to whom another client's 'Bill To' says, unless somebody or the primary insurance has said otherwise", async () => {
    const admin = await test.as('ADM')
    const toClient = async (id: number, billType: string) => {
      const client = await test.given.client({ bill_type_code: billType })
      const { clientId, orderingClientPhysId, eventId, labId } = await test.given.requisitionBody({
        clientId: client.id,
      })
      const reply = await admin.put(`requisitions/${id}`, { clientId, orderingClientPhysId, eventId, labId })
      expect(reply.status).toBe(200)
      return (await admin.get(`requisitions/${id}`)).body.data.reqBillTypeCode
    }
    const ordered = async () => {
      const client = await test.given.client({ bill_type_code: 'CLIENT' })
      return (await made({ clientId: client.id })).id
    }
    const id = await ordered()
    expect(await toClient(id, 'INSURANCE')).toBe('INSURANCE')
    expect((await auditOf(id))[0]).toMatchObject({
      action: 'EDIT',
      old_data: { reqBillTypeDesc: 'Client' },
      new_data: { reqBillTypeDesc: 'Insurance' },
    })
    const chosen = await ordered()
    const [{ billId }] = (await admin.get(`requisitions/${chosen}/billings`)).body.data
    await admin.put(`requisitions/${chosen}/billings/${billId}`, { reqBillTypeCode: 'NOCHARGE' })
    expect(await toClient(chosen, 'INSURANCE')).toBe('NOCHARGE')
    // The primary insurance has the same bill type as the client, and keeps it.
    const insured = await ordered()
    expect(await toClient(insured, 'INSURANCE')).toBe('INSURANCE')
    const [bill] = (await admin.get(`requisitions/${insured}/billings`)).body.data
    const insurances = `requisitions/${insured}/billings/${bill.billId}/insurances`
    const added = await admin.post(insurances, {
      billingOrder: 1,
      reqBillTypeCode: 'INSURANCE',
      insuranceCompany: 'Alder Mutual Health',
      policyHolder: 'Pat Patient',
      policyNo: 'A1',
      groupNo: 'G1',
      insuredDob: '1970-01-02',
    })
    expect(added.status).toBe(200)
    expect(await toClient(insured, 'CLIENT')).toBe('INSURANCE')
  })

  it('keeps physicians who have left the practice since, and refuses them newly chosen', async () => {
    const { id, body } = await made()
    const admin = await test.as('ADM')
    const copy = await test.given.clientPhysician(body.clientId, (await test.given.physician()).id)
    const other = await test.given.clientPhysician(body.clientId, (await test.given.physician()).id)
    await admin.put(`requisitions/${id}`, { copyToClientPhysId: copy.id })
    const before = (await admin.get(`requisitions/${id}`)).body.data
    await sql`update client_physician set deleted_at = now() where client_id = ${body.clientId}`.execute(
      test.database.db,
    )
    const { orderingClientPhysId, copyToClientId, copyToClientPhysId } = before
    const kept = { orderingClientPhysId, copyToClientId, copyToClientPhysId }
    expect((await admin.put(`requisitions/${id}`, { ...kept, collectedBy: 'Bo' })).status).toBe(200)
    const { physId, copyToPhysId } = before
    expect((await admin.get(`requisitions/${id}`)).body.data).toMatchObject({ ...kept, physId, copyToPhysId })
    const duplicate = (await admin.post(`requisitions/${id}/copy`, {})).body.data
    expect((await admin.put(`requisitions/${duplicate.id}`, { collectedBy: 'Bo' })).status).toBe(200)
    for (const field of ['orderingClientPhysId', 'copyToClientPhysId'])
      expect(firstFault(await admin.put(`requisitions/${id}`, { [field]: other.id })).slice(0, 2)).toEqual([400, field])
  })

  it('refuses a collection after the specimen was received', async () => {
    const { id } = await made()
    await test.given.store('specimen', {
      requisition_id: id,
      type_code: 'SST',
      temperature_code: 'FRZ',
      container_code: 'TUBE',
      received_at: '2026-11-09T12:00:00Z',
      received_zone: 'America/New_York',
    })
    const admin = await test.as('ADM')
    const send = (dateCollected: string) => admin.put(`requisitions/${id}`, { dateCollected })
    expect(firstFault(await send('2026-11-10T09:30:00-05:00'))).toEqual([
      400,
      'dateCollected',
      'Date collected cannot be after the specimen was received',
    ])
    expect((await send('2026-11-09T06:30:00-05:00')).status).toBe(200)
  })

  it('is possible in LOG, ACC and PROCESS only, DETAIL-149', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    for (const code of ['LOG', 'ACC', 'PROCESS', 'RESULT', 'RELEASE', 'BILL']) {
      await setStatusOf(id, code)
      const { status, body } = await admin.put(`requisitions/${id}`, { collectedBy: code })
      const isOpen = ['LOG', 'ACC', 'PROCESS'].includes(code)
      expect([code, status]).toEqual([code, isOpen ? 200 : 409])
      if (!isOpen) expect(body.message).toMatch(new RegExp(`^Requisition #${id} is .* and can no longer be edited$`))
    }
  })

  it('belongs to three roles, DETAIL-031', async () => {
    const { id } = await made()
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect([role, (await (await test.as(role)).put(`requisitions/${id}`, { collectedBy: 'x' })).status]).toEqual([
        role,
        403,
      ])
    expect((await (await test.as('ADM')).put('requisitions/99999999', { collectedBy: 'x' })).status).toBe(404)
  })

  it('shows the later writer what the earlier one saved', async () => {
    const { id } = await made()
    const [one, two] = [await test.as('ADM'), await test.as('STF')]
    const send = (who: typeof one, collectedBy: string) =>
      who.put(`requisitions/${id}`, { collectedBy }, { 'if-match': '"1"' })
    expect((await send(one, 'One')).status).toBe(200)
    const late = await send(two, 'Two')
    expect([late.status, late.body.current.collectedBy, late.body.current.version]).toEqual([409, 'One', 2])
    expect(late.body.current.changedBy).toMatch(/^Test User/)
  })

  it('moves from any status to any other, with its history: DETAIL-150 DETAIL-153', async () => {
    const { id } = await made()
    const admin = await test.as('MGMT')
    for (const code of ['RELEASE', 'LOG', 'BILL']) {
      const { status, body } = await admin.put(`requisitions/${id}`, { reqStatusCode: code })
      expect([status, body.message]).toEqual([200, 'Successfully updated status'])
    }
    await admin.put(`requisitions/${id}`, { reqStatusCode: 'BILL' })
    const events = await rowsOf<{ move: string }>(
      sql`select coalesce(from_code, '-') || '>' || to_code as move from requisition_status_event where requisition_id = ${id} order by id`,
    )
    expect(events.map(({ move }) => move)).toEqual(['->LOG', 'LOG>RELEASE', 'RELEASE>LOG', 'LOG>BILL'])
    expect((await admin.put(`requisitions/${id}`, { reqStatusCode: 'NOPE' })).status).toBe(400)
  })

  it('names in the history which conditions of Delivered the status select has skipped', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    expect((await admin.put(`requisitions/${id}`, { reqStatusCode: 'DELIVER' })).status).toBe(200)
    expect((await admin.put(`requisitions/${id}`, { reqStatusCode: 'ACC' })).status).toBe(200)
    const events = await rowsOf<{ reason: string | null }>(
      sql`select reason from requisition_status_event where requisition_id = ${id} order by id`,
    )
    expect(events.map(({ reason }) => reason)).toEqual([null, expect.stringContaining('Set although'), null])
    expect(events[1]?.reason).toContain(`Requisition #${id} has no report with lab QC result RELEASE`)
  })

  it('keeps the ICD note in every status', async () => {
    const { id } = await made()
    await setStatusOf(id, 'BILL')
    const admin = await test.as('ADM')
    await admin.put(`requisitions/${id}`, { legacyIcdNote: 'Sends by fax' })
    expect((await admin.get(`requisitions/${id}`)).body.data.legacyIcdNote).toBe('Sends by fax')
  })
})

describe('PUT requisitions/:id/patients/:patientId, PAT-010', () => {
  const withPatient = async (over: Record<string, unknown> = {}) => {
    const { id, body } = await made(over)
    const { data } = (await (await test.as('ADM')).get(`requisitions/${id}/patient`)).body
    return { id, body, patient: data.patient as { id: number; version: number; patientLastName: string } }
  }

  const whole = once(async () => {
    const { id, patient } = await withPatient()
    const { country_id: patientCountryId, state_id: patientStateId } = await test.given.address('US', 'OR')
    const sent = {
      patientFirstName: 'Jane',
      patientMiddleName: 'M',
      patientLastName: 'Doe',
      patientGenderCode: 'MALE',
      patientRaceCode: 'WHITE',
      patientEthnicityCode: 'HISP',
      patientAddr1: '118 Thistledown Ln',
      patientAddr2: 'Apt 2',
      patientCity: 'Salem',
      patientStateId,
      patientCountryId,
      patientZip: '97301',
      patientEmail: 'jane@example.com',
    }
    const { status, body } = await (await test.as('STF')).put(`requisitions/${id}/patients/${patient.id}`, {
      ...sent,
      patientDob: '2/3/1961',
      patientSsn: '987-65-4321',
      patientHomePhone: '+1 (503) 555-0142',
      patientWorkPhone: '1 503 555 0143',
      answers: { IDENTITY_CHANGE: 'SAME_PERSON' },
    })
    expect([status, body.message]).toEqual([200, 'Successfully updated'])
    const expected = {
      ...sent,
      patientDob: '1961-02-03',
      patientCountry: 'United States',
      patientState: 'Oregon',
      patientSsn: '•••-••-4321',
      patientHomePhone: '15035550142',
      patientWorkPhone: '15035550143',
      version: 2,
    }
    return { id, data: body.data, expected }
  })

  it('stores every field, and says so in the history', async () => {
    const { id, data, expected } = await whole()
    expect(data).toMatchObject(expected)
    const [audit] = await auditOf(id)
    expect(audit).toMatchObject({ entity: 'patient', action: 'EDIT', new_data: { patientLastName: 'Doe' } })
  })

  it.each([
    ['PAT-017', 'patientFirstName'],
    ['PAT-018', 'patientMiddleName'],
    ['PAT-019', 'patientLastName'],
    ['PAT-020', 'patientGenderCode'],
    ['PAT-021', 'patientRaceCode'],
    ['PAT-022', 'patientEthnicityCode'],
    ['PAT-023', 'patientSsn'],
    ['PAT-024', 'patientDob'],
    ['PAT-025', 'patientAddr1'],
    ['PAT-026', 'patientAddr2'],
    ['PAT-027', 'patientCity'],
    ['PAT-028', 'patientStateId'],
    ['PAT-029', 'patientCountryId'],
    ['PAT-030', 'patientZip'],
    ['PAT-031', 'patientCountry'],
    ['PAT-032', 'patientEmail'],
    ['PAT-033', 'patientHomePhone'],
    ['PAT-034', 'patientWorkPhone'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('names what is needed, PAT-070..PAT-076', async () => {
    const { id, patient } = await withPatient()
    const admin = await test.as('ADM')
    const send = (sent: object) => admin.put(`requisitions/${id}/patients/${patient.id}`, sent)
    const labels = { patientFirstName: 'First Name', patientLastName: 'Last Name', patientStateId: 'State' }
    for (const [field, label] of Object.entries(labels))
      expect(firstFault(await send({ [field]: ' ' }))).toEqual([400, field, `${label} is required`])
    expect(firstFault(await send({ patientGenderCode: '' }))).toEqual([400, 'patientGenderCode', 'Gender is required'])
    expect(firstFault(await send({ patientDob: '2/30/1960' }))).toEqual([400, 'patientDob', 'Invalid date'])
    expect(firstFault(await send({ patientEmail: 'nobody' }))).toEqual([400, 'patientEmail', 'Invalid email'])
    expect(firstFault(await send({ patientSsn: '12' }))).toEqual([400, 'patientSsn', 'SSN is invalid'])
    const { state_id } = await test.given.address('US', 'OR')
    const canada = await rowsOf<{ id: number }>(sql`select id from country where iso2 = 'CA'`)
    expect(firstFault(await send({ patientStateId: state_id, patientCountryId: canada[0]?.id }))).toEqual([
      400,
      'patientStateId',
      'State is invalid',
    ])
  })

  it('keeps letters of every script as they are, and names what is too long or cannot be', async () => {
    const { id, patient } = await withPatient()
    const admin = await test.as('ADM')
    const send = (sent: object) => admin.put(`requisitions/${id}/patients/${patient.id}`, sent)
    for (const name of ['Zoë', 'שרה محمد', 'O’Brien-Smith, Jr.'])
      expect((await send({ patientLastName: name })).body.data.patientLastName).toBe(name)
    const { state_id: patientStateId } = await test.given.address('US', 'OR')
    const wrongZip = [400, 'patientZip', 'Zip is invalid']
    expect(firstFault(await send({ patientZip: '1' }))).toEqual(wrongZip)
    expect(firstFault(await send({ patientStateId, patientZip: 'ABC' }))).toEqual(wrongZip)
    expect(firstFault(await send({ patientLastName: 'x'.repeat(500) }))).toEqual([
      400,
      'patientLastName',
      'Last Name must be at most 100 characters',
    ])
    expect(firstFault(await send({ patientDob: '1/1/2100' }))).toEqual([
      400,
      'patientDob',
      'Date cannot be in the future',
    ])
    const order = (sent: object) => admin.put(`requisitions/${id}`, sent)
    expect((await order({ collectedBy: '<i>Ada</i> 🙂' })).status).toBe(200)
    expect((await admin.get(`requisitions/${id}`)).body.data.collectedBy).toBe('<i>Ada</i> 🙂')
    for (const [field, value] of Object.entries({
      collectedBy: 'x'.repeat(500),
      extOrderId: 'x'.repeat(500),
      dateCollected: '2026-02-31T10:00',
      timeCentrifuged: '25:00',
      isFasting: 2,
    }))
      expect(firstFault(await order({ [field]: value })).slice(0, 2)).toEqual([400, field])
  })

  it('leaves the number alone when its mask comes back, and takes it away when it is emptied', async () => {
    const { id, patient } = await withPatient({ patientSsn: '111-22-3333' })
    const admin = await test.as('ADM')
    const send = (sent: object) => admin.put(`requisitions/${id}/patients/${patient.id}`, sent)
    expect((await send({ patientSsn: '•••-••-3333', patientZip: '97301' })).body.data.patientSsn).toBe('•••-••-3333')
    expect((await send({ patientSsn: '' })).body.data.patientSsn).toBeNull()
  })

  it('gives out the whole number while somebody else works on the requisition', async () => {
    const { id, patient } = await withPatient({ patientSsn: '111-22-3333' })
    const staff = await test.as('STF')
    await test.database.db.transaction().execute(async (trx) => {
      await sql`select 1 from requisition where id = ${id} for no key update`.execute(trx)
      const { body } = await staff.post(`requisitions/${id}/patients/${patient.id}/ssn`)
      expect(body.data).toEqual({ patientSsn: '111-22-3333' })
    })
  })

  it('keeps the whole number in no table in clear, also when the call may be repeated', async () => {
    const { id, patient } = await withPatient({ patientSsn: '471-83-2956' })
    const staff = await test.as('STF')
    const show = () =>
      staff.post(`requisitions/${id}/patients/${patient.id}/ssn`, undefined, { 'idempotency-key': 'show-the-number' })
    expect((await show()).body.data).toEqual({ patientSsn: '471-83-2956' })
    expect((await show()).body.data).toEqual({ patientSsn: '471-83-2956' })
    const tables = await rowsOf<{ name: string }>(
      sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    expect(tables.length).toBeGreaterThan(80)
    const found: string[] = []
    for (const { name } of tables) {
      const { rowCount } = await test.database.owner.query(
        `select 1 from "${name}" t where t::text ~ '471-?83-?2956' limit 1`,
      )
      if (rowCount) found.push(name)
    }
    expect(found).toEqual([])
  })

  it('gives out the whole number only with a trace in the audit', async () => {
    const { id, patient } = await withPatient({ patientSsn: '111-22-3333' })
    const staff = await test.as('STF')
    const { body } = await staff.post(`requisitions/${id}/patients/${patient.id}/ssn`)
    expect(body.data).toEqual({ patientSsn: '111-22-3333' })
    const [audit] = await rowsOf<object>(
      sql`select entity, action, entity_id, actor_id from audit_entry where requisition_id = ${id} order by id desc limit 1`,
    )
    expect(audit).toEqual({ entity: 'patient', action: 'SSN', entity_id: patient.id, actor_id: staff.userId })
    expect((await staff.get(`requisitions/${id}/req_hists`)).body.data[0].reqActionDesc).toBe('SSN shown')
    for (const role of ['SLS', 'CLNT', 'PHYS', 'BILL'] as const)
      expect((await (await test.as(role)).post(`requisitions/${id}/patients/${patient.id}/ssn`)).status).toBe(403)
    const other = await test.given.patient()
    expect((await staff.post(`requisitions/${id}/patients/${other.id}/ssn`)).status).toBe(404)
  })

  it('belongs to four roles, within their scope, PAT-016', async () => {
    const { id, body, patient } = await withPatient()
    const path = `requisitions/${id}/patients/${patient.id}`
    expect((await (await test.as('COLA', body.collaborator)).put(path, { patientZip: '10001' })).status).toBe(200)
    expect((await (await test.as('COLA')).put(path, { patientZip: '10001' })).status).toBe(404)
    for (const role of ['SLS', 'CLNT', 'PHYS', 'BILL', 'GST'] as const) {
      const caller = await test.as(role)
      expect([role, (await caller.put(path, { patientZip: '10001' })).status]).toEqual([role, 403])
      expect((await caller.put(`requisitions/${id}/patient_hists/${id}`, { isStress: 1 })).status).toBe(403)
    }
    expect((await (await test.as('CLNT')).get(`requisitions/${id}/patient`)).status).toBe(404)
    expect((await (await test.as('CLNT', body.clientId)).get(`requisitions/${id}/patient`)).status).toBe(200)
  })

  it('is possible in LOG, ACC and PROCESS; later super admins change where the patient can be reached, PAT-015', async () => {
    const { id, body, patient } = await withPatient()
    const path = `requisitions/${id}/patients/${patient.id}`
    const [admin, partner] = [await test.as('ADM'), await test.as('COLA', body.collaborator)]
    for (const code of ['ACC', 'PROCESS', 'RESULT']) {
      await setStatusOf(id, code)
      const isOpen = code !== 'RESULT'
      expect((await partner.put(path, { patientZip: code })).status).toBe(isOpen ? 200 : 409)
      expect((await admin.put(path, { patientLastName: code })).status).toBe(isOpen ? 200 : 409)
      expect((await admin.put(`requisitions/${id}/patient_hists/${id}`, { weight: 80 })).status).toBe(
        isOpen ? 200 : 409,
      )
    }
    expect((await admin.put(path, { patientZip: '97301', patientLastName: 'PROCESS' })).status).toBe(200)
  })

  it('keeps the social security number once results are there, PAT-015', async () => {
    const { id, patient } = await withPatient()
    const path = `requisitions/${id}/patients/${patient.id}`
    const admin = await test.as('ADM')
    await admin.put(path, { patientSsn: '123-45-6789' })
    await setStatusOf(id, 'DELIVER')
    for (const patientSsn of [null, '', '123-45-6780'])
      expect([patientSsn, (await admin.put(path, { patientSsn })).status]).toEqual([patientSsn, 409])
    const { body } = await admin.put(path, { patientSsn: '•••-••-6789', patientCity: 'Salem' })
    expect(body.data).toMatchObject({ patientSsn: '•••-••-6789', patientCity: 'Salem' })
  })

  it('is refused for a patient born after the collection, whichever way the patient is set, CREATE-G3 TABLE-G16', async () => {
    const { id, patient } = await withPatient({
      dateCollected: '2026-11-08T10:05:00-05:00',
      answers: { OLD_COLLECTION: 'SAVE' },
    })
    const path = `requisitions/${id}/patients/${patient.id}`
    const admin = await test.as('ADM')
    const tooYoung = [400, 'patientDob', 'Date collected cannot be before the date of birth']
    expect(firstFault(await admin.put(path, { patientDob: '11/9/2026' }))).toEqual(tooYoung)
    expect(firstFault(await admin.put(path, { patientDob: '11/9/2026', isNewPatient: 1 }))).toEqual(tooYoung)
    const child = await test.given.patient({ dob: '2026-11-09' })
    expect(firstFault(await admin.put(`requisitions/${id}/patients/${child.id}`, {}))).toEqual(tooYoung)
    expect((await admin.put(path, { patientDob: '11/8/2026' })).status).toBe(200)
    // Already wrong before: the address can still be corrected.
    await sql`update patient set dob = '2026-11-09' where id = ${patient.id}`.execute(test.database.db)
    expect((await admin.put(path, { patientDob: '11/9/2026', patientCity: 'Salem' })).status).toBe(200)
    const inHonolulu = new Date(Date.now() - 10 * 3_600_000)
    const tomorrow = new Date(inHonolulu.getTime() + 24 * 3_600_000).toISOString().slice(0, 10)
    await sql`update requisition set collected_zone = 'Pacific/Honolulu', collected_at = now() where id = ${id}`.execute(
      test.database.db,
    )
    expect(firstFault(await admin.put(path, { patientDob: tomorrow }))).toEqual([
      400,
      'patientDob',
      'Date cannot be in the future',
    ])
  })

  it("loses nobody's work when two people edit the same patient", async () => {
    const { id, patient } = await withPatient()
    const path = `requisitions/${id}/patients/${patient.id}`
    const [one, two] = [await test.as('ADM'), await test.as('STF')]
    const replies = await Promise.all([
      one.put(path, { patientCity: 'Salem' }, { 'if-match': '"1"' }),
      two.put(path, { patientZip: '97301' }, { 'if-match': '"1"' }),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const late = replies.find(({ status }) => status === 409)
    expect(late?.body.current).toMatchObject({ id: patient.id, version: 2 })
    const again =
      late === replies[1]
        ? two.put(path, { patientZip: '97301' }, { 'if-match': '"2"' })
        : one.put(path, { patientCity: 'Salem' }, { 'if-match': '"2"' })
    expect((await again).body.data).toMatchObject({ patientCity: 'Salem', patientZip: '97301', version: 3 })
  })

  it('gives the requisition another known patient, or a new one', async () => {
    const { id, patient } = await withPatient()
    const reached = { email: 'right@example.com', home_phone: '16175550100', work_phone: '16175550101' }
    const other = await test.given.patient({ last_name: 'Rightful', ...reached })
    const admin = await test.as('ADM')
    await admin.put(`requisitions/${id}/patients/${other.id}`, { patientCity: 'Salem' })
    expect((await admin.get(`requisitions/${id}`)).body.data).toMatchObject({
      patientId: other.id,
      patientLastName: 'Rightful',
    })
    const { body } = await admin.put(`requisitions/${id}/patients/${other.id}`, {
      patientLastName: 'Brandnew',
      isNewPatient: 1,
    })
    expect(body.data.id).not.toBe(other.id)
    // The address may be shared; the contact data for results is not.
    expect(body.data).toMatchObject({
      patientCity: 'Salem',
      patientEmail: null,
      patientHomePhone: null,
      patientWorkPhone: null,
    })
    expect((await admin.get(`requisitions/${id}`)).body.data).toMatchObject({
      patientId: body.data.id,
      patientLastName: 'Brandnew',
    })
    expect(
      await rowsOf<object>(sql`select last_name from patient where id in (${patient.id}, ${other.id}) order by id`),
    ).toEqual([{ last_name: patient.patientLastName }, { last_name: 'Rightful' }])
    const [audit] = await auditOf(id)
    expect(audit).toMatchObject({ entity: 'requisition', action: 'EDIT', old_data: { patientId: other.id } })
  })
})

describe('PUT requisitions/:id/patient_hists/:histId, PAT-011', () => {
  const whole = once(async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    const sent = {
      isSmoker: 1,
      isDiabetic: 1,
      isFamilyHistory: 1,
      isPatientHistory: 0,
      isStress: 1,
      isLowHdl: 1,
      isLipidMed: 0,
      isHypertension: 1,
      isBloodMed: 1,
      isMedNecessity: 1,
      isObesity: 0,
      isCovidVac: 0,
      isSelfT2DGest: 1,
      famHistT2DCode: 'BOTHPARENTS',
      sbp: 140,
      dbp: 90,
      weight: 171,
      weightUom: 'KG',
      heightUom: 'CM',
      heightCm: 182.5,
    }
    const { status, body } = await admin.put(`requisitions/${id}/patient_hists/${id}`, sent)
    expect([status, body.message]).toEqual([200, 'Successfully updated'])
    const expected = { ...sent, famHistT2DDesc: 'Both parents', heightInches: null, version: 2 }
    return { admin, id, data: body.data, expected }
  })

  it('stores every answer, and what it was before in the history', async () => {
    const { admin, id, data, expected } = await whole()
    expect(data).toMatchObject(expected)
    const inches = await admin.put(`requisitions/${id}/patient_hists/${id}`, {
      heightUom: 'INCH',
      heightFeet: 6,
      heightInches: 1.5,
    })
    expect(inches.body.data).toMatchObject({ heightInches: 73.5, heightCm: null, heightUom: 'INCH', weight: 171 })
    const [audit] = await auditOf(id)
    expect(audit).toMatchObject({ entity: 'patient_history', action: 'EDIT', old_data: { heightCm: 182.5 } })
  })

  it.each([
    ['PAT-039', 'isSmoker'],
    ['PAT-040', 'isDiabetic'],
    ['PAT-041', 'isFamilyHistory'],
    ['PAT-042', 'isPatientHistory'],
    ['PAT-043', 'isStress'],
    ['PAT-044', 'isLowHdl'],
    ['PAT-045', 'isLipidMed'],
    ['PAT-046', 'isHypertension'],
    ['PAT-047', 'isBloodMed'],
    ['PAT-048', 'isMedNecessity'],
    ['PAT-049', 'sbp'],
    ['PAT-050', 'dbp'],
    ['PAT-051', 'isObesity'],
    ['PAT-052', 'weight'],
    ['PAT-053', 'weightUom'],
    ['PAT-054', 'heightCm'],
    ['PAT-055', 'heightUom'],
    ['PAT-056', 'isCovidVac'],
    ['PAT-057', 'famHistT2DCode'],
    ['PAT-058', 'famHistT2DDesc'],
    ['PAT-059', 'isSelfT2DGest'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('carries the height with its unit also as part of the patient, read and written, PAT-035..PAT-037', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    const patientId = (await admin.get(`requisitions/${id}/patient`)).body.data.patient.id
    const cm = { heightUom: 'CM', heightCm: 182.5 }
    const saved = await admin.put(`requisitions/${id}/patients/${patientId}`, { ...cm, patientCity: 'Salem' })
    expect([saved.status, saved.body.data]).toEqual([
      200,
      expect.objectContaining({ ...cm, heightInches: null, patientCity: 'Salem' }),
    ])
    const read = (await admin.get(`requisitions/${id}/patient`)).body.data
    expect([read.patient, read.history]).toEqual([expect.objectContaining(cm), expect.objectContaining(cm)])
    const tall = await admin.put(`requisitions/${id}/patients/${patientId}`, { heightUom: 'INCH', heightInches: 97 })
    expect([tall.status, tall.body.errors[0].field]).toEqual([400, 'heightInches'])
  })

  it('names the questions that must be answered, PAT-077..PAT-083', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    const labels = {
      isPatientHistory: 'Patient HX of MI',
      isStress: 'Stress',
      isLowHdl: 'Diabetes medication',
      isLipidMed: 'Lipid lowering medication',
      isHypertension: 'Hypertension',
      isBloodMed: 'Blood pressure medication',
      isMedNecessity: 'Medical necessity',
    }
    for (const [field, label] of Object.entries(labels))
      expect(firstFault(await admin.put(`requisitions/${id}/patient_hists/${id}`, { [field]: null }))).toEqual([
        400,
        field,
        `${label} is required`,
      ])
  })

  it('keeps an empty weight as none and refuses what cannot be, PAT-084..PAT-088 PAT-092', async () => {
    const { id } = await made({ weight: 80 })
    const admin = await test.as('ADM')
    const send = (sent: object) => admin.put(`requisitions/${id}/patient_hists/${id}`, sent)
    expect((await send({ weight: '' })).body.data.weight).toBeNull()
    expect(firstFault(await send({ weight: 0 }))).toEqual([400, 'weight', 'Weight must be great than 0'])
    expect(firstFault(await send({ weight: 'x' }))).toEqual([400, 'weight', 'Weight is required'])
    for (const weight of ['1e3', '0x10'])
      expect(firstFault(await send({ weight }))).toEqual([400, 'weight', 'Weight is required'])
    expect(firstFault(await send({ heightFeet: 9 }))).toEqual([
      400,
      'heightFeet',
      'Height must be less than or equal to 8 feet.',
    ])
    expect(firstFault(await send({ heightFeet: 8, heightInches: 1 }))[2]).toBe(
      'Height must be less than or equal to 96 inches.',
    )
    expect(firstFault(await send({ heightUom: 'CM', heightCm: -2 }))[2]).toBe('Height Cm must be great than 0')
    expect((await send({ heightUom: 'CM', heightCm: 0 })).status).toBe(200)
  })

  it('compares a pressure that is sent alone with the one that is stored', async () => {
    const { id } = await made({ sbp: 120, dbp: 80 })
    const admin = await test.as('ADM')
    const send = (sent: object) => admin.put(`requisitions/${id}/patient_hists/${id}`, sent)
    const refused = [400, 'sbp', 'SBP must be higher than DBP']
    expect(firstFault(await send({ dbp: 180 }))).toEqual(refused)
    expect(firstFault(await send({ sbp: 80 }))).toEqual(refused)
    expect(firstFault(await send({ sbp: 120, dbp: 180 }))).toEqual(refused)
    expect((await send({ sbp: 190, dbp: 180 })).body.data).toMatchObject({ sbp: 190, dbp: 180 })
    expect((await send({ sbp: null })).body.data).toMatchObject({ sbp: null, dbp: 180 })
  })

  it('leaves a turned pressure of old alone while neither value is sent, and lets either be taken out', async () => {
    const { id } = await made()
    await test.database.owner.query('update patient_history set sbp = 120, dbp = 180 where requisition_id = $1', [id])
    const admin = await test.as('ADM')
    const send = (sent: object) => admin.put(`requisitions/${id}/patient_hists/${id}`, sent)
    expect((await send({ isStress: 1, weight: 80 })).body.data).toMatchObject({ sbp: 120, dbp: 180, weight: 80 })
    expect((await send({ dbp: '' })).body.data).toMatchObject({ sbp: 120, dbp: null })
  })

  it('belongs to its own requisition and version', async () => {
    const { id } = await made()
    const other = await made()
    const admin = await test.as('ADM')
    expect((await admin.put(`requisitions/${id}/patient_hists/${other.id}`, { isStress: 1 })).status).toBe(404)
    const stale = await admin.put(`requisitions/${id}/patient_hists/${id}`, { isStress: 1 }, { 'if-match': '"9"' })
    expect([stale.status, stale.body.current.version]).toEqual([409, 1])
  })

  it('begins with a requisition that has none', async () => {
    const { id } = await test.given.requisition()
    const admin = await test.as('ADM')
    expect((await admin.get(`requisitions/${id}/patient`)).body.data.history).toMatchObject({
      version: 0,
      isStress: null,
    })
    const { body } = await admin.put(`requisitions/${id}/patient_hists/${id}`, { isStress: 1 }, { 'if-match': '"0"' })
    expect(body.data).toMatchObject({ isStress: 1, version: 1 })
  })
})

describe('POST requisitions/:id/copy', () => {
  it('copies the order, history, insurances and tests, and nothing of the work: DETAIL-039 DETAIL-040 DETAIL-084', async () => {
    const { id } = await made({ weight: 80, extOrderId: 'ORIGINAL' })
    const admin = await test.as('ADM')
    await setStatusOf(id, 'RELEASE')
    const testId = await test.given.firstId('test')
    await test.given.store('requisition_test', { requisition_id: id, test_id: testId, result: '5', result_num: '5' })
    const { id: patientId } = (await admin.get(`requisitions/${id}/patient`)).body.data.patient
    const billing = await test.given.store('billing', { requisition_id: id, guarantor_last_name: 'Payer' })
    await test.given.store('insurance', {
      billing_id: billing.id,
      patient_id: patientId,
      billing_order: 1,
      company_name: 'Acme',
    })
    await test.given.issue(id)
    const { status, body } = await admin.post(`requisitions/${id}/copy`)
    expect([status, body.message]).toEqual([200, 'Successfully created'])
    const copy = body.data.id
    expect((await admin.get(`requisitions/${copy}`)).body.data).toMatchObject({
      reqStatusCode: 'LOG',
      sourceReqId: id,
      patientId,
      extOrderId: null,
      issueCount: 0,
    })
    expect((await admin.get(`requisitions/${copy}/patient`)).body.data.history.weight).toBe(80)
    expect(await rowsOf(sql`select test_id, result from requisition_test where requisition_id = ${copy}`)).toEqual([
      { test_id: testId, result: null },
    ])
    expect(
      await rowsOf(
        sql`select i.company_name from insurance i join billing b on b.id = i.billing_id where b.requisition_id = ${copy}`,
      ),
    ).toEqual([{ company_name: 'Acme' }])
    const [audit] = await auditOf(copy)
    expect(audit).toMatchObject({ action: 'COPY', new_data: { sourceReqId: id } })
  })

  it('takes nothing of the old draw: its own collection is said, or is now', async () => {
    const { id } = await made({ dateCollected: '2026-10-01T10:05:00-04:00', answers: { OLD_COLLECTION: 'SAVE' } })
    await sql`update requisition set centrifuged_time = '11:30', collected_by = 'Draw', is_fasting = true where id = ${id}`.execute(
      test.database.db,
    )
    const [one, two] = [await test.as('ADM'), await test.as('STF')]
    const detail = async (copy: number) => (await one.get(`requisitions/${copy}`)).body.data
    const now = await detail((await one.post(`requisitions/${id}/copy`)).body.data.id)
    expect(now).toMatchObject({ timeCentrifuged: null, collectedBy: null, isFasting: null })
    expect(Math.abs(Date.now() - Date.parse(now.dateCollected))).toBeLessThan(60_000)
    const dateCollected = '2026-11-02T08:00:00-05:00'
    const said = await detail(
      (await two.post(`requisitions/${id}/copy`, { dateCollected, answers: { OLD_COLLECTION: 'SAVE' } })).body.data.id,
    )
    expect(Date.parse(said.dateCollected)).toBe(Date.parse(dateCollected))
    const wrong = await (await test.as('MGMT')).post(`requisitions/${id}/copy`, {
      dateCollected: '2099-01-01T08:00:00Z',
    })
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'dateCollected'])
  })

  it('is one when the same person asks twice within seconds or at once, and another one for somebody else, DAY-35', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    const replies = await Promise.all(Array.from({ length: 4 }, () => admin.post(`requisitions/${id}/copy`)))
    const ids = new Set(replies.map(({ body }) => body.data.id))
    expect([ids.size, replies.map(({ status }) => status)]).toEqual([1, [200, 200, 200, 200]])
    const [first] = [...ids]
    expect((await (await test.as('STF')).post(`requisitions/${id}/copy`)).body.data.id).not.toBe(first)
    const meant = await admin.post(`requisitions/${id}/copy`, {}, { 'idempotency-key': 'one more copy is meant' })
    expect(meant.body.data.id).not.toBe(first)
  })

  it('never mixes two patients when the source is reassigned at the same time, DETAIL-039', async () => {
    const { id } = await made()
    const admin = await test.as('ADM')
    const { id: former } = (await admin.get(`requisitions/${id}/patient`)).body.data.patient
    const { id: present } = await test.given.patient()
    const billing = await test.given.store('billing', { requisition_id: id })
    await test.given.store('insurance', {
      billing_id: billing.id,
      patient_id: former,
      billing_order: 1,
      company_name: 'Acme',
    })
    const rival = await openConcurrentTransaction(test.database)
    await rival.query('select 1 from patient where id = $1 for update', [former])
    await rival.query('update requisition set patient_id = $2 where id = $1', [id, present])
    await rival.query('update insurance set patient_id = $2 where billing_id = $1', [billing.id, present])
    const copying = admin.post(`requisitions/${id}/copy`)
    await untilBlocked(test.database, 1)
    await rival.commit()
    const { body } = await copying
    expect(
      await rowsOf(sql`select r.patient_id, i.patient_id as insured_id from requisition r
        join billing b on b.requisition_id = r.id join insurance i on i.billing_id = b.id where r.id = ${body.data.id}`),
    ).toEqual([{ patient_id: present, insured_id: present }])
  })

  it('belongs to super admins', async () => {
    const { id, body } = await made()
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL'] as const)
      expect(
        (await (await test.as(role, role === 'COLA' ? body.collaborator : undefined)).post(`requisitions/${id}/copy`))
          .status,
      ).toBe(403)
    expect((await (await test.as('STF')).post('requisitions/99999999/copy')).status).toBe(404)
  })
})
