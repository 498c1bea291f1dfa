import type { ChecklistLine } from '@lis/contract/requisitions/record.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const sellerOf = async (clientId: number) => {
  const seller = await test.given.salesPerson()
  await test.given.clientSales(clientId, seller.id)
  return test.as('SLS', seller.id)
}

describe('GET req_hists, DETAIL-162', () => {
  it('shows what changed, from what to what, by whom and when: DETAIL-157..DETAIL-161', async () => {
    const { id } = await test.given.requisition()
    await staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
    const { status, body } = await staff.get(`requisitions/${id}/req_hists`)
    expect([status, body.total]).toEqual([200, 1])
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      modifiedDate: expect.any(String),
      reqActionCode: 'DEMQC',
      reqActionDesc: 'Demographic QC',
      modifiedByName: expect.stringMatching(/^Test User/),
      reason: null,
      newData: [{ key: 'Demographic QC', value: 'Yes' }],
      oldData: [{ key: 'Demographic QC', value: 'No' }],
    })
  })

  const recorded = (id: number, action: string, facts: object, reason: string | null = null) =>
    test.database.db
      .insertInto('audit_entry')
      .values({
        ...{ entity: 'requisition', entity_id: id, requisition_id: id, actor_name: 'x', chain_no: 0 },
        ...{ action, reason, hash: Buffer.alloc(0), new_data: JSON.stringify(facts) },
      })
      .execute()

  it('shows names instead of ids: DETAIL-160 DETAIL-161', async () => {
    const { id } = await test.given.requisition()
    const client = await test.given.client({ name: 'Second Practice' })
    await recorded(id, 'CREATE', { clientId: client.id, extOrderId: '7' })
    const { body } = await staff.get(`requisitions/${id}/req_hists`)
    expect(body.data[0].newData).toEqual([
      { key: 'Client', value: 'Second Practice' },
      { key: 'External Order ID', value: '7' },
    ])
  })

  it('gives a collection the time zone in which it is shown', async () => {
    const { id } = await test.given.requisition({ collected_zone: 'America/Chicago' })
    const dateCollected = '2026-11-13T12:45:00Z'
    await recorded(id, 'CREATE', { dateCollected })
    await recorded(id, 'EDIT', { dateCollected, collectedTz: 'America/Denver' })
    const { body } = await staff.get(`requisitions/${id}/req_hists`)
    const zones = body.data.map(({ newData }: { newData: { zone?: string }[] }) => newData.map(({ zone }) => zone))
    expect(zones).toEqual([[undefined, 'America/Denver'], ['America/Chicago']])
  })

  it('shows descriptions and sentences instead of codes and lists', async () => {
    const { id } = await test.given.requisition()
    const { code, description } = await test.database.db
      .selectFrom('reason')
      .select(['code', 'description'])
      .where('type_code', '=', 'FAIL')
      .orderBy('code')
      .executeTakeFirstOrThrow()
    await recorded(id, 'REPORT', {
      labQcStatusCode: 'MD',
      changes: ['Triglycerides changed from 150 to 160', 'HDL changed from 50 to 51'],
      'TRIG failCodes': code,
    })
    const { body } = await staff.get(`requisitions/${id}/req_hists`)
    expect(body.data[0].newData).toEqual(
      expect.arrayContaining([
        { key: 'Lab QC Result', value: 'MD review' },
        { key: 'Changes', value: 'Triglycerides changed from 150 to 160; HDL changed from 50 to 51' },
        { key: 'TRIG Fail Codes', value: `${code} ${description}` },
      ]),
    )
  })

  it.each([
    ['LABEL', 'Labels printed'],
    ['DOWNLOAD', 'Report downloaded'],
    ['PLACE', 'Samples placed'],
    ['DISCARD', 'Samples discarded'],
  ])('calls %s by what was done: DETAIL-158', async (action, deed) => {
    const { id } = await test.given.requisition()
    await recorded(id, action, {})
    const { body } = await staff.get(`requisitions/${id}/req_hists`)
    expect(body.data[0].reqActionDesc).toBe(deed)
  })

  it('shows deliveries that were recorded as lists: DETAIL-160', async () => {
    const { id } = await test.given.requisition()
    await recorded(id, 'DELIVERY', [{ reportId: 7, to: 'office@practice.example' }])
    const { status, body } = await staff.get(`requisitions/${id}/req_hists`)
    expect([status, body.data?.[0]?.newData]).toEqual([
      200,
      [{ key: 'Delivery 1', value: 'office@practice.example, 7' }],
    ])
  })

  it('shows changes of the patient with the labels of the forms: DETAIL-160 DETAIL-161', async () => {
    const { id } = await test.given.requisition({ status_code: 'LOG' })
    const { patient, history } = (await staff.get(`requisitions/${id}/patient`)).body.data
    await staff.put(`requisitions/${id}/patients/${patient.id}`, { patientDob: '1/2/1959', patientRaceCode: 'ASIAN' })
    await staff.put(`requisitions/${id}/patient_hists/${history.id}`, { famHistT2DCode: 'SIBLING' })
    await staff.put(`requisitions/${id}/patient_hists/${history.id}`, {
      famHistT2DCode: 'UNK',
      heightFeet: 5,
      heightInches: 6,
    })
    const { body } = await staff.get(`requisitions/${id}/req_hists`)
    const [last, first] = body.data
    expect([last.reqActionDesc, first.reqActionDesc]).toEqual(['Patient history edited', 'Patient edited'])
    expect(last.newData).toEqual(
      expect.arrayContaining([
        { key: 'Family history of T2D', value: 'Unknown' },
        { key: 'Height', value: '5 ft 6 in' },
      ]),
    )
    expect(last.newData.map(({ key }: { key: string }) => key)).toHaveLength(2)
    expect(first.newData).toEqual([
      { key: 'Date of birth', value: '01/02/1959' },
      { key: 'Race', value: 'Asian' },
    ])
  })

  it('filters the status changes, named as people read them: DETAIL-048 LOOK-116', async () => {
    const { id } = await test.given.requisition({ status_code: 'ACC' })
    await staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
    await staff.put(`requisitions/ACC/next_status/bulk_move?id=${id}`, { callSource: 'ACC' })
    const filter = encodeURIComponent(JSON.stringify({ reqActionCode: 'STATUS' }))
    const { body } = await staff.get(`requisitions/${id}/req_hists?filter=${filter}`)
    expect(body.data).toEqual([
      expect.objectContaining({
        reqActionCode: 'STATUS',
        reqActionDesc: 'Status change',
        newData: [{ key: 'Status', value: 'Processing' }],
        oldData: [{ key: 'Status', value: 'Accessioned' }],
      }),
    ])
  })

  it('hides results, and documents they may not see, from sales', async () => {
    const client = await test.given.client()
    const { id } = await test.given.requisition({ client_id: client.id })
    const entry = { entity_id: 1, requisition_id: id, actor_name: 'x', chain_no: 0, hash: Buffer.alloc(0) }
    await test.database.db
      .insertInto('audit_entry')
      .values([
        { ...entry, entity: 'requisition_test', action: 'RESULT', new_data: JSON.stringify({ result: '12' }) },
        { ...entry, entity: 'document', action: 'DOC', new_data: JSON.stringify({ docTypeCode: 'CHECK' }) },
      ])
      .execute()
    const sales = await sellerOf(client.id)
    const { body } = await sales.get(`requisitions/${id}/req_hists`)
    expect(body.data).toEqual([expect.objectContaining({ reqActionCode: 'RESULT', newData: [], oldData: [] })])
    expect((await staff.get(`requisitions/${id}/req_hists`)).body.total).toBe(2)
  })

  it.each([
    ['INSTRUMENT', 'Result of an instrument'],
    ['REFLEX', 'Reflex test'],
    ['CRITICAL', 'Critical value'],
    ['QC', 'Quality control'],
  ])('keeps the values of %s from those who may not see results', async (action, name) => {
    const client = await test.given.client()
    const { id } = await test.given.requisition({ client_id: client.id })
    await recorded(id, action, { HDL: '137' }, 'Because of HDL 137')
    const { body } = await (await sellerOf(client.id)).get(`requisitions/${id}/req_hists`)
    expect(body.data).toMatchObject([{ reqActionDesc: name, reason: null, newData: [], oldData: [] }])
    expect(JSON.stringify((await staff.get(`requisitions/${id}/req_hists`)).body.data)).toContain('137')
  })

  it('shows sales only the names of their own practices and patients', async () => {
    const own = await test.given.client({ name: 'Own Practice' })
    const foreign = await test.given.client({ name: 'Foreign Practice' })
    const { id } = await test.given.requisition({ client_id: own.id })
    const elsewhere = await test.given.requisition({ client_id: foreign.id })
    const patient = await test.database.db
      .selectFrom('requisition')
      .select('patient_id')
      .where('id', '=', elsewhere.id)
      .executeTakeFirstOrThrow()
    const entry = { entity: 'requisition', entity_id: id, requisition_id: id, actor_name: 'x', chain_no: 0 }
    await test.database.db
      .insertInto('audit_entry')
      .values({
        ...entry,
        action: 'EDIT',
        hash: Buffer.alloc(0),
        old_data: JSON.stringify({ clientId: foreign.id, patientId: patient.patient_id }),
        new_data: JSON.stringify({ clientId: own.id }),
      })
      .execute()
    const { body } = await (await sellerOf(own.id)).get(`requisitions/${id}/req_hists`)
    expect(body.data[0].newData).toEqual([{ key: 'Client', value: 'Own Practice' }])
    expect(body.data[0].oldData).toEqual([])
    const { body: history } = await staff.get(`requisitions/${id}/req_hists`)
    expect(history.data[0].oldData[0]).toEqual({ key: 'Client', value: 'Foreign Practice' })
  })

  it('hides former owners from sales, and nothing from super admins', async () => {
    const own = await test.given.client({ name: 'Own Practice' })
    const foreign = await test.given.requisitionBody()
    await test.database.owner.query("update client set name = 'Foreign Practice' where id = $1", [foreign.clientId])
    await test.database.owner.query("update collaborator set name = 'Foreign Partner ' || id where id = $1", [
      foreign.collaborator,
    ])
    const { body: made } = await staff.post('requisitions', { ...foreign, patientLastName: 'Strangerson' })
    const { id } = made.data
    const former = (await staff.get(`requisitions/${id}/patient`)).body.data.patient
    await staff.put(`requisitions/${id}/patients/${former.id}`, { patientMiddleName: 'Secretname' })
    await staff.put(`requisitions/${id}/patient_hists/${id}`, { weight: 77, weightUom: 'KG' })
    await staff.put(`requisitions/${id}`, { collectedBy: 'A Nurse' })
    await staff.put(`requisitions/${id}/patients/${former.id}`, {
      isNewPatient: 1,
      patientFirstName: 'Known',
      patientLastName: 'Person',
      patientMiddleName: null,
    })
    const { clientId, orderingClientPhysId, eventId, labId } = await test.given.requisitionBody({ clientId: own.id })
    const order = { clientId, orderingClientPhysId, eventId, labId }
    const partner = await test.given.collaborator()
    expect((await staff.put(`requisitions/${id}`, order)).status).toBe(200)
    expect((await staff.put(`requisitions/${id}`, { colaId: partner.id, collectedBy: 'Own Nurse' })).status).toBe(200)
    const strange = /Stranger|Secret|Foreign|Weight/
    const history = await (await sellerOf(own.id)).get(`requisitions/${id}/req_hists?perPage=100`)
    expect(JSON.stringify(history.body.data)).not.toMatch(strange)
    expect(history.body.data[0]).toMatchObject({
      newData: expect.arrayContaining([
        { key: 'Collaborator', value: expect.stringMatching(/^Collaborator \d+$/) },
        { key: 'Collected By', value: 'Own Nurse' },
      ]),
    })
    expect(history.body.data[1].newData).toContainEqual({ key: 'Client', value: 'Own Practice' })
    const all = await staff.get(`requisitions/${id}/req_hists?perPage=100`)
    for (const word of ['Strangerson', 'Secretname', 'Foreign Practice', 'Foreign Partner', 'Weight'])
      expect(JSON.stringify(all.body.data)).toContain(word)
  })

  it('is forbidden for clients and collaborators, and not found for other sales people: DETAIL-025 DETAIL-026', async () => {
    const { id } = await test.given.requisition()
    for (const role of ['CLNT', 'COLA', 'PHYS', 'BILL', 'GST'] as const)
      expect([role, (await (await test.as(role)).get(`requisitions/${id}/req_hists`)).status]).toEqual([role, 403])
    expect((await (await test.as('SLS')).get(`requisitions/${id}/req_hists`)).status).toBe(404)
  })
})

