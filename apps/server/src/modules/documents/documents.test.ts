import { documentTypes, documentTypesFor } from '@lis/contract/documents.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { sendToStore, tinyPdf, tinyPng } from '../../../test/uploads.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const uploaded = async (id: number, docTypeCode: string, content = tinyPdf, who = staff) => {
  const { status, body } = await who.post(`requisitions/${id}/upload`, { fileName: 'scan.pdf', docTypeCode })
  expect(status).toBe(200)
  expect(await sendToStore(test, body.data.fields, content)).toBe(204)
  return body.data.newFileName as string
}
const registered = async (id: number, docTypeCode: keyof typeof documentTypes, who = staff) => {
  const fileName = await uploaded(id, docTypeCode, tinyPdf, who)
  return who.post(`requisitions/${id}/${documentTypes[docTypeCode].path}`, { originalFileName: 'scan.pdf', fileName })
}

describe('documents of a requisition', () => {
  it('asks for a slot, sends the file and registers it: DOC-26..DOC-32 DOC-39', async () => {
    const { id } = await test.given.requisition()
    const slot = await staff.post(`requisitions/${id}/upload`, { fileName: 'Scan 1.PDF', docTypeCode: 'SCANREQ' })
    expect(slot.body.data).toEqual({
      url: expect.stringContaining('/storage'),
      fields: expect.objectContaining({
        key: expect.any(String),
        'x-amz-algorithm': expect.any(String),
        'x-amz-credential': expect.any(String),
        'x-amz-date': expect.any(String),
        'x-amz-security-token': expect.any(String),
        policy: expect.any(String),
        'x-amz-signature': expect.any(String),
      }),
      newFileName: expect.stringMatching(/^[0-9a-f-]{36}\.pdf$/),
    })
    expect(await sendToStore(test, slot.body.data.fields, tinyPdf)).toBe(204)
    const fileName = slot.body.data.newFileName
    const { status, body } = await staff.post(`requisitions/${id}/scanreqs`, {
      originalFileName: 'Scan 1.PDF',
      fileName,
    })
    expect([status, body.message]).toEqual([200, 'Successfully uploaded'])
  })

  it.each([
    ['DOC-15 DOC-33', 'SCANREQ', 'scanreqs', 'Scanned Requisition'],
    ['DOC-16 DOC-34', 'INSCARD', 'inscards', 'Insurance card'],
    ['DOC-17 DOC-35', 'ADDON', 'addons', 'Add-On Document'],
    ['DOC-18 DOC-36', 'SCANEOB', 'scaneobs', 'Scanned EOB'],
    ['DOC-19 DOC-37', 'SCANINV', 'scaninvoices', 'Scanned Invoice'],
    ['DOC-20 DOC-38', 'CHECK', 'checks', 'Received Check'],
  ] as const)('%s a document of the type %s is registered by POST %s', async (_, type, path, label) => {
    expect(documentTypes[type].label).toBe(label)
    const { id } = await test.given.requisition()
    const fileName = await uploaded(id, type)
    const { status } = await staff.post(`requisitions/${id}/${path}`, { originalFileName: 'scan.pdf', fileName })
    expect(status).toBe(200)
    const { data } = (await staff.get(`requisitions/${id}/docs`)).body
    expect(data).toEqual([
      {
        id: expect.any(Number),
        reqId: id,
        docTypeCode: type,
        docCreateDate: expect.any(String),
        docOriginalFileName: 'scan.pdf',
        docCreateByName: expect.stringMatching(/^Test User/),
      },
    ])
  })

  it('LOOK-105..LOOK-111 the types of a document are those of lovs/DOCTYPE, and no other is taken', async () => {
    const { id } = await test.given.requisition()
    const { data } = (await staff.get('lovs/DOCTYPE?perPage=-1')).body
    const codes: string[] = data.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(['SCANREQ', 'INSCARD', 'ADDON', 'SCANEOB', 'SCANINV', 'CHECK', 'REPORT'])
    for (const docTypeCode of codes) {
      const slot = await staff.post(`requisitions/${id}/upload`, { fileName: 'scan.pdf', docTypeCode })
      expect([docTypeCode, slot.status]).toEqual([docTypeCode, 200])
    }
    expect((await staff.post(`requisitions/${id}/upload`, { fileName: 'a.pdf', docTypeCode: 'OTHER' })).status).toBe(
      400,
    )
  })

  it('a file sent for one type, or by another session, is not registered for the other (DOC-G4)', async () => {
    const { id } = await test.given.requisition()
    const fileName = await uploaded(id, 'INSCARD')
    const body = { originalFileName: 'scan.pdf', fileName }
    expect((await staff.post(`requisitions/${id}/checks`, body)).status).toBe(400)
    expect((await (await test.as('STF')).post(`requisitions/${id}/inscards`, body)).status).toBe(400)
    expect((await staff.post(`requisitions/${id}/inscards`, body)).status).toBe(200)
    expect((await staff.post(`requisitions/${id}/inscards`, body)).status).toBe(400)
  })

  it('checks the bytes, not the name, and names the refused kinds (DOC-G6)', async () => {
    const { id } = await test.given.requisition()
    const fileName = await uploaded(id, 'ADDON', tinyPng)
    const wrong = await staff.post(`requisitions/${id}/addons`, { originalFileName: 'scan.pdf', fileName })
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'fileName'])
    const zip = await staff.post(`requisitions/${id}/upload`, { fileName: 'x.zip', docTypeCode: 'ADDON' })
    expect(zip.body.message).toBe('Only PDF, PNG, JPEG and TIFF files are accepted')
    const nameless = await staff.post(`requisitions/${id}/upload`, { docTypeCode: 'ADDON' })
    expect(nameless.body.message).toBe('Please Upload File')
    expect((await staff.post(`requisitions/${id}/upload`, { fileName: 'a.pdf', docTypeCode: 'X' })).status).toBe(400)
  })

  it('lists, views, downloads and deletes: DOC-11..DOC-14 DOC-22..DOC-25', async () => {
    const { id } = await test.given.requisition()
    const { body } = await registered(id, 'SCANREQ')
    const docId = body.data.id as number
    for (const [path, disposition] of [
      [`requisitions/${id}/docs/${docId}/view`, 'inline'],
      [`requisitions/${id}/download_docs/${docId}`, 'attachment'],
    ] as const) {
      const link = await staff.get(path)
      const { pathname, search } = new URL(link.body.data.url)
      const file = await test.app.inject({ method: 'GET', url: `${pathname}${search}` })
      expect([file.statusCode, file.body]).toEqual([200, tinyPdf])
      expect(file.headers['content-disposition']).toContain(disposition)
    }
    await test.services.accessLog.flush()
    const looks = await test.database.db
      .selectFrom('access_log')
      .select('route')
      .where(sql<boolean>`requisition_ids = ${[id]}::bigint[]`)
      .orderBy('id')
      .execute()
    const routes = looks.map(({ route }) => route)
    expect(routes).toContain('requisitions/{id}/docs/{docId}/view')
    expect(routes).toContain('requisitions/{id}/download_docs/{docId}')
    const removed = await staff.del(`requisitions/${id}/docs/${docId}`)
    expect([removed.status, removed.body.message]).toEqual([200, 'Successfully deleted'])
    expect((await staff.get(`requisitions/${id}/docs`)).body.total).toBe(0)
    expect((await staff.get(`requisitions/${id}/download_docs/${docId}`)).status).toBe(404)
    const trail = await test.database.db
      .selectFrom('audit_entry')
      .select('action')
      .where('requisition_id', '=', id)
      .execute()
    expect(trail).toEqual([{ action: 'DOC' }, { action: 'DOC' }])
  })
})

