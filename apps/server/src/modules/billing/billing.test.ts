import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { billingGiven } from '../../../test/given-billing.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
const given = billingGiven(test)
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const guarantor = async (over: Record<string, unknown> = {}) => ({
  relationTypeCode: 'SPOUSE',
  guarantorFirstName: 'Gail',
  guarantorMiddleName: 'M',
  guarantorLastName: 'Guarantor',
  guarantorDob: '1971-02-03',
  guarantorGenderCode: 'FEMALE',
  guarantorStateId: (await test.given.address()).state_id,
  guarantorCity: 'Boston',
  guarantorZip: '02101',
  guarantorAddr1: '9 Oak St',
  guarantorAddr2: 'Flat 2',
  ...over,
})

const billOf = async (id: number, caller = admin) => (await caller.get(`requisitions/${id}/billings`)).body.data[0]
const put = async (id: number, body: object, headers = {}) =>
  admin.put(`requisitions/${id}/billings/${(await billOf(id)).billId}`, body, headers)
const fieldErrors = (body: { errors?: { field: string; message: string }[] }) =>
  Object.fromEntries((body.errors ?? []).map(({ field, message }) => [field, message]))
const audited = async (id: number) =>
  test.database.db
    .selectFrom('audit_entry')
    .select(['entity', 'action', 'old_data', 'new_data'])
    .where('requisition_id', '=', id)
    .orderBy('id')
    .execute()

