import type { Page } from '@playwright/test'
import { barCodePng, makePdf, type ReportPerson } from '../../apps/server/test/report-files.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>
let staff: Session

test.beforeAll(async ({ browser, baseURL }) => {
  const page = await browser.newPage({ baseURL })
  staff = await sessionOf(page.request, 'staff')
  await page.close()
})

/** Requisitions in Processing: a report more on one of them disturbs no other journey. */
const orders = async (page: Page, count: number): Promise<ReportPerson[]> => {
  const headers = { authorization: `Bearer ${staff.token}` }
  const list = await page.request.get(`/api/v3.0/requisitions/PROCESS?perPage=${count}`, { headers })
  interface Row {
    reqId: number
    patientFirstName: string
    patientLastName: string
    patientDob: string
  }
  return ((await list.json()).data as Row[]).map(({ reqId, patientFirstName, patientLastName, patientDob }) => ({
    reqId,
    firstName: patientFirstName,
    lastName: patientLastName,
    dob: patientDob,
  }))
}

const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer })
const newest = (page: Page) => page.locator('tbody tr.row').first()
const choose = async (page: Page, type: string) => {
  await page.getByRole('dialog').getByLabel('Batch Type').click()
  await page.getByRole('option', { name: type }).click()
}
/** So that no run finds the files of the run before. */
const mark = () => `Run ${Date.now()}`
const reportFor = (person: ReportPerson, note = mark()) =>
  makePdf((page) => {
    page.text(`Requisition: #${person.reqId}`, 50, 80)
    page.text(`Patient: ${person.firstName} ${person.lastName}`, 50, 95)
    page.text(`DOB: ${person.dob}`, 50, 110)
    page.text(note, 50, 300)
  })