describe('GET req_reasons, DETAIL-174', () => {
  it('lists the fail and pass codes: DETAIL-175..DETAIL-180', async () => {
    const { id } = await test.given.requisition()
    const reasons = await test.database.db
      .selectFrom('reason')
      .select(['id', 'type_code', 'code', 'description'])
      .where('scope', 'in', ['REQ', 'BOTH'])
      .where('is_active', '=', true)
      .execute()
    const fail = reasons.find(({ type_code }) => type_code === 'FAIL')
    const pass = reasons.find(({ type_code }) => type_code === 'PASS')
    await staff.put(`requisitions/${id}/fail_codes`, { failIds: [fail?.id] })
    await staff.put(`requisitions/${id}/pass_codes`, { passIds: [pass?.id] })
    expect((await staff.get(`requisitions/${id}/req_reasons`)).body.data).toEqual([
      {
        reasonId: fail?.id,
        reasonTypeCode: 'FAIL',
        failCode: fail?.code,
        failDesc: fail?.description,
        passCode: null,
        passDesc: null,
      },
      {
        reasonId: pass?.id,
        reasonTypeCode: 'PASS',
        failCode: null,
        failDesc: null,
        passCode: pass?.code,
        passDesc: pass?.description,
      },
    ])
    expect((await (await test.as('CLNT')).get(`requisitions/${id}/req_reasons`)).status).toBe(404)
    expect((await (await test.as('PHYS')).get(`requisitions/${id}/req_reasons`)).status).toBe(403)
  })
})