describe('the guarantor', () => {
  it('is read with its billing record, which every requisition has BLG-043, BLG-057', async () => {
    const { id } = await test.given.requisition()
    const { status, body } = await admin.get(`requisitions/${id}/billings`)
    expect([status, body.data.length]).toEqual([200, 1])
    expect(body.data[0]).toMatchObject({ reqId: id, relationTypeCode: 'SELF', guarantorFirstName: null, version: 1 })
    expect((await billOf(id)).billId).toBe(body.data[0].billId)
    expect(body.data[0].billId).toEqual(expect.any(Number))
  })

  const withAllFields = once(async () => {
    const { id } = await test.given.requisition()
    const expected = await guarantor()
    const saved = await put(id, expected)
    return { id, saved, data: await billOf(id), expected }
  })

  it('is saved with every field and recorded in the history BLG-044', async () => {
    const { id, saved, expected } = await withAllFields()
    expect([saved.status, saved.body.message]).toEqual([200, 'Successfully updated'])
    expect(saved.body.data).toMatchObject({ ...expected, relationTypeDesc: 'Spouse', guarantorState: 'Massachusetts' })
    expect((await audited(id)).at(-1)).toMatchObject({ entity: 'billing', action: 'BILLING' })
  })

  it.each([
    ['BLG-020', 'relationTypeCode'],
    ['BLG-021', 'guarantorGenderCode'],
    ['BLG-022', 'guarantorFirstName'],
    ['BLG-023', 'guarantorMiddleName'],
    ['BLG-024', 'guarantorLastName'],
    ['BLG-025', 'guarantorDob'],
    ['BLG-026', 'guarantorStateId'],
    ['BLG-027', 'guarantorCity'],
    ['BLG-028', 'guarantorZip'],
    ['BLG-029', 'guarantorAddr1'],
    ['BLG-030', 'guarantorAddr2'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await withAllFields()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it("is questioned when 'Self' has another name than the patient, and has a ZIP code of its state, DAY-36", async () => {
    const { id } = await test.given.requisition()
    const other = await guarantor({ relationTypeCode: 'SELF' })
    const asked = await put(id, other)
    expect(asked.body.current.questions).toMatchObject([{ code: 'SELF_OTHER_NAME', field: 'relationTypeCode' }])
    expect((await put(id, { ...other, answers: { SELF_OTHER_NAME: 'SAVE' } })).status).toBe(200)
    expect((await put(id, { guarantorCity: 'Salem' })).status).toBe(200)
    expect(fieldErrors((await put(id, { guarantorZip: 'ABC' })).body)).toEqual({ guarantorZip: 'ZIP is invalid' })
  })

  it.each([
    ['BLG-035', 'guarantorFirstName', 'First Name is required'],
    ['BLG-036', 'guarantorLastName', 'Last Name is required'],
    ['BLG-037', 'guarantorDob', 'Date of Birth is required'],
    ['BLG-038', 'guarantorGenderCode', 'Gender is required'],
    ['BLG-039', 'guarantorStateId', 'State is required'],
    ['BLG-040', 'guarantorCity', 'City is required'],
    ['BLG-041', 'guarantorZip', 'ZIP is required'],
    ['BLG-042', 'guarantorAddr1', 'Address 1 is required'],
  ])('%s is refused without %s', async (_, field, message) => {
    const { id } = await test.given.requisition()
    const { [field]: __, ...without } = (await guarantor()) as Record<string, unknown>
    const { status, body } = await put(id, without)
    expect([status, fieldErrors(body)]).toEqual([400, { [field]: message }])
  })

  it('needs no person for SELF past the front desk, but before it does BLG-031', async () => {
    const late = await test.given.requisition({ status_code: 'DELIVER' })
    expect((await put(late.id, { relationTypeCode: 'SELF' })).status).toBe(200)
    const early = await test.given.requisition({ status_code: 'ACC' })
    expect(fieldErrors((await put(early.id, { relationTypeCode: 'SELF' })).body)).toMatchObject({
      guarantorFirstName: 'First Name is required',
    })
  })

  it('loses the name with a new relation, and with DEP the address too BLG-032, BLG-033', async () => {
    const { id } = await test.given.requisition({ status_code: 'DELIVER' })
    await put(id, await guarantor())
    const self = await put(id, { relationTypeCode: 'SELF' })
    expect(self.body.data).toMatchObject({ guarantorFirstName: null, guarantorDob: null, guarantorCity: 'Boston' })
    await put(id, await guarantor())
    const { status, body } = await put(id, { relationTypeCode: 'DEP' })
    expect([status, fieldErrors(body).guarantorCity]).toEqual([400, 'City is required'])
    const person = await guarantor({ relationTypeCode: 'DEP' })
    expect((await put(id, person)).body.data).toMatchObject(person)
  })

  it.each([
    ['relationTypeCode', { relationTypeCode: 'COUSIN' }, 'Relationship is invalid'],
    ['guarantorGenderCode', { guarantorGenderCode: 'X' }, 'Gender is invalid'],
    ['guarantorStateId', { guarantorStateId: 99999999 }, 'State is invalid'],
    ['guarantorDob', { guarantorDob: '2990-01-01' }, 'Invalid date'],
  ])('refuses a wrong %s', async (field, wrong, message) => {
    const { id } = await test.given.requisition()
    const { status, body } = await put(id, await guarantor(wrong))
    expect([status, fieldErrors(body)[field]]).toEqual([400, message])
  })

  it('is saved by super admins only, and only for the matching requisition BLG-002, BLG-017, BLG-019', async () => {
    const { id } = await test.given.requisition()
    const { billId } = await billOf(id)
    for (const role of ['CLNT', 'COLA', 'SLS', 'BILL', 'PHYS'] as const) {
      const caller = await test.as(role)
      expect((await caller.put(`requisitions/${id}/billings/${billId}`, await guarantor())).status, role).toBe(403)
    }
    for (const role of ['ADM', 'MGMT', 'STF'] as const) {
      const caller = await test.as(role)
      expect((await caller.put(`requisitions/${id}/billings/${billId}`, await guarantor())).status, role).toBe(200)
    }
    const other = await test.given.requisition()
    expect((await admin.put(`requisitions/${other.id}/billings/${billId}`, await guarantor())).status).toBe(404)
  })

  it('shows each reader only requisitions in their scope BLG-003', async () => {
    const client = await test.given.client()
    const { id } = await test.given.requisition({ client_id: client.id })
    const own = await test.as('CLNT', client.id)
    const foreign = await test.as('CLNT')
    const { billId } = await billOf(id)
    for (const path of ['billings', `billings/${billId}/insurances`, 'req_icds']) {
      expect((await own.get(`requisitions/${id}/${path}`)).status, path).toBe(200)
      expect((await foreign.get(`requisitions/${id}/${path}`)).status, path).toBe(404)
    }
    expect((await (await test.as('PHYS')).get(`requisitions/${id}/billings`)).status).toBe(403)
  })

  it('refuses a save with an outdated version', async () => {
    const { id } = await test.given.requisition()
    await put(id, await guarantor(), { 'if-match': '"1"' })
    expect((await put(id, await guarantor(), { 'if-match': '"1"' })).status).toBe(409)
  })

  it('saves the bill type with it, and refuses an unknown one BLG-050', async () => {
    const { id } = await test.given.requisition()
    const saved = await put(id, { reqBillTypeCode: 'CLIENT' })
    expect(saved.body.data).toMatchObject({ reqBillTypeCode: 'CLIENT', reqBillTypeDesc: 'Client' })
    expect((await admin.get(`requisitions/${id}`)).body.data.reqBillTypeCode).toBe('CLIENT')
    expect(fieldErrors((await put(id, { reqBillTypeCode: 'X' })).body)).toEqual({
      reqBillTypeCode: 'Bill Type is invalid',
    })
  })
})

const insured = (over: Record<string, unknown> = {}) => ({
  billingOrder: 1,
  reqBillTypeCode: 'INSURANCE',
  insuranceCompany: 'Alder Mutual Health',
  policyHolder: 'Pat Patient',
  policyNo: 'A123',
  groupNo: 'G1',
  insuredDob: '1970-01-02',
  ...over,
})
const insurancePath = async (id: number) => `requisitions/${id}/billings/${(await billOf(id)).billId}/insurances`

describe('insurances', () => {
  it('that change the bill type leave the former one in the history, as a change of Bill To does', async () => {
    const { id } = await test.given.requisition({ bill_type_code: 'CLIENT' })
    const path = await insurancePath(id)
    const payers = async () =>
      (await audited(id))
        .filter(({ entity }) => entity === 'billing')
        .map(({ action, old_data, new_data }) => [
          action,
          (old_data as { reqBillTypeCode: string }).reqBillTypeCode,
          (new_data as { reqBillTypeCode: string }).reqBillTypeCode,
        ])
    const insId: number = (await admin.post(path, insured())).body.data.id
    expect(await payers()).toEqual([['BILLING', 'CLIENT', 'INSURANCE']])
    await admin.put(`${path}/${insId}`, { policyNo: 'NEW1' })
    expect(await payers()).toHaveLength(1)
    await admin.put(`${path}/${insId}`, { reqBillTypeCode: 'MEDICARE' })
    expect(await payers()).toEqual([
      ['BILLING', 'CLIENT', 'INSURANCE'],
      ['BILLING', 'INSURANCE', 'MEDICARE'],
    ])
    await put(id, { reqBillTypeCode: 'PATIENT' })
    const records = (await audited(id)).filter(({ entity }) => entity === 'billing')
    expect(new Set(records.map(({ old_data }) => Object.keys(old_data as object).join()))).toHaveProperty('size', 1)
  })

  it('are questioned when the same policy exists under another order, DAY-36', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    await admin.post(path, insured())
    const again = insured({ billingOrder: 3, policyNo: 'a123' })
    expect((await admin.post(path, again)).body.current.questions).toMatchObject([
      { code: 'SAME_POLICY', field: 'policyNo' },
    ])
    expect((await admin.post(path, { ...again, answers: { SAME_POLICY: 'SAVE' } })).status).toBe(200)
    const other = await admin.post(path, insured({ billingOrder: 2, policyNo: 'B7' }))
    expect(other.status).toBe(200)
    const edit = (change: object) => admin.put(`${path}/${other.body.data.id}`, change)
    expect((await edit({ policyNo: 'A123' })).body.current.questions).toMatchObject([{ code: 'SAME_POLICY' }])
    expect((await edit({ policyNo: 'A123', answers: { SAME_POLICY: 'SAVE' } })).status).toBe(200)
    // A code that it already has is not questioned again.
    expect((await edit({ policyNo: 'A123', groupNo: 'G7' })).status).toBe(200)
  })

  it('keep the bill type that a person has chosen, unless another one becomes primary or its bill type changes', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    const payer = async () => (await billOf(id)).reqBillTypeCode
    const first = (await admin.post(path, insured())).body.data.id
    expect(await payer()).toBe('INSURANCE')
    await put(id, { reqBillTypeCode: 'PATIENT' })
    // As the form sends it: all fields, one of them corrected.
    await admin.put(`${path}/${first}`, insured({ groupNo: 'G2' }))
    const second = (
      await admin.post(path, insured({ billingOrder: 2, insuranceCompany: 'Second', reqBillTypeCode: 'MEDICARE' }))
    ).body.data.id
    await admin.put(`${path}/${second}`, { policyNo: 'B1' })
    await admin.del(`${path}/${second}`)
    expect((await admin.put(`deleted_records/insurance/${second}/restore`)).status).toBe(200)
    expect(await payer()).toBe('PATIENT')
    await admin.put(`${path}/${first}`, { reqBillTypeCode: 'MEDICAID' })
    expect(await payer()).toBe('MEDICAID')
    await put(id, { reqBillTypeCode: 'PATIENT' })
    await admin.put(`${path}/${second}`, { billingOrder: 1 })
    expect(await payer()).toBe('MEDICARE')
  })

  it('are added with every field and listed in billing order BLG-070, BLG-071', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    expect((await admin.post(path, insured({ billingOrder: '2', insuranceCompany: 'Own Plan' }))).status).toBe(200)
    const added = await admin.post(path, insured())
    expect(added.body.message).toBe('Successfully created')
    const { body } = await admin.get(path)
    expect(body.data.map((row: { billingOrderDesc: string }) => row.billingOrderDesc)).toEqual(['Primary', 'Secondary'])
    expect((await admin.get(`requisitions/${id}`)).body.data.reqBillTypeCode).toBe('INSURANCE')
    expect((await audited(id)).at(-1)).toMatchObject({ entity: 'insurance', action: 'BILLING', old_data: null })
  })

  const read = once(async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    const added = await admin.post(path, insured())
    const expected = {
      ...insured(),
      insuranceCompanyNo: '60117',
      policyNumber: 'A123',
      insuranceId: added.body.data.id,
      billId: (await billOf(id)).billId,
    } as Record<string, unknown>
    return { data: (await admin.get(path)).body.data[0], expected }
  })

  it.each([
    ['BLG-049', 'billingOrder'],
    ['BLG-050', 'reqBillTypeCode'],
    ['BLG-051', 'insuranceCompany'],
    ['BLG-052', 'insuranceCompanyNo'],
    ['BLG-053', 'policyHolder'],
    ['BLG-054', 'policyNumber'],
    ['BLG-055', 'groupNo'],
    ['BLG-056', 'insuredDob'],
    ['BLG-057', 'billId'],
    ['BLG-058', 'insuranceId'],
  ])('%s carry %s', async (_, field) => {
    const { data, expected } = await read()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field])
  })

  it('accept the policy number by either name BLG-054', async () => {
    const { id } = await test.given.requisition()
    const { policyNo: _, ...rest } = insured()
    await admin.post(await insurancePath(id), { ...rest, policyNumber: 'P99' })
    expect((await admin.get(await insurancePath(id))).body.data[0]).toMatchObject({
      policyNo: 'P99',
      policyNumber: 'P99',
    })
  })

  it('refuse a billing order that is taken, and name the insurance that has it BLG-063, BLG-064', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    await admin.post(path, insured())
    const { status, body } = await admin.post(path, insured({ insuranceCompany: 'Second Plan' }))
    expect([status, body.message]).toEqual([400, 'Billing Order 1 (Primary) is already taken by Alder Mutual Health'])
    expect((await admin.post(path, insured({ billingOrder: 5 }))).body.message).toBe('Billing Order must be 1 to 4')
    expect((await admin.post(path, insured({ billingOrder: null }))).body.message).toBe('Billing Order is required')
    const spaced = await admin.post(path, insured({ billingOrder: 2, policyNo: 'A 123' }))
    expect([spaced.status, spaced.body.errors]).toEqual([
      400,
      [{ field: 'policyNo', message: 'Policy Number must not contain spaces' }],
    ])
    expect((await admin.get(path)).body.data).toHaveLength(1)
  })

  it('added twice at once for the same order are stored once', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    const replies = await Promise.all(
      [1, 2, 3].map((n) => admin.post(path, insured({ insuranceCompany: `Plan ${n}` }))),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await admin.get(path)).body.data).toHaveLength(1)
  })

  it('swap billing orders when one is taken BLG-065, BLG-072', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    const first = (await admin.post(path, insured())).body.data.id
    const second = (await admin.post(path, insured({ billingOrder: 2, insuranceCompany: 'Second Plan' }))).body.data.id
    const moved = await admin.put(`${path}/${second}`, { billingOrder: 1 })
    expect([moved.status, moved.body.data.billingOrder]).toEqual([200, 1])
    const { body } = await admin.get(path)
    expect(body.data.map((row: { id: number }) => row.id)).toEqual([second, first])
    expect((await admin.put(`${path}/${second}`, { billingOrder: '' })).body.message).toBe(
      'New Billing Order is required',
    )
  })

  it('have the number of their company; a new company brings its own, or none', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    const birch = `Birch Health Plan ${id}`
    await test.database.db.insertInto('insurance_company').values({ name: birch, payer_no: '77001' }).execute()
    const own = (await admin.post(path, insured())).body.data.id
    const numberAfter = async (change: object) =>
      (await admin.put(`${path}/${own}`, change)).body.data.insuranceCompanyNo
    // As the form sends it: all fields, the number untouched.
    expect(await numberAfter(insured({ insuranceCompany: birch, insuranceCompanyNo: '60117' }))).toBe('77001')
    expect(await numberAfter({ insuranceCompany: 'Alder Mutual Health' })).toBe('60117')
    expect(await numberAfter({ insuranceCompany: birch, insuranceCompanyNo: '' })).toBe('77001')
    expect(await numberAfter({ insuranceCompanyNo: '88002' })).toBe('88002')
    expect(await numberAfter({ policyNo: 'C1', insuranceCompany: birch.toUpperCase() })).toBe('88002')
    expect(await numberAfter({ insuranceCompanyNo: null })).toBe('77001')
    expect(await numberAfter({ insuranceCompany: 'Unlisted Plan', insuranceCompanyNo: '77001' })).toBeNull()
    expect(await numberAfter({ insuranceCompany: 'Other Plan', insuranceCompanyNo: '99003' })).toBe('99003')
    expect(await numberAfter({ insuranceCompany: 'Alder Mutual Health', insuranceCompanyNo: null })).toBe('60117')
  })

  it('are edited field by field BLG-072', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    const own = (await admin.post(path, insured())).body.data.id
    const saved = await admin.put(`${path}/${own}`, { policyNo: 'B777' }, { 'if-match': '1' })
    expect(saved.body.data).toMatchObject({ policyNo: 'B777', groupNo: 'G1', billingOrder: 1 })
    expect((await admin.put(`${path}/${own}`, { policyNo: 'B778' }, { 'if-match': '1' })).status).toBe(409)
    expect((await admin.put(`${path}/${own}`, { policyNo: 'B 7' })).body.message).toBe(
      'Policy Number must not contain spaces',
    )
    expect((await admin.put(`${path}/${own + 999}`, { policyNo: 'B7' })).status).toBe(404)
    expect((await admin.del(`${path}/${own}`)).body.message).toBe('Successfully deleted')
    expect((await admin.get(path)).body.data).toEqual([])
  })

  it('of earlier requisitions are offered per patient, and copied BLG-047, BLG-066..BLG-069', async () => {
    const patient = await test.given.patient()
    const earlier = await test.given.requisition({ patient_id: patient.id })
    const now = await test.given.requisition({ patient_id: patient.id })
    await admin.post(await insurancePath(earlier.id), insured())
    const stranger = await test.given.requisition()
    await admin.post(await insurancePath(stranger.id), insured({ insuranceCompany: 'Foreign Plan' }))
    const { body } = await admin.get(`patients/${patient.id}/insurances`)
    expect(body.data).toHaveLength(1)
    const [previous] = body.data
    const use = { patientId: patient.id, useBillId: previous.billId, useInsuranceId: previous.insuranceId }
    const none = await admin.post(`requisitions/${now.id}/prev_insurance`, { patientId: patient.id })
    expect([none.status, none.body.message]).toEqual([400, 'Please select insurance'])
    expect((await admin.post(`requisitions/${now.id}/prev_insurance`, use)).status).toBe(200)
    expect((await admin.get(await insurancePath(now.id))).body.data).toMatchObject([
      { policyNo: 'A123', billingOrder: 1, reqId: now.id },
    ])
    const again = await admin.post(`requisitions/${now.id}/prev_insurance`, use)
    expect([again.status, again.body.message]).toEqual([409, 'Alder Mutual Health is already the Primary insurance'])
    expect((await admin.post(`requisitions/${stranger.id}/prev_insurance`, use)).status).toBe(400)
  })

  it('of a patient show a client user only those of its own requisitions BLG-066', async () => {
    const client = await test.given.client()
    const patient = await test.given.patient()
    const own = await test.given.requisition({ patient_id: patient.id, client_id: client.id })
    const foreign = await test.given.requisition({ patient_id: patient.id })
    await admin.post(await insurancePath(own.id), insured({ policyNo: 'OWN' }))
    await admin.post(await insurancePath(foreign.id), insured({ policyNo: 'FOREIGN' }))
    const { body } = await (await test.as('CLNT', client.id)).get(`patients/${patient.id}/insurances`)
    expect(body.data.map((row: { policyNo: string }) => row.policyNo)).toEqual(['OWN'])
  })

  it('are written by super admins only BLG-073', async () => {
    const { id } = await test.given.requisition()
    const path = await insurancePath(id)
    for (const role of ['CLNT', 'COLA', 'SLS', 'BILL', 'PHYS'] as const) {
      const caller = await test.as(role)
      expect((await caller.post(path, insured())).status, role).toBe(403)
      expect((await caller.put(`${path}/1`, {})).status, role).toBe(403)
      expect((await caller.del(`${path}/1`)).status, role).toBe(403)
      expect((await caller.post(`requisitions/${id}/prev_insurance`, {})).status, role).toBe(403)
    }
  })
})

