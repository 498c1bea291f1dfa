import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

/** A patient whom two collaborators share: one has an order in work, the other one that was delivered. */
const shared = async () => {
  const patient = await test.given.patient({ first_name: 'Ingrid', last_name: 'Lefèvre', dob: '1948-01-12' })
  const [ours, theirs] = [await test.given.client(), await test.given.client()]
  const own = await test.given.requisition({ patient_id: patient.id, client_id: ours.id, status_code: 'LOG' })
  const other = await test.given.requisition({ patient_id: patient.id, client_id: theirs.id, status_code: 'DELIVER' })
  const { rows } = await sql<{ collaborator_id: number }>`
    select collaborator_id from requisition where id in (${own.id}, ${other.id}) order by id`.execute(test.database.db)
  expect(rows[0]?.collaborator_id).not.toBe(rows[1]?.collaborator_id)
  const partner = await test.as('COLA', rows[0]?.collaborator_id)
  return { patientId: patient.id, own: own.id, other: other.id, partner, colaId: rows[0]?.collaborator_id as number }
}
const lastNameOf = async (patientId: number) => {
  const { rows } = await sql<{ name: string }>`select last_name as name from patient where id = ${patientId}`.execute(
    test.database.db,
  )
  return rows[0]?.name
}
const same = { IDENTITY_CHANGE: 'SAME_PERSON' }
type Shared = Awaited<ReturnType<typeof shared>>
const ask = ({ partner, own, patientId }: Shared, more: object = {}) =>
  partner.put(`requisitions/${own}/patients/${patientId}`, { patientLastName: 'Taken', answers: same, ...more })

describe('who a patient is that others share', () => {
  it('is not changed by a partner: the laboratory gets old and new values, and accepts the change', async () => {
    const world = await shared()
    const { status, body } = await ask(world, { patientCity: 'Salem', patientGenderCode: 'MALE' })
    expect([status, body.message]).toEqual([
      200,
      'Others share this patient. The laboratory will review the change before it is made.',
    ])
    // Changes that do not affect the identity are written at once.
    expect(body.data).toMatchObject({ patientLastName: 'Lefèvre', patientCity: 'Salem' })
    const staff = await test.as('STF')
    const issues = (await staff.get(`requisitions/${world.own}/issues`)).body.data
    expect(issues[0]).toMatchObject({
      issueNote: 'Last Name: Lefèvre → Taken; Gender: Female → Male',
      issueStatusCode: 'OPEN',
    })
    const [change] = (await staff.get(`requisitions/${world.own}/patient_changes`)).body.data
    expect(change.fields).toEqual([
      { field: 'patientLastName', label: 'Last Name', before: 'Lefèvre', after: 'Taken' },
      { field: 'patientGenderCode', label: 'Gender', before: 'Female', after: 'Male' },
    ])
    const path = `requisitions/${world.own}/patient_changes/${change.id}`
    expect((await staff.put(path, { isTaken: 1 })).status).toBe(200)
    expect(await lastNameOf(world.patientId)).toBe('Taken')
    expect((await staff.get(`requisitions/${world.own}/patient_changes`)).body.data).toEqual([])
    expect((await staff.get(`requisitions/${world.own}/issues`)).body.data[0].issueStatusCode).toBe('RESOLVED')
    expect((await staff.put(path, { isTaken: 0 })).status).toBe(409)
  })

  it('stays as it is when the laboratory refuses the change, or when somebody has changed the record since', async () => {
    const staff = await test.as('STF')
    const refused = await shared()
    await ask(refused)
    const [one] = (await staff.get(`requisitions/${refused.own}/patient_changes`)).body.data
    expect((await staff.put(`requisitions/${refused.own}/patient_changes/${one.id}`, { isTaken: 0 })).status).toBe(200)
    expect(await lastNameOf(refused.patientId)).toBe('Lefèvre')
    const outdated = await shared()
    await ask(outdated)
    await staff.put(`requisitions/${outdated.own}/patients/${outdated.patientId}`, {
      patientLastName: 'Corrected',
      answers: same,
    })
    const [two] = (await staff.get(`requisitions/${outdated.own}/patient_changes`)).body.data
    expect((await staff.put(`requisitions/${outdated.own}/patient_changes/${two.id}`, { isTaken: 1 })).status).toBe(409)
    expect(await lastNameOf(outdated.patientId)).toBe('Corrected')
  })

  it('is changed at once by a partner who alone has the patient', async () => {
    const patient = await test.given.patient({ last_name: 'Alone' })
    const { id } = await test.given.requisition({ patient_id: patient.id })
    const admin = await test.as('ADM')
    const { colaId } = (await admin.get(`requisitions/${id}`)).body.data
    const partner = await test.as('COLA', colaId)
    const reply = await partner.put(`requisitions/${id}/patients/${patient.id}`, { patientLastName: 'Renamed' })
    expect([reply.status, reply.body.data.patientLastName]).toEqual([200, 'Renamed'])
  })

  it('is not changed by an order of a partner either', async () => {
    const world = await shared()
    const body = await test.given.requisitionBody({ patientId: world.patientId, isPatientEdited: 1 })
    await sql`update client set collaborator_id = ${world.colaId} where id = ${body.clientId}`.execute(test.database.db)
    const order = {
      ...body,
      collaborator: world.colaId,
      patientFirstName: 'Ingrid',
      patientLastName: 'Taken',
      patientDob: '1/12/1948',
    }
    expect((await world.partner.post('requisitions', order)).body.code).toBe('question')
    const reply = await world.partner.post('requisitions', { ...order, answers: same })
    expect(reply.status).toBe(200)
    expect(await lastNameOf(world.patientId)).toBe('Lefèvre')
    const admin = await test.as('ADM')
    expect((await admin.get(`requisitions/${reply.body.data.id}/patient_changes`)).body.data).toHaveLength(1)
  })

  it('tells a partner nothing of the others, and its social security number is the laboratory’s alone', async () => {
    const world = await shared()
    const { body } = await world.partner.put(`requisitions/${world.own}/patients/${world.patientId}`, {
      patientLastName: 'Taken',
    })
    expect(body.current.questions[0].reqIds).toEqual([world.own])
    expect(JSON.stringify(body)).not.toContain(String(world.other))
    expect((await ask(world, { patientSsn: '123-45-6789' })).status).toBe(409)
    expect((await world.partner.get(`requisitions/${world.own}/patient_changes`)).status).toBe(403)
    expect((await world.partner.put(`requisitions/${world.own}/patient_changes/1`, { isTaken: 1 })).status).toBe(403)
    const staff = await test.as('STF')
    expect((await staff.put(`requisitions/${world.own}/patient_changes/999999`, { isTaken: 1 })).status).toBe(404)
    expect((await staff.get('requisitions/999999/patient_changes')).status).toBe(404)
  })
})