describe('who sees which documents', () => {
  it('sales see the scanned requisition alone: DOC-05..DOC-09', async () => {
    expect(documentTypesFor('SLS')).toEqual(['SCANREQ'])
    const seller = await test.given.salesPerson()
    const client = await test.given.client()
    await test.given.clientSales(client.id, seller.id)
    const { id } = await test.given.requisition({ client_id: client.id })
    await registered(id, 'SCANREQ')
    const { body } = await registered(id, 'CHECK')
    const sales = await test.as('SLS', seller.id)
    const { data } = (await sales.get(`requisitions/${id}/docs`)).body
    expect(data.map((doc: { docTypeCode: string }) => doc.docTypeCode)).toEqual(['SCANREQ'])
    expect((await sales.get(`requisitions/${id}/download_docs/${body.data.id}`)).status).toBe(404)
    expect((await sales.get(`requisitions/${id}/download_docs/${data[0].id}`)).status).toBe(200)
  })

  it('collaborators upload and read names, and download nothing; a report is a type for super admins: DOC-04 DOC-10 DOC-21 PERM-107', async () => {
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    const { id } = await test.given.requisition({ client_id: client.id })
    const cola = await test.as('COLA', collaborator.id)
    const { status, body } = await registered(id, 'INSCARD', cola)
    expect(status).toBe(200)
    expect((await cola.get(`requisitions/${id}/docs`)).body.total).toBe(1)
    expect((await cola.get(`requisitions/${id}/download_docs/${body.data.id}`)).status).toBe(403)
    expect((await cola.get(`requisitions/${id}/docs/${body.data.id}/view`)).status).toBe(403)
    expect((await cola.del(`requisitions/${id}/docs/${body.data.id}`)).status).toBe(403)
    const report = { fileName: 'report.pdf', docTypeCode: 'REPORT' }
    expect((await cola.post(`requisitions/${id}/upload`, report)).status).toBe(403)
    expect((await staff.post(`requisitions/${id}/upload`, report)).status).toBe(200)
  })

  it('clients, physicians and guests have no part in it; nobody reaches a foreign requisition: DOC-04 DOC-10', async () => {
    const { id } = await test.given.requisition()
    const { body } = await registered(id, 'SCANREQ')
    for (const role of ['CLNT', 'PHYS', 'GST'] as const) {
      const reader = await test.as(role)
      expect([role, (await reader.get(`requisitions/${id}/docs`)).status]).toEqual([role, 403])
      expect((await reader.get(`requisitions/${id}/download_docs/${body.data.id}`)).status).toBe(403)
      const slot = { fileName: 'a.pdf', docTypeCode: 'ADDON' }
      expect((await reader.post(`requisitions/${id}/upload`, slot)).status).toBe(403)
    }
    for (const role of ['COLA', 'SLS', 'BILL'] as const) {
      const reader = await test.as(role)
      expect([role, (await reader.get(`requisitions/${id}/docs`)).status]).toEqual([role, 404])
    }
    const other = await test.given.requisition()
    expect((await staff.get(`requisitions/${other.id}/download_docs/${body.data.id}`)).status).toBe(404)
  })

  it("a patient's documents come from all requisitions in scope, by type: PAT-115 PAT-118", async () => {
    const patient = await test.given.patient()
    const first = await test.given.requisition({ patient_id: patient.id })
    const second = await test.given.requisition({ patient_id: patient.id })
    await registered(first.id, 'SCANREQ')
    await registered(second.id, 'SCANREQ')
    await registered(second.id, 'CHECK')
    const scans = await staff.get(`patients/${patient.id}/docs?filter=${JSON.stringify({ docTypeCode: 'SCANREQ' })}`)
    expect(scans.body.data.map((doc: { reqId: number }) => doc.reqId)).toEqual([second.id, first.id])
    const foreign = await test.as('SLS')
    expect((await foreign.get(`patients/${patient.id}/docs`)).status).toBe(404)
    expect((await (await test.as('COLA')).get(`patients/${patient.id}/docs`)).status).toBe(403)
  })
})
