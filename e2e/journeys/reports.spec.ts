import type { Page } from '@playwright/test'
import { makePdf, makeScan } from '../../apps/server/test/report-files.ts'
import { bearer, openAs, outbox, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

interface Row {
  id: number
  patientFirstName: string
  patientLastName: string
  patientDob: string
  isDownloadable: number
  clientTransmitMethodDesc: string
}

/** The last requisition of the demo data. Later ones belong to other journeys and may have no results. */
const lastDemoId = 1_003_000

/** Requisitions of a tab, each journey at its own position, so that no two use the same one. */
const rowsOf = async (page: Page, status: string, headers: Record<string, string>): Promise<Row[]> => {
  const reply = await page.request.get(`/api/v3.0/requisitions/${status}?perPage=100`, { headers })
  return (await reply.json()).data.filter(({ id }: Row) => id <= lastDemoId)
}

/** As another laboratory prints it. */
const reportFor = ({ id, patientFirstName, patientLastName, patientDob }: Row) =>
  makePdf((page) => {
    page.text(`Requisition: #${id}`, 50, 80)
    page.text(`Patient: ${patientFirstName} ${patientLastName}`, 50, 95)
    page.text(`DOB: ${patientDob}`, 50, 110)
    page.text(`Run ${Date.now()}`, 50, 300)
  })
const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer })

const table = (page: Page, name: string) => page.getByRole('table', { name })

