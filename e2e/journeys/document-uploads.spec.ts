import type { Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, newRequisition } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const content = '%PDF-1.4\n%%EOF\n'
const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(content) })
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

/** Files that are let go over the zone, as from a folder. */
const drop = async (page: Page, names: readonly string[]) => {
  const data = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer()
      for (const name of ${JSON.stringify(names)})
        data.items.add(new File([${JSON.stringify(content)}], name, { type: 'application/pdf' }))
      return data
    })()`,
  )
  const zone = page.getByText(/^Drop (a file|files) here$/).locator('..')
  for (const event of ['dragenter', 'dragover', 'drop']) await zone.dispatchEvent(event, { dataTransfer: data })
}

test('DOC-40..DOC-47 the form that goes to the storage has the signed fields, and the file last', async ({ page }) => {
  const session = await sessionOf(page.request, 'staff')
  const id = await newRequisition(callsOf(page.request, session))
  // Browsers do not tell the body of a form with a file: it is noted as it is handed over.
  await page.addInitScript(`{
    const send = XMLHttpRequest.prototype.send
    XMLHttpRequest.prototype.send = function (body) {
      if (body instanceof FormData)
        window.sentForm = [...body].map(([name, value]) => [name, value instanceof File ? 'the file ' + value.name : value])
      return send.call(this, body)
    }
  }`)
  await openAs(page, session, `/requisitions/${id}/show`)
  await section(page, 'Insurance card').getByRole('button', { name: 'Upload Insurance card' }).click()
  await dialog(page).getByLabel('File', { exact: true }).setInputFiles(pdf('card.pdf'))
  const answered = page.waitForResponse((reply) => reply.url().endsWith(`/requisitions/${id}/upload`))
  const sent = page.waitForRequest((request) => request.method() === 'POST' && /\/storage(\?|$)/.test(request.url()))
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click()
  const { fields } = (await (await answered).json()).data as { fields: Record<string, string> }
  expect((await sent).headers()['content-type']).toMatch(/^multipart\/form-data/)
  const form = await page.evaluate<[string, string][]>('window.sentForm')
  const signed = ['key', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-security-token', 'policy']
  expect(new Set(form.slice(0, -1).map(([name]) => name))).toEqual(new Set([...signed, 'x-amz-signature']))
  for (const [name, value] of form.slice(0, -1)) {
    expect(value).not.toBe('')
    expect([name, value]).toEqual([name, fields[name]])
  }
  expect(form.at(-1)).toEqual(['file', 'the file card.pdf'])
  // The storage takes it.
  await expect(page.getByText('Successfully uploaded')).toBeVisible()
})

test('DOC-15..DOC-20 each type of document has a section of its name, and an upload there sends its code', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const id = await newRequisition(callsOf(page.request, session))
  await openAs(page, session, `/requisitions/${id}/show`)
  for (const [docTypeCode, name] of Object.entries({
    SCANREQ: 'Scanned Requisition',
    INSCARD: 'Insurance card',
    ADDON: 'Add-On Document',
    SCANEOB: 'Scanned EOB',
    SCANINV: 'Scanned Invoice',
    CHECK: 'Received Check',
  })) {
    const fileName = `${docTypeCode}.pdf`
    await section(page, name)
      .getByRole('button', { name: `Upload ${name}` })
      .click()
    await dialog(page).getByLabel('File', { exact: true }).setInputFiles(pdf(fileName))
    const slot = page.waitForRequest((request) => request.url().endsWith(`/requisitions/${id}/upload`))
    await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click()
    expect((await slot).postDataJSON()).toEqual({ fileName, docTypeCode })
    await expect(section(page, name).getByText(fileName)).toBeVisible()
    await expect(page.getByText(fileName, { exact: true })).toHaveCount(1)
  }
})

test('DOC-52 of several files that are dropped on an upload for one, the first is taken', async ({ page }) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  await openAs(page, session, `/requisitions/${id}/show`)
  await section(page, 'Add-On Document').getByRole('button', { name: 'Upload Add-On Document' }).click()
  await expect(dialog(page).getByText('Drop a file here')).toBeVisible()
  await drop(page, ['first.pdf', 'second.pdf', 'third.pdf'])
  await expect(dialog(page).getByText('first.pdf')).toBeVisible()
  await expect(dialog(page).getByText(/second\.pdf|third\.pdf/)).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(section(page, 'Add-On Document').getByText('first.pdf')).toBeVisible()
  const docs: { docOriginalFileName: string }[] = await api.get(`requisitions/${id}/docs`)
  expect(docs.map(({ docOriginalFileName }) => docOriginalFileName)).toEqual(['first.pdf'])

  // The scan of a new order too.
  await page.goto('/requisitions/create')
  await drop(page, ['first.pdf', 'second.pdf'])
  await expect(page.getByText('first.pdf')).toBeVisible()
  await expect(page.getByText('second.pdf')).toHaveCount(0)
})

test('DOC-04 documents are downloaded by super admins, sales and billing, and by nobody else', async ({ page }) => {
  test.slow()
  const staff = await sessionOf(page.request, 'staff')
  const card = page.getByRole('heading', { name: 'Downloads/Uploads' })
  const download = section(page, 'Scanned Requisition').getByRole('button', { name: 'Download scan.pdf' })
  const withScan = async (id: number) => {
    await openAs(page, staff, `/requisitions/${id}/show`)
    const scans = section(page, 'Scanned Requisition')
    await scans.getByRole('button', { name: 'Upload Scanned Requisition' }).click()
    await dialog(page).getByLabel('File', { exact: true }).setInputFiles(pdf('scan.pdf'))
    await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click()
    await expect(scans.getByText('scan.pdf').first()).toBeVisible()
  }
  const opened = async (account: string, view = 'ALL') => {
    const session = await sessionOf(page.request, account)
    const [{ id }] = await callsOf(page.request, session).get(`requisitions/${view}?perPage=1`)
    await withScan(id)
    await openAs(page, session, `/requisitions/${id}/show`)
    return id as number
  }
  for (const account of ['admin', 'management', 'staff', 'sales']) {
    await opened(account)
    await expect(card).toBeVisible()
    const file = page.waitForEvent('download')
    await download.first().click()
    expect((await file).suggestedFilename()).toBe('scan.pdf')
  }
  // Collaborators read the names of what they have uploaded; clients have no section, physicians no page.
  await opened('collaborator')
  await expect(section(page, 'Scanned Requisition').getByText('scan.pdf').first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Download / })).toHaveCount(0)
  await opened('client', 'CLIENTPHYSROLE')
  await expect(page.getByRole('heading', { name: 'Patient Information' })).toBeVisible()
  await expect(card).toHaveCount(0)
  await opened('physician', 'CLIENTPHYSROLE')
  await expect(page).toHaveURL('/403')

  // Billing has no detail page; the documents are at the rows of its batches.
  const billing = await sessionOf(page.request, 'billing')
  await openAs(page, billing, '/requisitions')
  const sent = page.getByRole('table', { name: 'Billing batches' }).getByRole('row').filter({ hasText: 'Sent' }).last()
  await sent.getByRole('button', { name: /expand/i }).click()
  const files = page.getByRole('button', { name: /^Documents and reports of requisition/ }).first()
  const id = Number((await files.getAttribute('aria-label'))?.match(/\d+/)?.[0])
  await withScan(id)
  await openAs(page, billing, '/requisitions')
  await sent.getByRole('button', { name: /expand/i }).click()
  await files.click()
  const file = page.waitForEvent('download')
  await dialog(page).getByRole('button', { name: 'Download scan.pdf' }).first().click()
  expect((await file).suggestedFilename()).toBe('scan.pdf')
})