test('BATCH-03 BATCH-12..BATCH-14 BATCH-39 BATCH-40 a batch of real files: the good are filed, each other one says why, and the desk decides', async ({
  page,
  expectAccessible,
}) => {
  const [one, two, three] = (await orders(page, 3)) as [ReportPerson, ReportPerson, ReportPerson]
  await openAs(page, staff, '/test-reports-upload')
  await expect(page.getByRole('heading', { name: 'Batch File Upload' })).toBeVisible()
  await test.step('BATCH-11 the list has a filter', () =>
    expect(page.getByRole('button', { name: 'View & Filters', exact: true })).toBeVisible())
  for (const [id, name] of [
    ['BATCH-05', 'Upload ID'],
    ['BATCH-06', 'Upload Date'],
    ['BATCH-07', 'Batch Type'],
    ['BATCH-08', 'File Upload Rate'],
  ] as const)
    await test.step(`${id} there is the column ${name}`, () =>
      expect(page.getByRole('columnheader', { name })).toBeVisible())

  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog.getByText('Please Upload File')).toBeVisible()
  await dialog
    .locator('input[type=file]')
    .setInputFiles([
      pdf(`${one.reqId}.pdf`, await reportFor(one)),
      pdf(`${two.reqId}_final 🧪.pdf`, await reportFor(two)),
      pdf(`${three.reqId}.pdf`, await reportFor({ ...one, reqId: three.reqId })),
      pdf(`${one.reqId}_zip.pdf`, Buffer.from('504b0304140000000000', 'hex')),
      pdf(`${one.reqId}_locked.pdf`, await makePdf((sheet) => sheet.text('x'), { userPassword: 'secret' })),
      pdf('nobody.pdf', await reportFor(one)),
      { name: 'notes.docx', mimeType: 'application/msword', buffer: Buffer.from('x') },
    ])
  await expect(dialog.getByText(/Only PDF, PNG, JPEG and TIFF/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Remove notes.docx' }).click()
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog.getByText('Batch Type is required')).toBeVisible()
  await expectAccessible(page)
  await choose(page, 'Test reports')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog).toBeHidden()

  await expect(newest(page)).toContainText('Test reports')
  await newest(page)
    .getByRole('button', { name: /expand/i })
    .click()
  const files = page.getByRole('table', { name: /Files of upload/ })
  const stateOf = (name: string) => files.getByRole('row').filter({ hasText: name })
  await test.step('BATCH-16 BATCH-30 BATCH-32 BATCH-33 an upload opens into its files, each with its state', async () => {
    await expect(stateOf(`${one.reqId}.pdf`)).toContainText('Complete')
    await expect(stateOf('🧪')).toContainText('Complete')
    await expect(stateOf(`${three.reqId}.pdf`)).toContainText('Waiting on the matching desk')
    await expect(stateOf('_zip')).toContainText('Not a PDF')
    await expect(stateOf('_locked')).toContainText('protected by a password')
    await expect(stateOf('nobody')).toContainText('Requisition not found')
  })
  await test.step('BATCH-09 BATCH-10 the upload rate is completed of total, marked while some are missing', async () => {
    await expect(newest(page)).toContainText('2/6')
    await expect(newest(page).getByRole('img', { name: 'Not complete' })).toBeVisible()
  })
  await test.step('BATCH-35 BATCH-36 what is complete is not tried again, what failed is', async () => {
    await expect(stateOf(`${one.reqId}.pdf`).getByRole('button', { name: /Retry/ })).toHaveCount(0)
    await stateOf('nobody').getByRole('button', { name: /Retry/ }).click()
    await expect(stateOf('nobody')).toContainText('Requisition not found')
  })
  await test.step('BATCH-15 the failed ones are downloaded', async () => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download failed items' }).click()
    expect((await download).suggestedFilename()).toMatch(/failed.*\.xlsx$/)
  })
  await expectAccessible(page)

  await test.step('BATCH-34 BATCH-37 a file that never came is to be sent again, and is not tried again', async () => {
    const filesOfUpload = /\/bulk_report_uploader\/\d+\/files/
    await page.route(filesOfUpload, async (route) => {
      const reply = await route.fetch()
      const { data, ...rest } = await reply.json()
      const lost = { reportLoadStatusCode: 'FILENOTFOUND', reportLoadStatusDesc: 'File not found' }
      await route.fulfill({
        response: reply,
        json: { ...rest, data: data.map((one: object) => ({ ...one, ...lost })) },
      })
    })
    await page.reload()
    await newest(page)
      .getByRole('button', { name: /expand/i })
      .click()
    await expect(files.getByText('Please upload the file again.').first()).toBeVisible()
    await expect(files.getByRole('button', { name: /Retry/ })).toHaveCount(0)
    await page.unroute(filesOfUpload)
  })
  await page.getByRole('link', { name: /Matching desk/ }).click()
  // The upload page has such buttons too, and stays until the desk has come.
  await page
    .getByRole('list', { name: 'Files to decide on' })
    .getByRole('button', { name: `${three.reqId}.pdf` })
    .last()
    .click()
  const comparison = page.getByRole('table', { name: 'Comparison' })
  await expect(comparison.getByRole('row', { name: /Requisition/ })).toContainText('agrees')
  await expect(comparison.getByRole('row', { name: /Patient Name/ })).toContainText('differs')
  await expect(page.getByLabel('Text of the file')).toContainText(one.lastName)
  await expectAccessible(page)
  // While the record of another number is on its way, nothing can be filed by the name of the first.
  const heldBeside = /\/held\/\d+\?reqId=/
  let answer = () => undefined as unknown
  const isAsked = new Promise<void>((asked) =>
    page.route(heldBeside, (route) => {
      answer = () => route.continue()
      asked()
    }),
  )
  await page.getByLabel('Req ID').fill(String(one.reqId))
  await isAsked
  await expect(page.getByRole('button', { name: 'File', exact: true })).toBeDisabled()
  answer()
  await expect(page.getByRole('button', { name: `File under #${one.reqId} |` })).toBeEnabled()
  await expect(comparison.getByRole('row', { name: /Patient Name/ })).toContainText('agrees')
  await page.getByRole('button', { name: 'Reject' }).click()
  await expect(page.getByText('Reason is required')).toBeVisible()
  await page.getByLabel('Reason').fill('Report of another patient')
  // An unknown number takes nothing away, and what is typed is not left behind without a question.
  await page.unroute(heldBeside)
  const isAnswered = page.waitForResponse(/reqId=999999999$/)
  await page.getByLabel('Req ID').fill('999999999')
  expect((await isAnswered).status()).toBe(200)
  await expect(comparison.getByRole('row', { name: /Patient Name/ })).toContainText('not found')
  await expect(page.getByLabel('Req ID')).toHaveAccessibleDescription('There is no requisition #999999999')
  await expect(page.getByRole('button', { name: 'File', exact: true })).toBeDisabled()
  await page.getByRole('link', { name: 'User Profile' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('Req ID')).toHaveValue('999999999')
  await expect(page.getByLabel('Reason')).toHaveValue('Report of another patient')
  await page.getByRole('button', { name: 'Reject' }).click()
  await expect(page.getByText('The file has been rejected')).toBeVisible()
})

