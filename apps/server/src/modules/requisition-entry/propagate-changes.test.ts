import { describe, expect, it } from 'vitest'
import { loadKit } from '../../../test/csv-loads.ts'
import { openDeliveries } from '../../../test/deliveries.ts'
import { propagatePatientJob } from './propagate-changes.ts'

const world = openDeliveries()
const { test, released, addReport, work, ledgerOf, historyOf } = world

const owner = (text: string, values: unknown[]) => test.database.owner.query(text, values)
const setStatus = (id: number, code: string) =>
  owner('update requisition set status_code = $2 where id = $1', [id, code])
/** A report is out, and the requisition is in work again. */
const partial = async () => {
  const made = await released({ transmit_method_code: 'EMAIL' }, 'PROCESS')
  await owner('update requisition set is_dem_qc_pass = true where id = $1', [made.id])
  return made
}
const patientPath = (id: number, patientId: number) => `requisitions/${id}/patients/${patientId}`
const qcOf = async (id: number): Promise<string[]> =>
  (await world.staff.get(`requisitions/${id}/reports`)).body.data.map(
    ({ labQcStatusCode }: { labQcStatusCode: string }) => labQcStatusCode,
  )
const billOf = async (id: number) => (await world.staff.get(`requisitions/${id}/billings`)).body.data[0]
const detailOf = async (id: number) => (await world.staff.get(`requisitions/${id}`)).body.data
const interpretations = async (id: number): Promise<Record<string, string>> => {
  const { body } = await world.staff.get(`requisitions/${id}/req_tests`)
  return Object.fromEntries(
    body.data.map(({ testCode, interpretation }: Record<string, string>) => [testCode, interpretation]),
  )
}