describe('flags of a requisition', () => {
  it('are replaced by super admins, with history; flags of the system stay', async () => {
    const { id } = await test.given.requisition()
    const flags = await test.database.db.selectFrom('flag').select(['id', 'is_set_by_system']).orderBy('id').execute()
    const [one, two] = flags.filter((flag) => !flag.is_set_by_system)
    const system = flags.find((flag) => flag.is_set_by_system)
    if (system)
      await test.database.db.insertInto('requisition_flag').values({ requisition_id: id, flag_id: system.id }).execute()
    expect((await staff.put(`requisitions/${id}/flags`, { flagIds: [one?.id] })).status).toBe(200)
    expect((await staff.put(`requisitions/${id}/flags`, { flagIds: [two?.id] })).status).toBe(200)
    const { flag } = (await staff.get(`requisitions/${id}`)).body.data
    expect(flag.split(',').map(Number).sort()).toEqual([two?.id, ...(system ? [system.id] : [])].sort())
    expect((await staff.put(`requisitions/${id}/flags`, { flagIds: [99999] })).status).toBe(400)
    expect((await (await test.as('COLA')).put(`requisitions/${id}/flags`, { flagIds: [] })).status).toBe(403)
    expect((await staff.get(`requisitions/${id}/req_hists`)).body.data[0].reqActionDesc).toBe('Flags changed')
  })
})

