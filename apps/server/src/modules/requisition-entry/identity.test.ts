import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

/** A patient with requisitions in these statuses, all of which have passed demographic QC. */
const withRequisitions = async (...statuses: string[]) => {
  const patient = await test.given.patient({ first_name: 'Ingrid', last_name: 'Lefèvre', dob: '1948-01-12' })
  const ids: number[] = []
  for (const status_code of statuses)
    ids.push((await test.given.requisition({ patient_id: patient.id, status_code, is_dem_qc_pass: true })).id)
  return { patientId: patient.id, ids, path: `requisitions/${ids[0]}/patients/${patient.id}` }
}
const qcOf = async (ids: readonly number[]) => {
  const { rows } = await sql<{ passed: boolean }>`
    select is_dem_qc_pass as passed from requisition where id = any(${[...ids]}::bigint[]) order by id`.execute(
    test.database.db,
  )
  return rows.map(({ passed }) => passed)
}
const nameOf = async (patientId: number) => {
  const { rows } = await sql<{ name: string }>`
    select first_name || ' ' || last_name || ' ' || dob as name from patient where id = ${patientId}`.execute(
    test.database.db,
  )
  return rows[0]?.name
}
const codesOf = ({ body }: { body: { code?: string; current?: { questions: { code: string }[] } } }) =>
  body.code === 'question' ? body.current?.questions.map(({ code }) => code) : []

describe('a changed identity, DAY-31', () => {
  it('is asked about with both identities and the requisitions, and nothing is saved before the answer, DAY-36', async () => {
    const { ids, path, patientId } = await withRequisitions('LOG')
    const admin = await test.as('ADM')
    const sent = { patientFirstName: 'Bob', patientLastName: 'Newer', patientDob: '5/5/1985' }
    const { status, body } = await admin.put(path, { ...sent, patientCity: 'Salem' })
    expect([status, body.code]).toEqual([409, 'question'])
    expect(body.current.questions).toMatchObject([
      {
        code: 'IDENTITY_CHANGE',
        title: 'Same person?',
        before: { patientFirstName: 'Ingrid', patientLastName: 'Lefèvre', patientDob: '1948-01-12' },
        after: { ...sent, patientDob: '1985-05-05' },
        reqIds: ids,
        choices: [{ value: 'SAME_PERSON' }, { value: 'OTHER_PERSON' }],
      },
    ])
    expect(await nameOf(patientId)).toBe('Ingrid Lefèvre 1948-01-12')
    expect(await qcOf(ids)).toEqual([true])
  })

  it('is one of two fields, or of any field on a record with other requisitions; writing alone is none', async () => {
    const admin = await test.as('ADM')
    const alone = await withRequisitions('LOG')
    expect((await admin.put(alone.path, { patientFirstName: 'Ingrit' })).status).toBe(200)
    expect(codesOf(await admin.put(alone.path, { patientFirstName: 'Bob', patientDob: '1/13/1948' }))).toEqual([
      'IDENTITY_CHANGE',
    ])
    const shared = await withRequisitions('LOG', 'LOG')
    expect(codesOf(await admin.put(shared.path, { patientFirstName: 'Ingrit' }))).toEqual(['IDENTITY_CHANGE'])
    const written = { patientFirstName: 'INGRID', patientLastName: 'Le Fevre', patientGenderCode: 'MALE' }
    expect((await admin.put(shared.path, written)).status).toBe(200)
    expect(await qcOf(shared.ids)).toEqual([true, true])
  })

  it('of the same person is corrected everywhere, and demographic QC opens again where nothing is delivered', async () => {
    const { ids, path, patientId } = await withRequisitions('LOG', 'REPORT', 'RELEASE', 'DELIVER', 'BILL')
    const admin = await test.as('ADM')
    const answers = { IDENTITY_CHANGE: 'SAME_PERSON' }
    expect((await admin.put(path, { patientLastName: 'Lefort', answers })).status).toBe(200)
    expect(await nameOf(patientId)).toBe('Ingrid Lefort 1948-01-12')
    expect(await qcOf(ids)).toEqual([false, false, false, true, true])
    const { rows } = await sql<{ reason: string }>`
      select reason from audit_entry where entity = 'patient' and entity_id = ${patientId} and action = 'EDIT'`.execute(
      test.database.db,
    )
    expect(rows[0]?.reason).toContain('Same person.')
  })

  it('of another person leaves the record as it was and gives this requisition a new patient', async () => {
    const { ids, path, patientId } = await withRequisitions('LOG', 'LOG')
    const admin = await test.as('ADM')
    const answers = { IDENTITY_CHANGE: 'OTHER_PERSON' }
    const { status, body } = await admin.put(path, { patientFirstName: 'Bob', patientLastName: 'Newer', answers })
    expect([status, body.data.patientFirstName]).toEqual([200, 'Bob'])
    expect(body.data.id).not.toBe(patientId)
    expect(await nameOf(patientId)).toBe('Ingrid Lefèvre 1948-01-12')
    const shown = await Promise.all(ids.map(async (id) => (await admin.get(`requisitions/${id}`)).body.data.patientId))
    expect(shown).toEqual([body.data.id, patientId])
    expect(await qcOf(ids)).toEqual([false, true])
  })

  it('of another person who is known already asks which of them it is, and leaves their record as it is', async () => {
    const known = await test.given.patient({ first_name: 'Bob', last_name: 'Known', dob: '1985-05-05', city: 'Salem' })
    const { path, ids } = await withRequisitions('LOG')
    const admin = await test.as('ADM')
    const sent = { patientFirstName: 'Bob', patientLastName: 'Known', patientDob: '5/5/1985', patientCity: 'Bend' }
    const answers = { IDENTITY_CHANGE: 'OTHER_PERSON' }
    const asked = await admin.put(path, { ...sent, answers })
    expect(asked.body.current.questions).toMatchObject([
      { code: 'WHICH_PATIENT', choices: [{ value: String(known.id) }, { value: 'NEW' }] },
    ])
    const { body } = await admin.put(path, { ...sent, answers: { ...answers, WHICH_PATIENT: String(known.id) } })
    expect([body.data.id, body.data.patientCity]).toEqual([known.id, 'Salem'])
    expect((await admin.get(`requisitions/${ids[0]}`)).body.data.patientId).toBe(known.id)
  })

  it('takes no answer that was not offered, and ignores one that was not asked for, DAY-36', async () => {
    const { path } = await withRequisitions('LOG', 'LOG')
    const admin = await test.as('ADM')
    const wrong = { IDENTITY_CHANGE: 'SAVE', WHICH_PATIENT: '1' }
    expect((await admin.put(path, { patientLastName: 'Other', answers: wrong })).status).toBe(409)
    expect((await admin.put(path, { patientCity: 'Salem', answers: wrong })).status).toBe(200)
  })
})