test('a report is uploaded, goes through QC, is downloaded, made here and corrected', async ({
  page,
  context,
  expectAccessible,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const row = (await rowsOf(page, 'RESULT', bearer(staff))).findLast(
    ({ isDownloadable }) => isDownloadable === 0,
  ) as Row
  await openAs(page, staff, `/requisitions/${row.id}/show/reportsDelivery`)
  await test.step('DELIV-03 DELIV-05 the widget has reports and their upload', async () => {
    await expect(page.getByRole('heading', { name: 'Reports', exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Upload Report' }).click()
  })
  // The window names the patient: a file on the wrong patient is the worst that can happen here.
  await expect(page.getByRole('dialog').getByText(`#${row.id} | `)).toBeVisible()
  const name = `${row.id}_journey.pdf`
  await page.locator('input[type=file]').setInputFiles(pdf(name, await reportFor(row)))
  await page.getByRole('dialog').getByRole('button', { name: 'Upload', exact: true }).click()
  await test.step('DELIV-42 an upload says so', async () => {
    await expect(page.getByText('Report Uploaded').first()).toBeVisible()
  })
  const qc = page.getByLabel(`Lab QC Result of ${name}`)
  await expect(qc).toHaveValue('PENDING')
  await test.step('DELIV-33 what is not released cannot be downloaded', async () => {
    await expect(page.getByRole('button', { name: `Download ${name}` })).toHaveCount(0)
  })
  await test.step('DELIV-25 DELIV-26 DELIV-28 TABLE-138 the lab QC result is saved at once, said with the message of the server, and shown', async () => {
    await qc.selectOption('RELEASE')
    await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click()
    await expect(page.getByText('Lab QC Result Successfully Update').first()).toBeVisible()
    await expect(qc).toHaveValue('RELEASE')
  })
  await test.step('DELIV-06 DELIV-32 DELIV-51 what is released is downloaded in a window of its own, and the history says so', async () => {
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: `Download ${name}` }).click()
    await (await opened).close()
    await expect(
      table(page, 'Report History')
        .getByText(/^Downloaded/)
        .first(),
    ).toBeVisible()
  })
  const toggle = page.getByRole('switch', { name: /Demographic QC/ })
  await test.step('DELIV-04 DELIV-24 demographic QC is passed by its switch, half a second after the last click', async () => {
    if (await toggle.isChecked()) {
      const off = page.waitForResponse(/\/dem_qc$/)
      await toggle.click()
      await off
    }
    const asked = page.waitForRequest(/\/dem_qc$/)
    const clickedAt = Date.now()
    await toggle.click()
    expect((await asked).postDataJSON()).toMatchObject({ isDemQcPass: 1 })
    expect(Date.now() - clickedAt).toBeGreaterThanOrEqual(490)
    await expect(page.getByText('Passed', { exact: true })).toBeVisible()
  })
  await page.getByRole('button', { name: 'Make report' }).click()
  await expect(table(page, 'Report History').getByText('Made from the results').first()).toBeVisible()
  await page.getByRole('button', { name: `Correct ${name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
  await expect(dialog.getByText('Reason for the correction is required')).toBeVisible()
  await dialog.getByLabel(/Reason for the correction/).fill('Wrong dilution factor')
  await dialog.getByLabel('Made here from the present results').check()
  await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
  await expect(table(page, 'Versions').getByText('1, superseded')).toBeVisible()
  await expect(table(page, 'Versions').getByRole('columnheader', { name: 'What Changed' })).toBeVisible()
  await expectAccessible(page)
})

test('the report of another patient is kept by no upload and no correction without a decision on what the file says', async ({
  page,
  look,
  expectAccessible,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const rows = (await rowsOf(page, 'RESULT', bearer(staff))).filter(({ isDownloadable }) => isDownloadable === 0)
  const [row, other] = rows.slice(-6, -4) as [Row, Row]
  await openAs(page, staff, `/requisitions/${row.id}/show/reportsDelivery`)
  const upload = page.getByRole('dialog', { name: 'Upload Report' })
  const question = page.getByRole('dialog', { name: 'Is this the report of this patient?' })
  const send = async (name: string, buffer: Buffer) => {
    await upload.locator('input[type=file]').setInputFiles(pdf(name, buffer))
    await upload.getByRole('button', { name: 'Upload', exact: true }).click()
  }
  await page.getByRole('button', { name: 'Upload Report' }).click()
  await send('wrong.pdf', await reportFor(other))
  await expect(question.getByText(`#${row.id} | `)).toBeVisible()
  const comparison = question.getByRole('table', { name: 'Comparison' })
  const named = comparison.getByRole('row', { name: /Patient Name/ })
  await expect(named).toContainText(other.patientLastName.toUpperCase())
  await expect(named).toContainText(row.patientLastName)
  await expect(named).toContainText('differs')
  await expect(question.getByRole('button', { name: 'Do not keep it' })).toHaveClass(/contained/)
  await expect(question.getByRole('button', { name: 'Keep this report' })).not.toHaveClass(/contained/)
  await expectAccessible(page)
  await look(page, 'guard-question', [1440, 1024, 390])
  await question.getByRole('button', { name: 'Keep this report' }).click()
  await expect(question.getByText('Reason for keeping it is required')).toBeVisible()
  await question.getByRole('button', { name: 'Do not keep it' }).click()
  await expect(upload.getByText(/does not prove that it is the report of this patient/)).toBeVisible()
  await upload.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('wrong.pdf')).toHaveCount(0)

  await page.getByRole('button', { name: 'Upload Report' }).click()
  await send('scan.pdf', await makeScan(null))
  await expect(question.getByText('No text can be read in the file, it may be a scan')).toBeVisible()
  await question.getByLabel(/Reason for keeping it/).fill('Compared on paper')
  await question.getByRole('button', { name: 'Keep this report' }).click()
  await expect(upload).toBeHidden()
  // Who releases it sees it too.
  const kept = 'Kept by decision: No text can be read in the file, it may be a scan. Reason: Compared on paper'
  await expect(table(page, 'Reports').getByText(kept)).toBeVisible()
  await expect(table(page, 'Report History').getByText(kept)).toBeVisible()
  await look(page, 'guard-kept', [1440, 1024, 390])
  await page.getByLabel('Lab QC Result of scan.pdf').selectOption('RELEASE')
  await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click()
  await expect(page.getByText('Lab QC Result Successfully Update').first()).toBeVisible()

  await page.getByRole('button', { name: 'Correct scan.pdf' }).click()
  const correct = page.getByRole('dialog')
  await correct.getByLabel(/Reason for the correction/).fill('Wrong unit')
  await correct.getByLabel('A file that is uploaded').check()
  await correct.getByRole('button', { name: 'Correct', exact: true }).click()
  const corrected = page.getByRole('dialog', { name: 'Upload the corrected report' })
  await corrected.locator('input[type=file]').setInputFiles(pdf('wrong.pdf', await reportFor(other)))
  await corrected.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(named).toContainText('differs')
  await question.getByRole('button', { name: 'Do not keep it' }).click()
  await corrected.locator('input[type=file]').setInputFiles(pdf('right.pdf', await reportFor(row)))
  await corrected.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(corrected).toBeHidden()
  await expect(table(page, 'Versions').getByText('1, superseded')).toBeVisible()
  await expect(table(page, 'Reports').getByText('right.pdf')).toBeVisible()
})

test('DELIV-02 DELIV-55..DELIV-57 LIST-225 released reports are delivered by mail and the ledger shows it, the patient is notified; many at once list first what will be sent', async ({
  page,
  expectAccessible,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const reqIds = (await rowsOf(page, 'RELEASE', bearer(staff))).map(({ id }) => id)
  const plan = { headers: bearer(staff), data: { reqIds, dryRun: true } }
  // One whose patient can be notified.
  const id: number = (await (await page.request.post('/api/v3.0/requisitions/send_notif', plan)).json()).data.moved.at(
    -1,
  )
  await openAs(page, staff, `/requisitions/${id}/show/reportsDelivery`)
  const reports = table(page, 'Reports')
  await reports.getByRole('checkbox').nth(1).check()
  await page.getByRole('button', { name: /^Deliver 1 selected/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click()
  await expect(dialog.getByText('Delivery Method is required')).toBeVisible()
  await expect(dialog.getByText(`#${id} | `)).toBeVisible()
  await dialog.getByRole('combobox').click()
  await page.getByRole('option', { name: 'E-mail' }).click()
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click()
  await expect(page.getByText('Delivery started for 1 report(s)').first()).toBeVisible()
  await expect(table(page, 'Delivery').getByRole('cell', { name: 'Sent', exact: true }).first()).toBeVisible()
  const subject = `Laboratory report for requisition #${id}`
  expect(JSON.stringify(await outbox(page.request))).toContain(subject)
  await page.getByRole('button', { name: 'Send notification' }).click()
  await expect(page.getByText('Notification sent for 1 requisition(s)').first()).toBeVisible()
  await expect(
    table(page, 'Patient Notification').getByRole('cell', { name: 'Sent', exact: true }).first(),
  ).toBeVisible()
  await page
    .getByRole('button', { name: /^Correct / })
    .first()
    .click()
  await expect(dialog.getByText(/the correction goes to everyone/)).toBeVisible()
  await expect(dialog.getByText(/\(E-mail\)$/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expectAccessible(page)
  await page.goto('/requisitions?status=Released')
  await page.getByRole('table').first().getByRole('checkbox').nth(1).check()
  await page.getByRole('button', { name: 'Deliver', exact: true }).click()
  await expect(page.getByRole('dialog').getByText(/^\d+ will go, \d+ will not$/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
})

test('DELIV-34 DELIV-37 DELIV-38 PERM-079 a practice downloads its own released report, and looks at it on a phone; sales look at theirs', async ({
  page,
  context,
}) => {
  await openAs(page, await sessionOf(page.request, 'client'), '/requisitions')
  await page
    .getByRole('button', { name: /^Download the reports of/ })
    .first()
    .click()
  await expect(page.getByText('If download failed, please click here').first()).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  const shown = context.waitForEvent('page')
  await page
    .getByRole('button', { name: /^View the report of/ })
    .first()
    .click()
  await (await shown).close()
  await expect(page.getByRole('button', { name: /^Download the reports of/ })).toHaveCount(0)
  await page.setViewportSize({ width: 1440, height: 900 })
  const sales = await sessionOf(page.request, 'sales')
  const row = (await rowsOf(page, 'DELIVER', bearer(sales)))[0]
  await openAs(page, sales, `/requisitions/${row?.id}/show/reportsDelivery`)
  await expect(page.getByRole('columnheader', { name: 'Lab QC Result' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Download/ })).toHaveCount(0)
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: /^View/ }).first().click()
  await opened
})

test('a practice reaches the version that it has while the correction waits for lab QC', async ({ page, context }) => {
  const [client, staff] = [await sessionOf(page.request, 'client'), await sessionOf(page.request, 'staff')]
  const api = '/api/v3.0/requisitions'
  const out = (await rowsOf(page, 'CLIENTPHYSROLE', bearer(client))).filter(
    ({ isDownloadable }) => isDownloadable === 1,
  )
  const reportsOf = async (id: number): Promise<{ id: number }[]> =>
    (await (await page.request.get(`${api}/${id}/reports`, { headers: bearer(client) })).json()).data
  // From the end: the other journeys of this practice take the first.
  let id = 0
  for (const row of out.reverse())
    if ((await reportsOf(row.id)).length === 1) {
      id = row.id
      break
    }
  const [report] = await reportsOf(id)
  const correction = await page.request.post(`${api}/${id}/reports/${report?.id}/corrections`, {
    headers: bearer(staff),
    data: { correctionReason: 'Wrong dilution factor' },
  })
  expect(correction.status()).toBe(200)
  await openAs(page, client, `/requisitions/${id}/show/reportsDelivery`)
  await expect(page.getByText('No report is released at present.')).toBeVisible()
  const opened = context.waitForEvent('page')
  await table(page, 'Versions')
    .getByRole('button', { name: /^Download .*, version 1$/ })
    .click()
  await (await opened).close()
  await page.request.put(`${api}/${id}/reports/${report?.id}`, {
    headers: bearer(staff),
    data: { labQcStatusCode: 'RELEASE' },
  })
})

test('DELIV-58 a delivery that fails shows its message', async ({ page }) => {
  const staff = await sessionOf(page.request, 'staff')
  const row = (await rowsOf(page, 'DELIVER', bearer(staff)))[0]
  await openAs(page, staff, `/requisitions/${row?.id}/show/reportsDelivery`)
  await page.route(/\/requisitions\/\d+\/delivery$/, (route) =>
    route.fulfill({ status: 409, json: { message: 'Nobody to send it to' } }),
  )
  await table(page, 'Reports').getByRole('checkbox').nth(1).check()
  await page.getByRole('button', { name: /^Deliver 1 selected/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').click()
  await page.getByRole('option', { name: 'E-mail' }).click()
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click()
  await expect(page.getByText('Nobody to send it to').first()).toBeVisible()
})

test('reports, delivery and demographic QC are for those who may deliver', async ({ page }) => {
  const buttons = () => page.getByRole('button', { name: /^(Upload Report|Make report|Correct .*|Deliver .*)$/ })
  const staff = await sessionOf(page.request, 'staff')
  const row = (await rowsOf(page, 'DELIVER', bearer(staff)))[0]
  await openAs(page, staff, `/requisitions/${row?.id}/show/reportsDelivery`)
  await expect(page.getByRole('button', { name: 'Upload Report' })).toBeVisible()
  await expect(table(page, 'Reports').getByRole('checkbox').first()).toBeVisible()
  await expect(page.getByRole('switch', { name: /Demographic QC/ })).toBeEnabled()
  const partner = await sessionOf(page.request, 'collaborator')
  const own = (await rowsOf(page, 'DELIVER', bearer(partner)))[0]
  await openAs(page, partner, `/requisitions/${own?.id}/show/reportsDelivery`)
  await expect(page.getByRole('button', { name: /^Download/ }).first()).toBeVisible()
  await test.step('DELIV-59 a collaborator edits no report', () => expect(buttons()).toHaveCount(0))
  await test.step('DELIV-60 a collaborator delivers none', () =>
    expect(table(page, 'Reports').getByRole('checkbox')).toHaveCount(0))
  await test.step('DELIV-62 a collaborator has no switch for demographic QC', () =>
    expect(page.getByRole('switch', { name: /Demographic QC/, disabled: false })).toHaveCount(0))
  const sales = await sessionOf(page.request, 'sales')
  const seen = (await rowsOf(page, 'DELIVER', bearer(sales)))[0]
  await openAs(page, sales, `/requisitions/${seen?.id}/show/reportsDelivery`)
  await expect(page.getByRole('button', { name: /^View/ }).first()).toBeVisible()
  await test.step('DELIV-61 sales download none', () =>
    expect(page.getByRole('button', { name: /^Download/ })).toHaveCount(0))
})

test('the date of lab QC is that of the result', async ({ page }) => {
  const staff = await sessionOf(page.request, 'staff')
  const row = (await rowsOf(page, 'DELIVER', bearer(staff)))[0]
  const dates = {
    releaseDate: '2026-01-02T12:00:00Z',
    repeatDate: '2026-02-03T12:00:00Z',
    reviewDate: '2026-03-04T12:00:00Z',
  }
  for (const [id, code, shown] of [
    ['DELIV-29', 'RELEASE', '01/02/26'],
    ['DELIV-30', 'REPEAT', '02/03/26'],
    ['DELIV-31', 'MD', '03/04/26'],
  ] as const)
    await test.step(`${id} ${code} shows ${shown}`, async () => {
      await page.route(/\/requisitions\/\d+\/reports(\?.*)?$/, async (route) => {
        const reply = await route.fetch()
        const { data, ...rest } = await reply.json()
        const changed = data.map((one: object) => ({ ...one, ...dates, labQcStatusCode: code }))
        await route.fulfill({ response: reply, json: { ...rest, data: changed } })
      })
      await openAs(page, staff, `/requisitions/${row?.id}/show/reportsDelivery`)
      await expect(table(page, 'Reports').locator('tbody tr').first()).toContainText(shown)
      await page.unrouteAll({ behavior: 'wait' })
    })
})