describe('a requisition that is given to another patient', () => {
  it('keeps no report of the former one on its way: it is held, what waits is withdrawn, and demographic QC starts again', async () => {
    const { id, patientId } = await partial()
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const other = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann' })
    const reply = await world.staff.put(patientPath(id, other.id), { seenPatientId: patientId })
    expect(reply.status).toBe(200)
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect(await historyOf(id)).toContain('Lab QC: Hold: the record has changed since: Patient')
    expect(await detailOf(id)).toMatchObject({ patientLastName: 'Rightful', isDemQcPass: 0 })
    await work()
    expect(world.mail.received).toEqual([])
    for (const { deliveryState } of await ledgerOf(id)) expect(deliveryState).toBe('FAILED')
    const { rows } = await owner(
      "select old_data, new_data from audit_entry where requisition_id = $1 and new_data ? 'isDemQcPass' order by id desc limit 1",
      [id],
    )
    expect(rows[0]).toMatchObject({ old_data: { isDemQcPass: 1 }, new_data: { isDemQcPass: 0, patientId: other.id } })
  })

  it('has nothing delivered, a correction neither, until demographic QC has looked at the new one', async () => {
    const { id, report, patientId } = await partial()
    await world.deliver(id, [report], 'EMAIL')
    await work()
    world.mail.reset()
    const [sent] = await ledgerOf(id)
    const other = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann' })
    await world.staff.put(patientPath(id, other.id), { seenPatientId: patientId })
    const correction = { correctionReason: 'Another patient' }
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, correction)
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    await work()
    expect(world.mail.received).toEqual([])
    const why = `Requisition #${id} has not passed demographic QC`
    const [failed] = await ledgerOf(id)
    expect(failed).toMatchObject({ versionNo: 2, deliveryState: 'FAILED', answer: why })
    expect(await world.issuesOf(id)).toMatchObject([
      { issueCode: 'DELIVFAIL', issueNote: expect.stringContaining(why) },
    ])
    await setStatus(id, 'RELEASE')
    for (const refused of [
      await world.deliver(id, [report], 'EMAIL'),
      await world.staff.post(`requisitions/${id}/rep_delivery`, {}),
      await world.staff.post(`deliveries/${sent.id}/resend`, {}),
    ])
      expect([refused.status, refused.body.message]).toEqual([409, why])
    await world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
    expect((await world.staff.post(`deliveries/${failed.id}/resend`, {})).status).toBe(200)
    await work()
    expect(world.mail.received).toHaveLength(1)
    // A person who takes it back means it.
    await world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 0 })
    expect((await world.deliver(id, [report], 'EMAIL')).body.message).toBe(why)
  })

  it('is not given back by a form that shows the former one', async () => {
    const { id, patientId } = await partial()
    const other = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann' })
    await world.staff.put(patientPath(id, other.id), { seenPatientId: patientId })
    for (const sent of [{ patientCity: 'Salem' }, { patientLastName: 'Else', isNewPatient: 1 }]) {
      const late = await world.staff.put(patientPath(id, patientId), { ...sent, seenPatientId: patientId })
      expect(late.status).toBe(409)
      expect(late.body.message).toBe(
        `Requisition #${id} has been given to Rightful, Ann in the meantime. Please look again.`,
      )
    }
    expect((await detailOf(id)).patientId).toBe(other.id)
    const { rows } = await owner('select version, city from patient where id = $1', [patientId])
    expect(rows[0].city).not.toBe('Salem')
  })

  it("has no guarantor 'Self' who is the former one, in card, copy and what sales read of it; any other stays BLG-020", async () => {
    const client = await test.given.client()
    const seller = await test.given.salesPerson()
    await test.given.clientSales(client.id, seller.id)
    const former = await test.given.patient({ last_name: 'Formerly' })
    const { state_id: guarantorStateId } = await test.given.address()
    const given = async (relationTypeCode: string) => {
      const { id } = await test.given.requisition({ client_id: client.id, patient_id: former.id, status_code: 'LOG' })
      const bill = await billOf(id)
      const person = {
        relationTypeCode,
        guarantorFirstName: 'Pat',
        guarantorLastName: 'Formerly',
        guarantorDob: '1970-01-02',
        guarantorGenderCode: 'FEMALE',
        guarantorStateId,
        guarantorCity: 'Boston',
        guarantorZip: '02101',
        guarantorAddr1: '9 Oak St',
      }
      const path = `requisitions/${id}/billings/${bill.billId}`
      expect((await world.staff.put(path, person)).status).toBe(200)
      const { version } = await billOf(id)
      const other = await test.given.patient({ last_name: 'Rightful' })
      expect((await world.staff.put(patientPath(id, other.id), {})).status).toBe(200)
      const late = await world.staff.put(path, person, { 'if-match': `"${version}"` })
      return { id, late: late.status }
    }
    const nobody = {
      guarantorFirstName: null,
      guarantorLastName: null,
      guarantorDob: null,
      guarantorGenderCode: null,
      guarantorStateId: null,
      guarantorCity: null,
      guarantorZip: null,
      guarantorAddr1: null,
    }
    const self = await given('SELF')
    expect(self.late).toBe(409)
    expect(await billOf(self.id)).toMatchObject({ relationTypeCode: 'SELF', ...nobody })
    const copy = (await world.staff.post(`requisitions/${self.id}/copy`)).body.data.id
    expect(await billOf(copy)).toMatchObject(nobody)
    const { rows } = await owner(
      "select old_data ->> 'guarantorLastName' as old, new_data ->> 'guarantorLastName' as new from audit_entry where requisition_id = $1 and entity = 'billing' order by id desc limit 1",
      [self.id],
    )
    expect(rows).toEqual([{ old: 'Formerly', new: null }])
    const sales = await test.as('SLS', seller.id)
    const seen = await sales.get(`requisitions/${self.id}/req_hists`)
    expect([seen.status, JSON.stringify(seen.body)]).toEqual([200, expect.not.stringContaining('Formerly')])
    const spouse = await given('SPOUSE')
    expect(await billOf(spouse.id)).toMatchObject({ relationTypeCode: 'SPOUSE', guarantorLastName: 'Formerly' })
  })

  it('has its results read by the sex of its patient', async () => {
    const { id, patientId } = await partial()
    await owner("update patient set gender_code = 'MALE' where id = $1", [patientId])
    await owner(
      "update requisition_test set result = '45', result_num = 45, reportable_result = '45', interpretation = 'Borderline' where requisition_id = $1 and test_id = (select id from test where code = 'HDL')",
      [id],
    )
    const woman = await test.given.patient({ gender_code: 'FEMALE' })
    await world.staff.put(patientPath(id, woman.id), { seenPatientId: patientId })
    expect((await interpretations(id)).HDL).toBe('Unfavorable')
  })
})

