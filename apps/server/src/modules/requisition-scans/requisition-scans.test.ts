import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { multipart, storagePath } from '../../../test/multipart.ts'
import { manyPages, type SampleSheet, sampleSheet, sampleSheetCount } from '../../../test/sample-sheets.ts'
import { readScanJob } from './service.ts'

const test = openTestApp()
let staff: Caller
beforeAll(async () => {
  staff = await test.as('STF')
})

interface Field {
  name: string
  value: string
  isUnsure: boolean
  confidence: number
}

const uploaded = async (file: Buffer, fileName: string): Promise<number> => {
  const { body } = await staff.post('requisition_scans/init', { fileName })
  const { payload, headers } = multipart(body.data.fields, file)
  const stored = await test.inject({ method: 'POST', url: storagePath(body.data.fields), payload, headers })
  expect(stored.status).toBe(204)
  return body.data.scanId
}
/** Runs the queued job at once. */
const work = async (scanId: number) => {
  await readScanJob.run(
    {
      ...{ id: '', userId: staff.userId, attempt: 1, services: test.services },
      ...{ signal: new AbortController().signal, progress: async () => undefined },
    },
    { scanId },
  )
}
const read = async (file: Buffer, fileName: string) => {
  const scanId = await uploaded(file, fileName)
  const started = await staff.post(`requisition_scans/${scanId}/read`, {})
  expect([started.status, started.body.data.state]).toEqual([200, 'READING'])
  await work(scanId)
  const { body } = await staff.get(`requisition_scans/${scanId}`)
  return body.data as { id: number; state: string; message: string | null; fields: Field[] }
}
const fileNameOf = ({ kind }: SampleSheet) => `order.${kind}`

describe('a scanned requisition, DAY-13', () => {
  it.each(Array.from({ length: sampleSheetCount }, (_, index) => index))(
    'is read on sheet %i: nine of ten fields are right, and none is wrong without a mark',
    { timeout: 600_000 },
    async (index) => {
      const sheet = await sampleSheet(index)
      const { state, fields } = await read(sheet.file, fileNameOf(sheet))
      expect(state).toBe('DONE')
      const foundOf = (name: string) => fields.find((field) => field.name === name)
      const wrong = Object.entries(sheet.expected).filter(([name, value]) => foundOf(name)?.value !== value)
      expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(1)
      for (const [name] of wrong) expect([name, foundOf(name)?.isUnsure ?? true]).toEqual([name, true])
    },
  )

  it('shows each field with its piece as PNG, marks a name that we do not have, and belongs to its owner', {
    timeout: 600_000,
  }, async () => {
    const sheet = await sampleSheet(0)
    const { id, fields } = await read(sheet.file, fileNameOf(sheet))
    const client = fields.find(({ name }) => name === 'clientName')
    expect(client).toMatchObject({ label: 'Client', value: 'Harbor Family Practice', isUnsure: true, page: 1 })
    for (const { confidence } of fields) expect(confidence).toSatisfy((value: number) => value >= 0 && value <= 1)
    const piece = await test.inject({
      method: 'GET',
      url: `/api/v3.0/requisition_scans/${id}/pieces/0`,
      headers: { authorization: `Bearer ${staff.token}` },
    })
    expect([piece.status, piece.headers['content-type']]).toEqual([200, 'image/png'])
    expect(piece.body).toContain('PNG')
    expect((await staff.get(`requisition_scans/${id}/pieces/99`)).status).toBe(404)
    const other = await test.as('STF')
    for (const path of ['', '/pieces/0']) expect((await other.get(`requisition_scans/${id}${path}`)).status).toBe(404)
    expect((await other.post(`requisition_scans/${id}/read`, {})).status).toBe(404)
  })

  it('answers clearly where it is empty, torn, too long or not uploaded', { timeout: 600_000 }, async () => {
    const torn = (await manyPages(1)).subarray(0, 400)
    for (const [file, name, message] of [
      [Buffer.alloc(0), 'empty.pdf', 'The file is empty'],
      [torn, 'torn.pdf', 'The file is damaged or protected and cannot be read'],
      [Buffer.from('just text'), 'text.pdf', 'Only PDF, PNG, JPEG and TIFF files can be read'],
      [await manyPages(200), 'long.pdf', 'The file has 200 pages; at most 5 can be read'],
      [await manyPages(1), 'blank.pdf', 'No label of a requisition was found on the scan'],
    ] as const) {
      const found = await read(file, name)
      expect([name, found.state, found.message, found.fields]).toEqual([name, 'FAILED', message, []])
    }
    const { body } = await staff.post('requisition_scans/init', { fileName: 'order.pdf' })
    expect((await staff.post(`requisition_scans/${body.data.scanId}/read`, {})).status).toBe(400)
    expect((await staff.get(`requisition_scans/${body.data.scanId}`)).body.data.state).toBe('WAITING')
    expect((await staff.post('requisition_scans/init', { fileName: 'order.exe' })).status).toBe(400)
  })
})
