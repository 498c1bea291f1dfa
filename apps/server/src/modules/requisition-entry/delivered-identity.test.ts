import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const answers = { IDENTITY_CHANGE: 'SAME_PERSON' }

const world = async (status = 'DELIVER') => {
  const patient = await test.given.patient({
    first_name: 'Ingrid',
    middle_name: 'A',
    last_name: 'Maiden',
    dob: '1948-01-12',
  })
  const delivered = await test.given.requisition({ patient_id: patient.id, status_code: status })
  const open = await test.given.requisition({ patient_id: patient.id, status_code: 'LOG' })
  const admin = await test.as('ADM')
  const marry = (patientLastName: string) =>
    admin.put(`requisitions/${open.id}/patients/${patient.id}`, { patientLastName, patientMiddleName: null, answers })
  const shown = async (id: number) => {
    const { patientLastName, patientMiddleName } = (await admin.get(`requisitions/${id}`)).body.data
    return [patientLastName, patientMiddleName]
  }
  return { patientId: patient.id, delivered: delivered.id, open: open.id, admin, marry, shown }
}

describe('what a released or delivered order says of its patient', () => {
  it('stays as it was delivered, in the record and the list, when the patient is corrected later', async () => {
    const { delivered, open, marry, shown } = await world()
    expect((await marry('Married')).status).toBe(200)
    expect(await shown(delivered)).toEqual(['Maiden', 'A'])
    expect(await shown(open)).toEqual(['Married', null])
    await marry('Again')
    expect([await shown(delivered), await shown(open)]).toEqual([
      ['Maiden', 'A'],
      ['Again', null],
    ])
    const { rows } = await sql<{ patient_key: string; search_text: string }>`
      select l.patient_key, s.search_text from requisition_list l join requisition_search s on s.requisition_id = l.requisition_id
      where l.requisition_id in (${delivered}, ${open}) order by l.requisition_id`.execute(test.database.db)
    expect(rows).toMatchObject([
      { patient_key: 'maiden, ingrid', search_text: expect.stringMatching(/^maiden, ingrid/) },
      { patient_key: 'again, ingrid', search_text: expect.stringMatching(/^again, ingrid/) },
    ])
  })

  it('stays as it was released, before anything is delivered, and demographic QC opens again', async () => {
    const { patientId, delivered: released, open, marry, shown, admin } = await world('RELEASE')
    await sql`update requisition set is_dem_qc_pass = true where id = ${released}`.execute(test.database.db)
    await marry('Married')
    expect([await shown(released), await shown(open)]).toEqual([
      ['Maiden', 'A'],
      ['Married', null],
    ])
    expect((await admin.get(`requisitions/${released}`)).body.data.isDemQcPass).toBe(0)
    // What the record says now is there for those who look at the order.
    expect((await admin.get(`requisitions/${released}/patient`)).body.data).toMatchObject({
      patient: { patientLastName: 'Married', patientMiddleName: null },
      kept: { patientFirstName: 'Ingrid', patientLastName: 'Maiden', patientMiddleName: 'A', patientDob: '1948-01-12' },
    })
    expect((await admin.get(`requisitions/${open}/patient`)).body.data.kept).toBeNull()
    // Corrected back, the two agree.
    await admin.put(`requisitions/${open}/patients/${patientId}`, {
      patientLastName: 'Maiden',
      patientMiddleName: 'A',
      answers,
    })
    expect((await admin.get(`requisitions/${released}/patient`)).body.data.kept).toBeNull()
    const reported = await world('REPORT')
    await reported.marry('Married')
    expect(await reported.shown(reported.delivered)).toEqual(['Married', null])
  })

  it('follows the record again when the order is in work again, or is given to somebody else', async () => {
    const { delivered, marry, shown, admin } = await world()
    await marry('Married')
    await admin.put(`requisitions/${delivered}`, { reqStatusCode: 'PROCESS' })
    expect(await shown(delivered)).toEqual(['Married', null])
    const { rows } = await sql<{ patient_key: string }>`
      select patient_key from requisition_list where requisition_id = ${delivered}`.execute(test.database.db)
    expect(rows[0]?.patient_key).toBe('married, ingrid')
  })

  it('is not seen by a partner through the record of another', async () => {
    const { delivered, open, marry } = await world()
    await marry('Married')
    const { rows } = await sql<{
      id: number
    }>`select collaborator_id as id from requisition where id = ${open}`.execute(test.database.db)
    const partner = await test.as('COLA', rows[0]?.id)
    expect((await partner.get(`requisitions/${delivered}`)).status).toBe(404)
    expect((await partner.get(`requisitions/${open}`)).body.data.patientLastName).toBe('Married')
  })
})