describe('demographic QC that a person takes back', () => {
  const setDemQc = (id: number, isDemQcPass: 0 | 1) => world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass })
  const checked = async () => {
    const made = await released({ transmit_method_code: 'FAX', fax_email: 'office@fax.example' })
    await setDemQc(made.id, 1)
    return made
  }
  const unchecked = (id: number) => `Requisition #${id} has not passed demographic QC`

  it('stops what is already under way, whether or not its message is written; it shows, and goes when somebody has looked', async () => {
    const [queued, retried] = [await checked(), await checked()]
    await world.staff.post(`requisitions/${retried.id}/rep_delivery`, {})
    world.mail.refuse = () => 450
    await work()
    await world.staff.post(`requisitions/${queued.id}/rep_delivery`, {})
    for (const { id } of [queued, retried]) await setDemQc(id, 0)
    world.mail.reset()
    await world.makeDue()
    await work()
    expect(world.mail.received).toEqual([])
    for (const { id } of [queued, retried]) {
      const [row] = await ledgerOf(id)
      expect(row).toMatchObject({ deliveryState: 'FAILED', answer: `Withdrawn: ${unchecked(id)}` })
      expect(await historyOf(id)).toContain(`Delivery withdrawn: ${unchecked(id)}`)
      expect(await world.issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueStatusCode: 'OPEN' }])
      await setDemQc(id, 1)
      expect((await world.staff.post(`deliveries/${row.id}/resend`, {})).status).toBe(200)
    }
    await work()
    expect(world.mail.received).toHaveLength(2)
  })

  it('does not accept a waiting print as handed over', async () => {
    const { id, report } = await checked()
    await world.deliver(id, [report], 'PRINT')
    await setDemQc(id, 0)
    const [row] = await ledgerOf(id)
    const confirm = () => world.staff.put(`deliveries/${row.id}/confirm`, {})
    const refused = await confirm()
    expect([refused.status, refused.body.message]).toEqual([409, unchecked(id)])
    await setDemQc(id, 1)
    expect((await confirm()).status).toBe(200)
  })

  it('does not notify the patient, even if a notification is waiting DELIV-02', async () => {
    const { id, patientId } = await checked()
    await owner("update patient set email = 'jane@patient.example' where id = $1", [patientId])
    const notify = () => world.staff.post('requisitions/send_notif', { reqIds: [id] })
    await notify()
    await setDemQc(id, 0)
    await work()
    expect(world.mail.received).toEqual([])
    const [told] = await world.notificationsOf(id)
    expect(told).toMatchObject({ deliveryState: 'FAILED', answer: `Withdrawn: ${unchecked(id)}; notify again` })
    expect((await notify()).body.data.refused).toMatchObject([{ reason: unchecked(id) }])
    await setDemQc(id, 1)
    await notify()
    await work()
    expect(world.mail.received).toHaveLength(1)
  })
})

const samePerson = { IDENTITY_CHANGE: 'SAME_PERSON' }