describe('a small correction, DAY-15', () => {
  const correct = (path: string) => `${path}/identity`

  it('changes name, birth date and sex of a record that lacks what the edit form requires, and nothing else', async () => {
    const { path, patientId } = await withRequisitions('LOG')
    const admin = await test.as('ADM')
    const sent = {
      patientFirstName: 'Ingrit',
      patientGenderCode: 'MALE',
      patientCity: 'Salem',
      patientSsn: '987-65-4321',
    }
    const { status, body } = await admin.put(correct(path), sent)
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({
        ...{ id: patientId, patientFirstName: 'Ingrit', patientLastName: 'Lefèvre', patientGenderCode: 'MALE' },
        ...{ patientDob: '1948-01-12', patientCity: null, patientSsn: null, patientStateId: null },
      }),
    ])
    expect((await admin.put(correct(path), { patientDob: '1/31/1948' })).status).toBe(200)
    expect(await nameOf(patientId)).toBe('Ingrit Lefèvre 1948-01-31')
  })

  it('asks whether it is the same person as the edit does, and opens demographic QC again, DAY-31 DAY-36', async () => {
    const { ids, path, patientId } = await withRequisitions('LOG', 'LOG', 'RELEASE', 'DELIVER')
    const admin = await test.as('ADM')
    const sent = { patientLastName: `Le${crypto.randomUUID().replace(/[^a-f]/g, '')}` }
    expect(codesOf(await admin.put(correct(path), sent))).toEqual(['IDENTITY_CHANGE'])
    expect(await nameOf(patientId)).toBe('Ingrid Lefèvre 1948-01-12')
    const other = { ...sent, answers: { IDENTITY_CHANGE: 'OTHER_PERSON' } }
    const moved = await admin.put(`requisitions/${ids[0]}/patients/${patientId}/identity`, other)
    expect([moved.status, moved.body.data.id === patientId, await nameOf(patientId)]).toEqual([
      ...[200, false, 'Ingrid Lefèvre 1948-01-12'],
    ])
    const same = { ...sent, answers: { IDENTITY_CHANGE: 'SAME_PERSON' } }
    expect((await admin.put(`requisitions/${ids[1]}/patients/${patientId}/identity`, same)).status).toBe(200)
    expect(await qcOf(ids)).toEqual([false, false, false, true])
  })

  it('is refused for a patient of another requisition, after Processing, with a wrong value, and by those who may not edit', async () => {
    const { ids, path } = await withRequisitions('LOG')
    const other = await withRequisitions('LOG')
    const admin = await test.as('ADM')
    const sent = { patientFirstName: 'Ingrit' }
    expect((await admin.put(`requisitions/${ids[0]}/patients/${other.patientId}/identity`, sent)).status).toBe(404)
    const late = await withRequisitions('REPORT')
    expect((await admin.put(correct(late.path), sent)).status).toBe(409)
    for (const [field, value] of Object.entries({
      patientFirstName: ' ',
      patientDob: '2/30/1960',
      patientGenderCode: 'X',
    })) {
      const { status, body } = await admin.put(correct(path), { [field]: value })
      expect([status, body.errors[0].field]).toEqual([400, field])
    }
    for (const role of ['CLNT', 'PHYS', 'SLS', 'BILL'] as const)
      expect((await (await test.as(role)).put(correct(path), sent)).status).toBe(403)
  })
})
