import { beforeAll, describe, expect, it } from 'vitest'
import { processFile } from '../../src/modules/batch-files/process-file.ts'
import { limits } from '../../src/platform/limited/limited-process.ts'
import { loadKit } from '../csv-loads.ts'
import { openDeliveries } from '../deliveries.ts'
import { costOf, pdfBombs, pngBomb } from '../file-bombs.ts'
import { onQuietMachine } from '../quiet-machine.ts'
import { sendToStore } from '../uploads.ts'

const world = openDeliveries()
const { test } = world
const { preview } = loadKit(test)
const uploadedCsv = async (bytes: Buffer) => {
  const { body } = await world.staff.post('bulk_csv_uploader/init', { fileName: 'a.csv' })
  expect(await sendToStore(test, body.data.fields, bytes)).toBe(204)
  return body.data.newFileName as string
}

const megabyte = 2 ** 20
/** Unpacks to two gigabytes, and is as many megabytes itself. */
const size = 2000
let bombs: Record<keyof typeof pdfBombs, Buffer>

beforeAll(() => {
  bombs = {
    'a page': pdfBombs['a page'](size),
    'an object stream': pdfBombs['an object stream'](size),
    'a picture': pdfBombs['a picture'](size),
  }
})

/** No other call waits for it, and neither this process nor a child takes the memory it unpacks to. */
const cheaply = async (work: () => Promise<unknown>) => {
  const cost = await costOf(work)
  expect(cost.blockedMs).toBeLessThan(onQuietMachine(1000))
  expect(cost.grownBytes).toBeLessThan(400 * megabyte)
  expect(cost.besideBytes).toBeLessThan(limits.residentBytes + 300 * megabyte)
}

const slow = { timeout: 600_000 }
const refusal = 'The file takes too much time or memory to read, or has too many pages'
const tooMuch = 'This PDF takes too much time or memory to be opened'

const uploaded = async (id: number, docTypeCode: string, bytes: Buffer) => {
  const { body } = await world.staff.post(`requisitions/${id}/upload`, { fileName: 'a.pdf', docTypeCode })
  expect(await sendToStore(test, body.data.fields, bytes)).toBe(204)
  return body.data.newFileName as string
}
/** Replaces a report that was stored before files were opened at upload. */
const putInPlace = async (report: number, bytes: Buffer) => {
  const { rows } = await test.database.owner.query(
    `update stored_file f set sha256 = sha256($2::bytea), byte_size = length($2::bytea) from report_version v
     where f.id = report_file(v.report_id, v.version_no, v.file_id) and v.report_id = $1 returning f.object_key`,
    [report, bytes],
  )
  for (const { object_key } of rows) await test.services.store.put(object_key, bytes, 'application/pdf')
}