describe("a patient's record that is corrected", () => {
  it('holds the reports that are still to go out, of all their requisitions, and leaves alone what has been delivered', async () => {
    const { id, patientId, clientId } = await partial()
    const { id: old } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    const { id: next } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    for (const other of [old, next]) {
      await owner(
        "insert into requisition_test (requisition_id, test_id, result, result_num, reportable_result) select $1, id, '200', 200, '200' from test where code = 'CHOL'",
        [other],
      )
      await test.given.specimen(other)
      await addReport(other)
    }
    await setStatus(old, 'BILL')
    await setStatus(next, 'RELEASE')
    await world.staff.put(patientPath(id, patientId), { patientCity: 'Salem', seenPatientId: patientId })
    expect([await qcOf(id), await qcOf(next), await qcOf(old)]).toEqual([['RELEASE'], ['RELEASE'], ['RELEASE']])
    await world.staff.put(patientPath(id, patientId), {
      patientLastName: 'Dough',
      seenPatientId: patientId,
      answers: samePerson,
    })
    expect([await qcOf(id), await qcOf(next), await qcOf(old)]).toEqual([['HOLD'], ['HOLD'], ['RELEASE']])
    expect((await historyOf(next))[0]).toBe('Lab QC: Hold: the record has changed since: Last Name')
  })

  /** The practice has it in the portal, the collaborator's mail still waits. */
  const halfDelivered = async () => {
    const cola = await test.given.collaborator({
      report_deliver_to_code: 'BOTH',
      transmit_method_code: 'EMAIL',
      email: 'partner@lab.example',
    })
    const made = await released({ transmit_method_code: 'PORTAL', collaborator_id: cola.id })
    await world.staff.post(`requisitions/${made.id}/rep_delivery`, {})
    expect((await detailOf(made.id)).reqStatusCode).toBe('DELIVER')
    return made
  }
  const expectStopped = async (id: number, label: string) => {
    const why = `the record has changed since: ${label}`
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect(await historyOf(id)).toContain(`Lab QC: Hold: ${why}`)
    await work()
    expect(world.mail.received).toEqual([])
    expect(
      (await ledgerOf(id)).find((row: { recipient: string }) => row.recipient === 'partner@lab.example'),
    ).toMatchObject({ deliveryState: 'FAILED', answer: `Withdrawn before it was sent: ${why}` })
  }

  it('stops what still waits of a report that another receiver has already', async () => {
    const { id, patientId, clientId } = await halfDelivered()
    const { id: next } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    const sent = { patientDob: '1970-01-03', seenPatientId: patientId, answers: samePerson }
    expect((await world.staff.put(patientPath(next, patientId), sent)).status).toBe(200)
    await expectStopped(id, 'Date of birth')
  })

  it('stops it also where it could not be sent so far: it is not resent under the former name', async () => {
    const { id, patientId, clientId } = await halfDelivered()
    world.mail.refuse = () => 550
    await work()
    const row = (await ledgerOf(id)).find(({ recipient }: { recipient: string }) => recipient === 'partner@lab.example')
    expect(row.deliveryState).toBe('REFUSED')
    const { id: next } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    const sent = { patientLastName: 'Dough', seenPatientId: patientId, answers: samePerson }
    expect((await world.staff.put(patientPath(next, patientId), sent)).status).toBe(200)
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect((await world.staff.post(`deliveries/${row.id}/resend`, {})).status).toBe(409)
  })

  it('stops it also when a load of orders brings the middle name', async () => {
    const { id, patientId, clientId } = await halfDelivered()
    const { collaborator: colaId, ...body } = await test.given.requisitionBody({
      clientId,
      patientFirstName: 'Jane',
      patientLastName: 'Doe',
      patientMiddleName: 'Ann',
      patientDob: '01/02/1970',
      dateCollected: '11/02/2026 08:15',
      extOrderId: 'MID-1',
    })
    const { load, csv } = loadKit(test)
    expect((await load('REQUISITION', csv([{ colaId, ...body }]))).errors).toEqual([])
    const { rows } = await owner('select middle_name from patient where id = $1', [patientId])
    expect(rows).toEqual([{ middle_name: 'Ann' }])
    await expectStopped(id, 'Middle Name')
  })

  it('is followed by what results mean, also on a delivered requisition, and only where the sex decides', async () => {
    const { id, patientId, clientId } = await partial()
    await owner("update patient set gender_code = 'MALE' where id = $1", [patientId])
    const { id: old } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    const { id: other } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    const add = (reqId: number, code: string, value: string, means: string) =>
      owner(
        'insert into requisition_test (requisition_id, test_id, result, result_num, reportable_result, interpretation, resulted_by) select $1, id, $3::text, $3::numeric, $3::text, $4, 1 from test where code = $2',
        [reqId, code, value, means],
      )
    await add(old, 'HDL', '45', 'Borderline')
    await add(old, 'CHOL', '150', 'By the ranges of its day')
    await add(old, 'APOB', '65', 'Normal')
    await add(old, 'APOA1', '100', 'By the ranges of its day')
    await add(old, 'APOBA1', '0.65', 'Normal')
    await add(other, 'HDL', '30', 'Unfavorable')
    // Calculated once; its rules may have changed since.
    await add(other, 'NONHDL', '99', 'By the ranges of its day')
    for (const one of [old, other]) {
      await test.given.specimen(one)
      await addReport(one)
      await setStatus(one, 'BILL')
    }
    const changed = await world.staff.put(patientPath(id, patientId), { patientGenderCode: 'FEMALE' })
    expect(changed.status).toBe(200)
    expect(await interpretations(old)).toMatchObject({
      HDL: 'Unfavorable',
      CHOL: 'By the ranges of its day',
      APOBA1: 'Borderline',
    })
    expect((await interpretations(other)).NONHDL).toBe('By the ranges of its day')
    expect([await qcOf(old), await qcOf(other)]).toEqual([['HOLD'], ['RELEASE']])
    const { rows } = await owner(
      "select t.resulted_by, v.interpretation, v.reason from requisition_test t join requisition_test_revision v on v.requisition_test_id = t.id where t.requisition_id = $1 and t.test_id = (select id from test where code = 'HDL')",
      [old],
    )
    expect(rows).toEqual([{ resulted_by: 1, interpretation: 'Borderline', reason: 'Interpreted again' }])
  })

  it('is followed also when a collaborator corrects it, or a new order does', async () => {
    const { id, patientId } = await partial()
    const { colaId } = await detailOf(id)
    const partner = await test.as('COLA', colaId)
    const reply = await partner.put(patientPath(id, patientId), { patientFirstName: 'Janet', seenPatientId: patientId })
    expect(reply.status).toBe(200)
    expect(await qcOf(id)).toEqual(['HOLD'])
    await owner("update report set lab_qc_status_code = 'RELEASE' where requisition_id = $1", [id])
    const { rows } = await owner('select version from patient where id = $1', [patientId])
    const order = await test.given.requisitionBody({
      patientId,
      isPatientEdited: 1,
      patientVersion: rows[0].version,
      patientFirstName: 'Janine',
      patientLastName: 'Doe',
      answers: samePerson,
    })
    expect((await world.staff.post('requisitions', order)).status).toBe(200)
    expect(await qcOf(id)).toEqual(['HOLD'])
  })

  it('reaches the requisitions of others by a job, which the person who corrects it does not see', async () => {
    const { id, patientId } = await partial()
    const { colaId } = await detailOf(id)
    const foreign = await partial()
    expect((await detailOf(foreign.id)).colaId).not.toBe(colaId)
    const partner = await test.as('COLA', colaId)
    // Only the laboratory changes the identity of a shared patient: the patient becomes shared at the same moment.
    await partner.put(patientPath(id, patientId), { patientFirstName: 'Janet' })
    await owner('update requisition set patient_id = $2 where id = $1', [foreign.id, patientId])
    expect([await qcOf(id), await qcOf(foreign.id)]).toEqual([['HOLD'], ['RELEASE']])
    const { rows } = await owner(
      "update job set state = 'DONE' where kind = 'patients.follow' and state = 'QUEUED' returning id, user_id, input",
      [],
    )
    const progress = async () => undefined
    for (const { id: jobId, user_id: userId, input } of rows) {
      const context = {
        id: jobId,
        userId,
        attempt: 1,
        services: test.services,
        signal: AbortSignal.timeout(180_000),
        progress,
      }
      await propagatePatientJob.run(context, input)
      expect(JSON.stringify(input)).not.toContain('sessionId')
    }
    expect(await qcOf(foreign.id)).toEqual(['HOLD'])
  })

  it('leaves a modification open that it meets', async () => {
    const { id, patientId } = await partial()
    await owner("update patient set gender_code = 'MALE' where id = $1", [patientId])
    await owner(
      "update requisition_test set result = '45', result_num = 45, reportable_result = '45', interpretation = 'Borderline', is_modifiable = true where requisition_id = $1 and test_id = (select id from test where code = 'HDL')",
      [id],
    )
    await world.staff.put(patientPath(id, patientId), { patientGenderCode: 'FEMALE' })
    const { rows } = await owner(
      "select interpretation, is_modifiable from requisition_test where requisition_id = $1 and result = '45'",
      [id],
    )
    expect(rows).toEqual([{ interpretation: 'Unfavorable', is_modifiable: true }])
  })
})

