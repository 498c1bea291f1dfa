import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

describe('lab notes', () => {
  it('are added, listed and remembered: DETAIL-165..DETAIL-169 DETAIL-171..DETAIL-173', async () => {
    const staff = await test.as('STF')
    const { id } = await test.given.requisition()
    const type = await test.database.db
      .selectFrom('lab_note_type')
      .select(['id', 'description'])
      .executeTakeFirstOrThrow()
    const body = { labNoteTypeId: type.id, note: 'Hemolysed <b>slightly</b>' }
    const made = await staff.post(`requisitions/${id}/lab_notes`, body)
    expect([made.status, made.body.message]).toEqual([200, 'Successfully created'])
    const shown = { labNoteTypeDesc: type.description, note: body.note }
    expect((await staff.get(`requisitions/${id}/lab_notes`)).body.data).toEqual([
      {
        id: made.body.data.id,
        labNoteTypeId: type.id,
        ...shown,
        labNoteCreateDate: expect.any(String),
        createByName: expect.stringMatching(/^Test User/),
      },
    ])
    expect((await staff.get(`requisitions/${id}/lab_notes/histories`)).body.data).toEqual([
      {
        id: expect.any(Number),
        actionDate: expect.any(String),
        action: 'Created',
        actionBy: expect.stringMatching(/^Test User/),
        ...shown,
      },
    ])
  })

  it('need a type that exists: DETAIL-170', async () => {
    const staff = await test.as('STF')
    const { id } = await test.given.requisition()
    const none = await staff.post(`requisitions/${id}/lab_notes`, { note: 'x' })
    expect(none.body.errors).toEqual([{ field: 'labNoteTypeId', message: 'Type of Note is required' }])
    const wrong = await staff.post(`requisitions/${id}/lab_notes`, { labNoteTypeId: 99999 })
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'labNoteTypeId'])
  })

  it('are written by super admins, read by sales of the client, and closed to the rest', async () => {
    const seller = await test.given.salesPerson()
    const client = await test.given.client()
    await test.given.clientSales(client.id, seller.id)
    const { id } = await test.given.requisition({ client_id: client.id })
    const sales = await test.as('SLS', seller.id)
    expect((await sales.get(`requisitions/${id}/lab_notes`)).status).toBe(200)
    expect((await sales.post(`requisitions/${id}/lab_notes`, { labNoteTypeId: 1 })).status).toBe(403)
    expect((await (await test.as('SLS')).get(`requisitions/${id}/lab_notes`)).status).toBe(404)
    for (const role of ['COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect([role, (await (await test.as(role)).get(`requisitions/${id}/lab_notes`)).status]).toEqual([role, 403])
  })
})