test('what was typed at a held file is still there after another one was looked at', async ({ page }) => {
  const [, , , , , other, one, two] = (await orders(page, 8)) as ReportPerson[] as [
    never,
    never,
    never,
    never,
    never,
    ReportPerson,
    ReportPerson,
    ReportPerson,
  ]
  const run = Date.now()
  const [a, b] = [`${one.reqId}_${run}.pdf`, `${two.reqId}_${run}.pdf`] as const
  await openAs(page, staff, '/test-reports-upload')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .locator('input[type=file]')
    .setInputFiles([
      pdf(a, await reportFor({ ...other, reqId: one.reqId })),
      pdf(b, await reportFor({ ...other, reqId: two.reqId })),
    ])
  await choose(page, 'Test reports')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog).toBeHidden()
  // Both have been read: before, the desk does not know them.
  const headers = { authorization: `Bearer ${staff.token}` }
  const heldNow = async () => (await page.request.get('/api/v3.0/bulk_report_uploader/held', { headers })).text()
  for (const file of [a, b]) await expect.poll(heldNow).toContain(file)
  await page.getByRole('link', { name: /Matching desk/ }).click()
  const held = (name: string) => page.getByRole('list', { name: 'Files to decide on' }).getByRole('button', { name })
  const [reason, reqId] = [page.getByLabel('Reason'), page.getByLabel('Req ID')]
  await held(a).click()
  await expect(reqId).toHaveValue(String(one.reqId))
  await reason.fill('Report of another patient')
  await reqId.fill(String(other.reqId))
  await held(b).click()
  await expect(reqId).toHaveValue(String(two.reqId))
  await expect(reason).toHaveValue('')
  // Not even while it is out of sight.
  await page.getByRole('link', { name: 'User Profile' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await held(a).click()
  await expect(reqId).toHaveValue(String(other.reqId))
  await expect(reason).toHaveValue('Report of another patient')
  for (const file of [a, b]) {
    await held(file).click()
    await expect(page.getByRole('heading', { name: file })).toBeVisible()
    await reason.fill('Made by journey')
    await page.getByRole('button', { name: 'Reject' }).click()
    await expect(held(file)).toHaveCount(0)
  }
  await page.getByRole('link', { name: 'User Profile' }).click()
  await expect(page).toHaveURL(/profile/)
})

test('BATCH-42 BATCH-43 BATCH-45 BATCH-77 a file that the store refuses says S3 error, the others go on, and it is sent again', async ({
  page,
  faults,
}) => {
  faults.expect(/500/)
  const [, , , one, two] = (await orders(page, 5)) as ReportPerson[] as [
    never,
    never,
    never,
    ReportPerson,
    ReportPerson,
  ]
  await openAs(page, staff, '/test-reports-upload')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .locator('input[type=file]')
    .setInputFiles([pdf(`${one.reqId}.pdf`, await reportFor(one)), pdf(`${two.reqId}.pdf`, await reportFor(two))])
  await choose(page, 'Test reports')
  let isFirst = true
  await page.route(/\/storage\?/, async (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    await route.fulfill({ status: 500, body: 'no' })
  })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog.getByText('S3 error')).toBeVisible()
  await expect(dialog.getByText('1 of 2 files uploaded, 1 failed')).toBeVisible()
  await dialog.getByRole('button', { name: 'Retry upload' }).click()
  await expect(dialog).toBeHidden()
  await expect(newest(page)).toContainText('2/2')
})