describe('the card of a requisition that is corrected', () => {
  it('holds its reports when it names another practice, and withdraws what would go to the former one', async () => {
    const { id } = await partial()
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    const reply = await world.staff.put(`requisitions/${id}`, {
      clientId,
      orderingClientPhysId,
      eventId,
      labId,
      colaId,
    })
    expect(reply.status).toBe(200)
    expect(await qcOf(id)).toEqual(['HOLD'])
    await work()
    expect(world.mail.received).toEqual([])
  })

  it('holds them also when another practice of the same name, or another order number, is meant', async () => {
    const { id } = await partial()
    const { clientName } = await detailOf(id)
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    await owner('update client set name = $2 where id = $1', [clientId, clientName])
    await world.staff.put(`requisitions/${id}`, { clientId, orderingClientPhysId, eventId, labId, colaId })
    expect(await qcOf(id)).toEqual(['HOLD'])
    const { rows } = await owner(
      "select new_data ->> 'clientName' as client from audit_entry where requisition_id = $1 and action = 'EDIT' order by id desc limit 1",
      [id],
    )
    expect(rows).toEqual([{ client: `${clientName} (${clientId})` }])
    const other = await partial()
    await world.staff.put(`requisitions/${other.id}`, { extOrderId: '0007' })
    expect(await qcOf(other.id)).toEqual(['HOLD'])
  })

  it('is refused where the new collaborator would read the results in another unit', async () => {
    const { id } = await partial()
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    const edit = () => world.staff.put(`requisitions/${id}`, { clientId, orderingClientPhysId, eventId, labId, colaId })
    await owner(
      "insert into collaborator_test_range (collaborator_id, test_id, unit) select $1, id, 'mmol/L' from test where code = 'CHOL'",
      [colaId],
    )
    const { status, body } = await edit()
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          field: 'colaId',
          message: 'This collaborator has other units for results that are there already: CHOL (mg/dL, now mmol/L)',
        },
      ],
    ])
    expect(await qcOf(id)).toEqual(['RELEASE'])
    await owner("update collaborator_test_range set unit = 'MG/dl' where collaborator_id = $1", [colaId])
    expect((await edit()).status).toBe(200)
  })

  it('is refused also where a fail code has put the result aside: it would come back in another unit', async () => {
    const { id } = await partial()
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    await owner(
      "insert into collaborator_test_range (collaborator_id, test_id, unit) select $1, id, 'mmol/L' from test where code = 'CHOL'",
      [colaId],
    )
    const chol = (await world.staff.get(`requisitions/${id}/req_tests`)).body.data.find(
      ({ testCode }: { testCode: string }) => testCode === 'CHOL',
    )
    const path = `requisitions/${id}/req_tests/${chol.id}/fail_codes`
    const { rows } = await owner("select id from reason where code = '916'", [])
    expect((await world.staff.put(path, { failIds: [rows[0].id] })).status).toBe(200)
    await setStatus(id, 'PROCESS')
    const edit = () => world.staff.put(`requisitions/${id}`, { clientId, orderingClientPhysId, eventId, labId, colaId })
    const refused = await edit()
    expect([refused.status, refused.body.errors?.[0]?.message]).toEqual([
      400,
      'This collaborator has other units for results that are there already: CHOL (mg/dL, now mmol/L)',
    ])
    // A test that failed without a result has no unit.
    await owner('delete from requisition_test_revision where requisition_test_id = $1', [chol.id])
    expect((await edit()).status).toBe(200)
  })

  it('leaves them out when what they say is the same', async () => {
    const { id } = await partial()
    await world.staff.put(`requisitions/${id}`, { extAccessionId: '0042' })
    expect(await qcOf(id)).toEqual(['RELEASE'])
  })
})