describe('ICD codes', () => {
  const add = (id: number, body: object) => admin.post(`requisitions/${id}/req_icds`, body)
  const codes = async (id: number) =>
    (await admin.get(`requisitions/${id}/req_icds`)).body.data.map((row: { icdCode: string }) => row.icdCode)

  it('are added from the list and as custom codes, listed in that order, and removed BLG-004, BLG-074..BLG-077, BLG-086', async () => {
    const { id } = await test.given.requisition()
    const icdIds = [await given.icdId('I10'), await given.icdId('E11.9')]
    const added = await add(id, { icdIds, customIcd: { icdCode: 'q99.own', icdDesc: 'Our own' } })
    expect([added.status, added.body.message]).toEqual([200, 'Successfully saved'])
    const { body } = await admin.get(`requisitions/${id}/req_icds`)
    const own = body.data.at(-1)
    expect(own).toMatchObject({ icdCode: 'Q99.OWN', icdDesc: 'Our own', customIcd: 1 })
    // It is this requisition's: nobody else is offered it.
    const offered = async (filter: object) =>
      (await (await test.as('STF')).get(`icds?filter=${encodeURIComponent(JSON.stringify(filter))}`)).body.data
    expect(await offered({ q: 'Q99.OWN' })).toEqual([])
    expect(await offered({ id: String(own.icdId) })).toHaveLength(1)
    expect(await codes(id)).toEqual(['I10', 'E11.9', 'Q99.OWN'])
    expect((await admin.del(`requisitions/${id}/req_icds/${icdIds[0]}`)).status).toBe(200)
    expect(
      (await admin.del(`requisitions/${id}/req_icds/bulk_delete?id=${icdIds[1]},${body.data.at(-1).id}`)).status,
    ).toBe(200)
    expect(await codes(id)).toEqual([])
    expect((await admin.del(`requisitions/${id}/req_icds/${icdIds[0]}`)).status).toBe(404)
    expect((await audited(id)).every(({ action }) => action === 'BILLING')).toBe(true)
  })

  it.each([
    ['', 'ICD Code is required'],
    ['1A', 'ICD Code should not start with number'],
    ['A01-', 'No special symbols are allowed at the end of the ICD Code name'],
    ['E850', 'ICD Codes E800-E999 not available'],
    ['e850', 'ICD Codes E800-E999 not available'],
    ['v10', 'ICD Codes V01-V82 not available'],
    ['M8500', 'ICD Codes M8000-M9970 not available'],
  ])('refuse %j with the message of the specification BLG-078..BLG-083, BLG-087', async (icdCode, message) => {
    const { id } = await test.given.requisition()
    const { status, body } = await add(id, { icdIds: [], customIcd: { icdCode, icdDesc: 'Text' } })
    expect([status, body.message]).toEqual([400, message])
    expect(await codes(id)).toEqual([])
  })

  it.each(['A', 'ZZZ', 'E11.12345', 'Q'])(
    'of our own that look like no ICD-10 code are asked about first: %s',
    async (icdCode) => {
      const { id } = await test.given.requisition()
      const customIcd = { icdCode, icdDesc: 'Text' }
      const { status, body } = await add(id, { customIcd })
      expect([status, body.current.questions[0]]).toMatchObject([
        409,
        { code: 'ICD_SHAPE', field: 'customIcd.icdCode' },
      ])
      expect(await codes(id)).toEqual([])
      expect((await add(id, { customIcd, answers: { ICD_SHAPE: 'SAVE' } })).status).toBe(200)
      expect(await codes(id)).toEqual([icdCode])
      expect((await add(id, { customIcd: { icdCode: 'E11.9; DROP', icdDesc: 'Text' } })).status).toBe(400)
    },
  )

  it('typed without a dot or in lower case are the listed codes BLG-077', async () => {
    const { id } = await test.given.requisition()
    await add(id, { customIcd: { icdCode: 'e860', icdDesc: 'Typed' } })
    await add(id, { customIcd: { icdCode: 'e11.9', icdDesc: 'Typed' } })
    const { body } = await admin.get(`requisitions/${id}/req_icds`)
    expect(body.data.map((row: { icdCode: string; customIcd: number }) => [row.icdCode, row.customIcd])).toEqual([
      ['E86.0', 0],
      ['E11.9', 0],
    ])
  })

  it('need a description or a choice, and are added once BLG-084, BLG-085', async () => {
    const { id } = await test.given.requisition()
    expect((await add(id, { icdIds: [] })).body.message).toBe('Select ICD is required')
    expect((await add(id, { customIcd: { icdCode: 'Q1', icdDesc: ' ' } })).body.message).toBe(
      'ICD Description is required',
    )
    const icdIds = [await given.icdId('I10')]
    await add(id, { icdIds })
    const again = await add(id, { icdIds })
    expect([again.status, again.body.message]).toEqual([409, 'I10 is already on this requisition'])
    expect((await add(id, { icdIds: [99999999] })).body.message).toBe('Select ICD is invalid')
  })

  it('of earlier requisitions are offered, except to clients BLG-009', async () => {
    const patient = await test.given.patient()
    const client = await test.given.client()
    const earlier = await test.given.requisition({ patient_id: patient.id, client_id: client.id })
    const now = await test.given.requisition({ patient_id: patient.id, client_id: client.id })
    await given.icd(earlier.id, 'I10')
    const { body } = await admin.get(`requisitions/${now.id}/prev_icds`)
    expect(body.data).toMatchObject([{ icdCode: 'I10', reqId: earlier.id }])
    expect((await (await test.as('CLNT', client.id)).get(`requisitions/${now.id}/prev_icds`)).status).toBe(403)
  })

  it('are written by super admins only BLG-008, BLG-010, BLG-088', async () => {
    const { id } = await test.given.requisition()
    for (const role of ['CLNT', 'COLA', 'SLS', 'BILL', 'PHYS'] as const) {
      const caller = await test.as(role)
      expect((await caller.post(`requisitions/${id}/req_icds`, {})).status, role).toBe(403)
      expect((await caller.del(`requisitions/${id}/req_icds/1`)).status, role).toBe(403)
    }
  })
})