describe('the checklist', () => {
  const lineOf = async (id: number, code: string): Promise<ChecklistLine> =>
    (await staff.get(`requisitions/${id}/checklist`)).body.data.find((line: ChecklistLine) => line.code === code)

  it('shows the conditions of the life cycle, each with the tab where it can be met', async () => {
    const { id } = await test.given.requisition()
    const { data } = (await staff.get(`requisitions/${id}/checklist`)).body as { data: ChecklistLine[] }
    expect(data.filter(({ isDone }) => isDone === 0).map(({ title, tabSlug }) => [title, tabSlug])).toEqual([
      ['No test ordered', 'tests'],
      ['No specimen received', 'specimens'],
      ['No report file', 'reportsDelivery'],
      ['Demographic QC has not passed', 'reportsDelivery'],
      ['No report released by lab QC', 'reportsDelivery'],
      ['No bill type', 'billing'],
      ['No ICD code', 'billing'],
    ])
    expect(data.find(({ code }) => code === 'hasReport')?.detail).toBe('Needed to become Reported')
    // Without a bill type there is no line about insurance.
    expect(data.some(({ code }) => code === 'hasPrimaryInsurance')).toBe(false)
  })

  it('counts open issues with their departments, and warns of a client without a time zone', async () => {
    const client = await test.given.client({ zone: 'TZNA' })
    const { id } = await test.given.requisition({ client_id: client.id })
    await test.given.issue(id)
    await test.given.issue(id)
    expect(await lineOf(id, 'openIssues')).toMatchObject({ isDone: 0, title: '2 open issues', tabSlug: 'issues' })
    expect((await lineOf(id, 'openIssues')).detail).not.toBe('')
    expect(await lineOf(id, 'clientZone')).toMatchObject({ isDone: 0, tabSlug: null })
  })

  it('counts missing results: an open modification is one, a failed test is none', async () => {
    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    for (const code of ['CHOL', 'HDL', 'TRIG']) await test.given.orderedTest(id, code)
    const path = `requisitions/${id}/req_tests`
    const tests = (await staff.get(path)).body.data as { id: number; testCode: string }[]
    const [chol, hdl, trig] = ['CHOL', 'HDL', 'TRIG'].map((code) => tests.find(({ testCode }) => testCode === code)?.id)
    const failIds = (await test.database.owner.query("select id from reason where code = '916'")).rows.map(
      ({ id: one }) => one,
    )
    expect((await staff.put(`${path}/${hdl}/fail_codes`, { failIds })).status).toBe(200)
    expect(await lineOf(id, 'resultsComplete')).toMatchObject({
      isDone: 0,
      title: '2 of 3 tests without a result',
      detail: 'CHOL, TRIG',
    })
    await staff.put(`${path}/bulk_edit`, { reqTests: [{ reqTestId: chol, result: '180' }] })
    await staff.put(`${path}/${chol}/modify`, {})
    await staff.put(`${path}/bulk_edit`, { reqTests: [{ reqTestId: trig, result: '150' }] })
    expect(await lineOf(id, 'resultsComplete')).toMatchObject({
      isDone: 0,
      title: '1 of 3 tests without a result',
      detail: 'CHOL (modification open)',
    })
    await staff.put(`${path}/${chol}/cancel_mod`, {})
    expect(await lineOf(id, 'resultsComplete')).toMatchObject({
      isDone: 1,
      title: 'Every test has its result or a fail code',
      detail: '',
    })
  })

  it('ticks off what is done', async () => {
    const { id } = await test.given.requisition({ is_dem_qc_pass: true, bill_type_code: 'CLIENT' })
    expect(await lineOf(id, 'demographicQcPassed')).toMatchObject({ isDone: 1, title: 'Demographic QC has passed' })
    expect(await lineOf(id, 'hasBillType')).toMatchObject({ isDone: 1 })
    expect(await lineOf(id, 'hasPrimaryInsurance')).toMatchObject({ isDone: 1, title: 'No insurance needed' })
    const insured = await test.given.requisition({ bill_type_code: 'INSURANCE' })
    expect(await lineOf(insured.id, 'hasPrimaryInsurance')).toMatchObject({ isDone: 0, title: 'No primary insurance' })
  })

  it('is for those who can fix what is missing', async () => {
    const { id } = await test.given.requisition()
    expect((await (await test.as('CLNT')).get(`requisitions/${id}/checklist`)).status).toBe(403)
  })
})