describe('a report that waits for lab QC', () => {
  it('is held like one that is out when a result that it shows is modified', async () => {
    const { id } = await released({}, 'PROCESS')
    await addReport(id, 'PENDING')
    expect((await qcOf(id)).sort()).toEqual(['PENDING', 'RELEASE'])
    const [chol] = (await world.staff.get(`requisitions/${id}/req_tests`)).body.data.filter(
      ({ testCode }: { testCode: string }) => testCode === 'CHOL',
    )
    await world.staff.put(`requisitions/${id}/req_tests/${chol.id}/modify`, {})
    expect(await qcOf(id)).toEqual(['HOLD', 'HOLD'])
  })

  it('does not show a result whose modification is open, nor what was calculated from it', async () => {
    const { id } = await released({}, 'PROCESS')
    await owner(
      "insert into requisition_test (requisition_id, test_id, result, result_num, reportable_result) select $1, id, '4', 4, '4.0' from test where code = 'CHOLHDL'",
      [id],
    )
    const whole = await addReport(id, 'PENDING')
    const all = await owner('select content from report_version where report_id = $1', [whole])
    expect(all.rows[0].content.results.map(({ code }: { code: string }) => code)).toEqual(['CHOL', 'HDL', 'CHOLHDL'])
    const tests = (await world.staff.get(`requisitions/${id}/req_tests`)).body.data
    const idOf = (code: string) => tests.find(({ testCode }: { testCode: string }) => testCode === code).id
    await world.staff.put(`requisitions/${id}/req_tests/${idOf('CHOL')}/modify`, {})
    const report = await addReport(id, 'PENDING')
    const { rows } = await owner('select content from report_version where report_id = $1', [report])
    expect(rows[0].content.results.map(({ code }: { code: string }) => code)).toEqual(['HDL'])
    expect(rows[0].content.pending).toEqual(['Cholesterol, total', expect.stringContaining('HDL')])
    await world.staff.put(`requisitions/${id}/req_tests/${idOf('HDL')}/modify`, {})
    const none = await world.staff.post(`requisitions/${id}/reports/make`, {})
    expect([none.status, none.body.message]).toEqual([409, `Requisition #${id} has no result to report`])
  })
})