describe('billing notes', () => {
  it('are added, read newest first and removed BLG-005, BLG-089..BLG-092', async () => {
    const { id } = await test.given.requisition()
    const first = await admin.post(`requisitions/${id}/bill_notes`, { note: ' First ' })
    await admin.post(`requisitions/${id}/bill_notes`, { note: 'Second' })
    const { body } = await admin.get(`requisitions/${id}/bill_notes`)
    expect(body.data.map((row: { note: string }) => row.note)).toEqual(['Second', 'First'])
    expect(body.data[0].billNoteCreateByName).toMatch(/^Test User/)
    expect(Date.parse(body.data[0].billNoteCreateDate)).not.toBeNaN()
    expect((await admin.del(`requisitions/${id}/bill_notes/${first.body.data.id}`)).status).toBe(200)
    expect((await admin.get(`requisitions/${id}/bill_notes`)).body.data).toHaveLength(1)
    expect((await admin.del(`requisitions/${id}/bill_notes/bulk_delete?id=${first.body.data.id}`)).status).toBe(404)
  })

  it('need a text', async () => {
    const { id } = await test.given.requisition()
    const { status, body } = await admin.post(`requisitions/${id}/bill_notes`, { note: ' ' })
    expect([status, body.message]).toEqual([400, 'Note is required'])
  })

  it('are read by super admins, sales and collaborators, and written by super admins BLG-006, BLG-094', async () => {
    const collaborator = await test.given.collaborator()
    const sales = await test.given.salesPerson()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    await test.given.clientSales(client.id, sales.id)
    const { id } = await test.given.requisition({ client_id: client.id })
    const readers = { COLA: collaborator.id, SLS: sales.id, CLNT: client.id }
    for (const [role, entity] of Object.entries(readers)) {
      const caller = await test.as(role as 'COLA', entity)
      expect((await caller.get(`requisitions/${id}/bill_notes`)).status, role).toBe(role === 'CLNT' ? 403 : 200)
      expect((await caller.post(`requisitions/${id}/bill_notes`, { note: 'x' })).status, role).toBe(403)
    }
    expect((await (await test.as('COLA')).get(`requisitions/${id}/bill_notes`)).status).toBe(404)
    expect((await (await test.as('BILL')).get(`requisitions/${id}/bill_notes`)).status).toBe(403)
  })
})