test('BATCH-14 hundreds of files: each with its bar, paused and resumed, all filed', async ({ page }) => {
  test.slow()
  const people = await orders(page, 20)
  const files = []
  for (let n = 0; n < 60; n++) {
    const person = people[n % people.length] as ReportPerson
    files.push(pdf(`${person.reqId}-${n}.pdf`, await reportFor(person, `${mark()} ${n}`)))
  }
  await openAs(page, staff, '/test-reports-upload')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await choose(page, 'Test reports')
  await dialog.locator('input[type=file]').setInputFiles(files)
  // Nothing arrives before all are paused.
  const isPaused = Promise.withResolvers<void>()
  await page.route(/\/storage\?/, async (route) => {
    await isPaused.promise
    await route.continue().catch(() => undefined)
  })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await dialog.getByRole('button', { name: 'Pause all' }).click()
  await expect(dialog.getByText('Paused').first()).toBeVisible()
  isPaused.resolve()
  await expect(dialog.getByRole('progressbar', { name: 'All files' })).toBeVisible()
  await dialog
    .getByRole('button', { name: /^Resume \d/ })
    .first()
    .click()
  await dialog.getByRole('button', { name: 'Resume all' }).click()
  await expect(dialog).toBeHidden({ timeout: 120_000 })
  await expect(newest(page)).toContainText('60/60', { timeout: 120_000 })
})

test('BATCH-04 BATCH-12 a client reads what is in scope and cannot upload; a collaborator sends scans', async ({
  page,
}) => {
  await openAs(page, await sessionOf(page.request, 'client'), '/test-reports-upload')
  await expect(page.getByRole('heading', { name: 'Batch File Upload' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /Matching desk/ })).toHaveCount(0)
  await openAs(page, await sessionOf(page.request, 'collaborator'), '/test-reports-upload')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Batch Type').click()
  await expect(page.getByRole('option')).toHaveText(['Scanned requisitions'])
  await page.getByRole('option').click()
  const label = await barCodePng('1')
  await page
    .getByRole('dialog')
    .locator('input[type=file]')
    .setInputFiles({ name: '999999999.png', mimeType: 'image/png', buffer: label })
  await page.getByRole('dialog').getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(newest(page)).toContainText('Scanned requisitions')
})

test('BATCH-31 BATCH-47 a file that has not arrived yet is shown as normal, and the files of an upload are read by the hundred', async ({
  page,
}) => {
  const [order] = (await orders(page, 1)) as [ReportPerson]
  // Announced, and never sent.
  const announced = await page.request.post('/api/v3.0/bulk_report_uploader/init', {
    headers: { authorization: `Bearer ${staff.token}` },
    data: { fileNames: [`${order.reqId}.pdf`], batchTypeCode: 'REPORT' },
  })
  const { id } = (await announced.json()).data
  await openAs(page, staff, '/test-reports-upload')
  const read = page.waitForRequest((request) => request.url().includes(`/bulk_report_uploader/${id}/files`))
  await page
    .locator('tbody tr.row')
    .filter({ hasText: String(id) })
    .first()
    .getByRole('button', { name: /expand/i })
    .click()
  expect((await read).method()).toBe('GET')
  expect(new URL((await read).url()).searchParams.get('perPage')).toBe('100')
  const file = page.getByRole('table', { name: /Files of upload/ }).getByRole('row', { name: `${order.reqId}.pdf` })
  const state = file.getByText('Initializing')
  const colours = (one: ReturnType<typeof file.getByText>) =>
    one.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).color)
  // In the colour of the words beside it, neither that of errors nor that of what has gone well.
  expect(await colours(state)).toBe(await colours(file.getByText(`${order.reqId}.pdf`)))
  await expect(state).toHaveAttribute('data-tone', 'normal')
  await expect(file.getByText('Please upload the file again.')).toHaveCount(0)
})
