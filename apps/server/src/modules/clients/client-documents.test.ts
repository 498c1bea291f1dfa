import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { tinyPdf as pdf, tinyPng as png, sendToStore } from '../../../test/uploads.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const send = (fields: Record<string, string>, content: string) => sendToStore(test, fields, content)
const uploaded = async (client: number, fileName: string, content: string, who = staff) => {
  const { status, body } = await who.post(`clients/${client}/docs/init`, { fileName })
  expect(status).toBe(200)
  expect(await send(body.data.fields, content)).toBe(204)
  return body.data.newFileName as string
}
const register = (client: number, originalFileName: string, fileName: string, who = staff) =>
  who.post(`clients/${client}/docs`, { originalFileName, fileName })

describe('documents of a client', () => {
  it('CLI-102 CLI-103 CLI-104 CLI-139..CLI-142 CLI-144 a file is uploaded, listed and downloaded', async () => {
    const { id } = await test.given.client()
    const slot = await staff.post(`clients/${id}/docs/init`, { fileName: 'Contract 2026.PDF' })
    expect(slot.body.data).toEqual({
      url: expect.stringContaining('/storage'),
      fields: expect.objectContaining({ key: expect.any(String) }),
      newFileName: expect.stringMatching(/^[0-9a-f-]{36}\.pdf$/),
    })
    expect(await send(slot.body.data.fields, pdf)).toBe(204)
    const { status, body } = await register(id, 'Contract 2026.PDF', slot.body.data.newFileName)
    expect([status, body.message]).toEqual([200, 'Successfully uploaded'])
    const { data } = (await staff.get(`clients/${id}/docs`)).body
    expect(data).toEqual([
      {
        id: body.data.id,
        docOriginalFileName: 'Contract 2026.PDF',
        docCreateDate: expect.any(String),
        docCreateByName: expect.stringMatching(/^Test User/),
      },
    ])
    const link = await staff.get(`clients/${id}/docs/${body.data.id}/download`)
    expect(link.body).toMatchObject({ retval: 'SUCCESS', data: { url: expect.any(String) } })
    const { pathname, search } = new URL(link.body.data.url)
    const file = await test.app.inject({ method: 'GET', url: `${pathname}${search}` })
    expect([file.statusCode, file.body, file.headers['content-type']]).toEqual([200, pdf, 'application/pdf'])
    expect(file.headers['content-disposition']).toContain('Contract 2026.PDF')
    expect((await staff.del(`clients/${id}/docs/${body.data.id}`)).status).toBe(200)
    expect((await staff.get(`clients/${id}/docs/${body.data.id}/download`)).status).toBe(404)
    expect((await staff.get(`clients/${id}/docs`)).body.total).toBe(0)
    const history = (await staff.get(`clients/${id}/histories`)).body.data
    expect(history.map((row: { auditActionDesc: string }) => row.auditActionDesc)).toEqual([
      'Document removed',
      'Document added',
    ])
  })

  it.each([
    ['scan.pdf', png, 'The file is not a PDF'],
    ['scan.png', pdf, 'The file is not a PNG'],
    ['scan.tiff', 'plain text', 'The file is not a TIFF'],
    ['scan.jpg', '<script>', 'The file is not a JPEG'],
  ])('refuses %s when it is not what its name says', async (name, content, message) => {
    const { id } = await test.given.client()
    const fileName = await uploaded(id, name, content)
    const { status, body } = await register(id, name, fileName)
    expect([status, body.errors]).toEqual([400, [{ field: 'fileName', message }]])
    expect((await staff.get(`clients/${id}/docs`)).body.total).toBe(0)
  })

  it('CLI-143 asks for a file, and takes no other kind', async () => {
    const { id } = await test.given.client()
    for (const fileName of ['', undefined, '  '])
      expect((await staff.post(`clients/${id}/docs/init`, { fileName })).body.message).toBe('Please Upload File')
    for (const fileName of ['run.exe', 'page.html', 'noextension', '.pdf'])
      expect((await staff.post(`clients/${id}/docs/init`, { fileName })).body.message).toBe(
        'Only PDF, PNG, JPEG and TIFF files are accepted',
      )
  })

  it('accepts an upload only once, from its session and for its client', async () => {
    const [mine, other] = [await test.given.client(), await test.given.client()]
    const fileName = await uploaded(mine.id, 'a.pdf', pdf)
    expect((await register(other.id, 'a.pdf', fileName)).status).toBe(400)
    expect((await register(mine.id, 'a.pdf', fileName, await test.as('ADM'))).status).toBe(400)
    expect((await register(mine.id, 'a.pdf', '../../etc/passwd')).status).toBe(400)
    expect((await register(mine.id, 'a.pdf', fileName)).status).toBe(200)
    expect((await register(mine.id, 'a.pdf', fileName)).status).toBe(400)
    const never = (await staff.post(`clients/${mine.id}/docs/init`, { fileName: 'b.pdf' })).body.data.newFileName
    expect((await register(mine.id, 'b.pdf', never)).body.message).toBe('The file has not been uploaded')
  })

  it('are read by the own practice and by no other', async () => {
    const [mine, other] = [await test.given.client(), await test.given.client()]
    const { body } = await register(mine.id, 'a.pdf', await uploaded(mine.id, 'a.pdf', pdf))
    const own = await test.as('CLNT', mine.id)
    const stranger = await test.as('CLNT', other.id)
    expect((await own.get(`clients/${mine.id}/docs/${body.data.id}/download`)).status).toBe(200)
    expect((await own.get(`clients/${mine.id}/docs`)).body.total).toBe(1)
    expect((await stranger.get(`clients/${mine.id}/docs/${body.data.id}/download`)).status).toBe(404)
    expect((await stranger.get(`clients/${other.id}/docs/${body.data.id}/download`)).status).toBe(404)
    expect((await (await test.as('COLA')).get(`clients/${mine.id}/docs/${body.data.id}/download`)).status).toBe(403)
    expect((await staff.del(`clients/${other.id}/docs/bulk_delete?id=${body.data.id}`)).status).toBe(404)
  })
})