describe('a small file that unpacks to gigabytes', () => {
  it('is refused as a report, whatever it hides in', slow, async () => {
    const { id } = await world.released()
    for (const bytes of [bombs['a page'], bombs['an object stream']]) {
      expect(bytes.length).toBeLessThan(5 * megabyte)
      const body = { reportFileName: await uploaded(id, 'REPORT', bytes), reportOriginalFileName: 'a.pdf' }
      await cheaply(async () => {
        const { status, body: answer } = await world.staff.post(`requisitions/${id}/reports`, body)
        expect([status, answer.message]).toEqual([400, refusal])
      })
    }
  })

  it('is refused as a correction', slow, async () => {
    const { id, report } = await world.released()
    const names = {
      reportFileName: await uploaded(id, 'REPORT', bombs['an object stream']),
      reportOriginalFileName: 'a.pdf',
    }
    await cheaply(async () => {
      const path = `requisitions/${id}/reports/${report}/corrections`
      const { status, body } = await world.staff.post(path, { correctionReason: 'x', ...names })
      expect([status, body.message]).toEqual([400, refusal])
    })
  })

  it('is a bad file of a batch', slow, async () => {
    const { id } = await world.released()
    const files: [string, string, Buffer][] = [
      ['REPORT', `${id}.pdf`, bombs['a page']],
      ['REPORT', `${id}-2.pdf`, bombs['an object stream']],
      ['SCANREQ', `${id}-3.pdf`, bombs['a picture']],
      ['SCANREQ', `${id}-4.png`, pngBomb(60_000)],
    ]
    for (const [batchTypeCode, name, bytes] of files) {
      expect(bytes.length).toBeLessThan(5 * megabyte)
      const init = await world.staff.post('bulk_report_uploader/init', { fileNames: [name], batchTypeCode })
      const [slot] = init.body.data.files
      expect(await sendToStore(test, slot.fields, bytes)).toBe(204)
      await world.staff.post(`bulk_report_uploader/${init.body.data.id}/finish/${slot.id}`, { batchTypeCode })
      await cheaply(() => processFile(test.services, slot.id))
      const { data } = (await world.staff.get(`bulk_report_uploader/${init.body.data.id}/files`)).body
      expect([name, data[0].reportLoadStatusCode]).toEqual([name, 'BADFILE'])
    }
  })

  it('is never opened as a document', slow, async () => {
    const { id } = await world.released()
    const fileName = await uploaded(id, 'SCANREQ', bombs['an object stream'])
    await cheaply(async () => {
      const added = await world.staff.post(`requisitions/${id}/scanreqs`, { fileName, originalFileName: 'a.pdf' })
      expect(added.status).toBe(200)
      const view = await world.staff.get(`requisitions/${id}/docs/${added.body.data.id}/view`)
      const { pathname, search } = new URL(view.body.data.url)
      const file = await test.app.inject({ method: 'GET', url: pathname + search })
      expect(file.rawPayload.equals(bombs['an object stream'])).toBe(true)
    })
  })

  it('fails its own delivery by encrypted mail, and no other', slow, async () => {
    const bad = await world.released({ transmit_method_code: 'EMAIL', encrypt_pdf: true })
    const good = await world.released({ transmit_method_code: 'EMAIL', encrypt_pdf: true })
    await putInPlace(bad.report, bombs['an object stream'])
    for (const { id } of [bad, good]) await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await cheaply(() => world.work())
    expect(await world.ledgerOf(bad.id)).toMatchObject([{ deliveryState: 'FAILED', answer: tooMuch }])
    expect(await world.ledgerOf(good.id)).toMatchObject([{ deliveryState: 'SENT' }])
  })

  it('is not stamped as superseded, alone or among others', slow, async () => {
    const { id, report } = await world.released()
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'x' })
    const { rows } = await test.database.owner.query('select file_id from report_version where report_id = $1', [
      report,
    ])
    expect(rows).toHaveLength(2)
    await putInPlace(report, bombs['an object stream'])
    const other = await world.addUploaded(id)
    await world.staff.put(`requisitions/${id}/reports/${other}`, { labQcStatusCode: 'RELEASE' })
    await cheaply(async () => {
      const view = await world.staff.get(`reports/${report}/view?versionNo=1`)
      expect([view.status, view.body.message]).toEqual([400, tooMuch])
      const reportIds = [report, other]
      const both = await world.staff.post(`requisitions/${id}/download`, {
        callSource: 'VIEW',
        reportIds,
        versionNo: 1,
      })
      expect([both.status, both.body.message]).toEqual([400, tooMuch])
    })
  })

  it('goes into a download of many as it is', slow, async () => {
    const [one, two] = [await world.released(), await world.released()]
    await putInPlace(one.report, bombs['an object stream'])
    await cheaply(async () => {
      const body = { reqIds: [one.id, two.id], callSource: 'RELEASE' }
      expect((await world.staff.post('requisitions/bulk_download', body)).status).toBe(200)
    })
  })

  it('is no CSV file, and neither is a spreadsheet; a cell without an end is refused', slow, async () => {
    const { body } = await world.staff.post('bulk_csv_uploader/init', { fileName: 'a.xlsx' })
    expect(body.message).toBe('This is an Excel file; save it as CSV')
    const endless = Buffer.concat([Buffer.from('clientName,"'), Buffer.alloc(45 * megabyte, 'x')])
    await cheaply(async () => {
      for (const content of [endless, Buffer.alloc(45 * megabyte, '",')])
        expect(await preview('CLIENT', content)).toMatchObject({
          goodCount: 0,
          errorTotal: expect.toSatisfy((n) => n > 0),
        })
    })
    const refusal = async (content: Buffer) => {
      const load = { loadFileTypeCode: 'CLIENT', fileName: await uploadedCsv(content), originalFileName: 'a.csv' }
      const replies = [
        await world.staff.post('bulk_csv_uploader/preview', load),
        await world.staff.post('bulk_csv_uploader/process', load),
      ]
      return replies.map(({ status, body: reply }) => `${status} ${reply.message}`)
    }
    const zip = '400 This is a ZIP file; unpack it and choose the CSV file in it'
    expect(await refusal(Buffer.from('504b030414000000', 'hex'))).toEqual([zip, zip])
    await cheaply(async () => {
      const pdf = '400 This is a PDF; a CSV file is needed'
      expect(await refusal(bombs['an object stream'])).toEqual([pdf, pdf])
    })
  })
})
