import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { readSearch } from './queries.ts'

const test = openTestApp()
const search = async (filter: object, role: 'ADM' | 'COLA' = 'ADM', entity?: number) =>
  (await test.as(role, entity)).get(`patients?perPage=-1&filter=${encodeURIComponent(JSON.stringify(filter))}`)
const namesOf = ({ body }: { body: { data: { patientFirstName: string; patientLastName: string }[] } }) =>
  body.data.map(({ patientFirstName, patientLastName }) => `${patientFirstName} ${patientLastName}`).sort()

describe('GET patients, PAT-099 PAT-100', () => {
  it('finds those who match every field given, by the beginning and without regard to accents, PAT-097', async () => {
    for (const [first_name, last_name, dob] of [
      ['Jané', 'Dove', '1960-01-02'],
      ['Janet', 'Dove', '1960-01-20'],
      ['Bob', 'Dove', '1960-01-02'],
      ['Jane', 'Stone', '1960-01-02'],
    ] as const)
      await test.given.patient({ first_name, last_name, dob })
    expect(namesOf(await search({ patientLastName: 'dov' }))).toEqual(['Bob Dove', 'Janet Dove', 'Jané Dove'])
    expect(namesOf(await search({ patientLastName: 'Dové', patientFirstName: 'JANE' }))).toEqual([
      'Janet Dove',
      'Jané Dove',
    ])
    expect(namesOf(await search({ patientDob: '1/2/1960', patientLastName: 'do' }))).toEqual(['Bob Dove', 'Jané Dove'])
    expect(namesOf(await search({ patientDob: '1960-01-02', patientLastName: 'D%' }))).toEqual([])
  })

  it('finds a name however many spaces are typed, and the address can be corrected after delivery, PAT-G8 PAT-G11', async () => {
    const { id: patient_id } = await test.given.patient({
      first_name: 'Anna Lena',
      middle_name: 'van der',
      last_name: 'De La Cruz',
    })
    const { id } = await test.given.requisition({ patient_id, status_code: 'DELIVER' })
    const names = { patientFirstName: 'Anna Lena', patientMiddleName: 'van der', patientLastName: 'De La Cruz' }
    expect(namesOf(await search({ ...names, patientFirstName: 'Anna  Lena' }))).toEqual(['Anna Lena De La Cruz'])
    const corrected = { ...names, patientCity: 'Salem' }
    const admin = await test.as('ADM')
    expect((await admin.put(`requisitions/${id}/patients/${patient_id}`, corrected)).body.data).toMatchObject(corrected)
  })

  it('finds a name and birth date in one text', async () => {
    await test.given.patient({ first_name: 'Jon', last_name: 'Quill', dob: '1960-01-02' })
    await test.given.patient({ first_name: 'Jon', last_name: 'Quill', dob: '1961-01-02' })
    const { body } = await search({ search: 'Jon Quill 1/2/60' })
    expect(body.data.map(({ patientDob }: { patientDob: string }) => patientDob)).toEqual(['1960-01-02'])
    expect(readSearch('Smith, Jon 1960-01-02')).toEqual({ words: ['Smith', 'Jon'], days: ['1960-01-02'] })
    expect(readSearch('2/30/60').days).toEqual([])
    expect(readSearch('1/2/20', '2026-01-01').days).toEqual(['1920-01-02', '2020-01-02'])
  })

  it('carries what the form is filled with, and how many requisitions there are', async () => {
    const { id } = await test.given.patient({ last_name: 'Carried', city: 'Salem', ssn_last4: '4417' })
    await test.given.requisition({ patient_id: id })
    const { body } = await search({ patientLastName: 'Carried' })
    expect(body.data[0]).toMatchObject({ id, patientCity: 'Salem', patientSsn: '•••-••-4417', reqCount: 1, version: 1 })
  })

  it('shows the twenty latest', async () => {
    for (let index = 0; index < 23; index += 1) await test.given.patient({ last_name: 'Many', first_name: `N${index}` })
    const { body } = await search({ patientLastName: 'Many' })
    expect([body.data.length, body.total, body.data[0].patientFirstName]).toEqual([20, 23, 'N22'])
  })

  it('asks for two letters of the last name or a birth date', async () => {
    const refused = 'Please give at least two letters of the last name, or the whole date of birth'
    for (const filter of [{}, { patientLastName: 'D' }, { patientFirstName: 'Jane' }, { search: 'J' }]) {
      const { status, body } = await search(filter)
      expect([status, body.message]).toEqual([400, refused])
    }
    expect((await search({ patientDob: '13/45/1960' })).status).toBe(400)
  })

  it('shows collaborators the patients of their own requisitions only', async () => {
    const { id } = await test.given.patient({ last_name: 'Scoped' })
    const client = await test.given.client()
    const { id: reqId } = await test.given.requisition({ patient_id: id, client_id: client.id })
    const [row] = await test.database.db
      .selectFrom('requisition')
      .select('collaborator_id')
      .where('id', '=', reqId)
      .execute()
    expect((await search({ patientLastName: 'Scoped' }, 'COLA', row?.collaborator_id)).body.total).toBe(1)
    expect((await search({ patientLastName: 'Scoped' }, 'COLA')).body.total).toBe(0)
    for (const role of ['SLS', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect((await (await test.as(role)).get('patients?patientLastName=Scoped')).status).toBe(403)
  })
})
