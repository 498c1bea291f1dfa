import type { Locator, Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { type Calls, callsOf, newRequisition } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const widths = [1440, 1024, 390]
const expectUncut = (part: Locator) =>
  expect
    .poll(() => part.evaluate((node) => Reflect.get(node, 'scrollWidth') <= Reflect.get(node, 'clientWidth')))
    .toBe(true)

/** A requisition of this journey's own, in Processing, with one open test and its tube. */
const inProcess = async (api: Calls): Promise<{ id: number; reqTestId: number }> => {
  const id = await newRequisition(api)
  const tests: { testId: number; testCode: string }[] = await api.get(`requisitions/${id}/single_tests`)
  const testIds = tests.filter(({ testCode }) => testCode === 'CHOL').map(({ testId }) => testId)
  await api.post(`requisitions/${id}/req_tests`, { testIds })
  const serum = { specimenTypeCode: 'SERUM', temperatureTypeCode: 'REF', containerTypeCode: 'SST' }
  await api.post(`requisitions/${id}/specimens`, serum)
  await api.put(`requisitions/LOG/next_status/bulk_move?id=${id}`, {})
  await api.put(`requisitions/ACC/next_status/bulk_move?id=${id}`, {})
  const [row] = await api.get(`requisitions/${id}/req_tests`)
  return { id, reqTestId: row.id }
}

/** The same with its result, Reported, with a report that waits for lab QC. */
const reported = async (api: Calls): Promise<{ id: number; report: number; reqTestId: number; name: string }> => {
  const { id, reqTestId } = await inProcess(api)
  await api.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result: '181' }] })
  const { id: report } = await api.post(`requisitions/${id}/reports/make`)
  await api.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
  await api.put(`requisitions/RESULT/next_status/bulk_move?id=${id}`, {})
  const [{ reportOriginalFileName: name }] = await api.get(`requisitions/${id}/reports`)
  return { id, report, reqTestId, name }
}

const releasedOne = async (api: Calls) => {
  const made = await reported(api)
  const { id, report } = made
  await api.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
  await api.put(`requisitions/REPORT/next_status/bulk_move?id=${id}`, {})
  return made
}

test('a report is released after a second look, and delivered after its receivers were shown', async ({
  page,
  look,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, staff)
  const { id, name } = await reported(api)
  await openAs(page, staff, `/requisitions/${id}/show/reportsDelivery`)
  const qc = page.getByLabel(`Lab QC Result of ${name}`)
  await qc.selectOption('RELEASE')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(`#${id} | `)).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Receivers' }).getByRole('listitem').first()).toBeVisible()
  // On a phone the table becomes cards; what was asked stays open.
  await look(page, 'release-dialog', widths)
  await expect(dialog.getByText(`#${id} | `)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(qc).toHaveValue('PENDING')
  await qc.selectOption('RELEASE')
  await dialog.getByRole('button', { name: 'Release', exact: true }).click()
  await expect(qc).toHaveValue('RELEASE')

  const deliver = page.getByRole('button', { name: 'Deliver released reports' })
  await deliver.click()
  await expect(dialog.getByText(`Requisition #${id} is Reported, not Released`)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Deliver', exact: true })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await api.put(`requisitions/REPORT/next_status/bulk_move?id=${id}`, {})
  await deliver.click()
  await expect(dialog.getByText(name)).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Receivers' }).getByRole('listitem').first()).toBeVisible()
  await look(page, 'deliver-dialog', widths)
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click()
  await expect(page.getByText('Delivery started for 1 report(s)').first()).toBeVisible()
})

test('the second look before a release names every test, however many there are', async ({ page }) => {
  const staff = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, staff)
  const { id, reqTestId } = await inProcess(api)
  const offered: { testId: number; testCode: string }[] = await api.get(`requisitions/${id}/single_tests`)
  await api.post(`requisitions/${id}/req_tests`, { testIds: offered.map(({ testId }) => testId) })
  await api.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result: '181' }] })
  await api.post(`requisitions/${id}/reports/make`)
  await openAs(page, staff, `/requisitions/${id}/show/reportsDelivery`)
  await page.getByLabel(/^Lab QC Result of /).selectOption('RELEASE')
  const dialog = page.getByRole('dialog')
  const tests = dialog.getByText(/, tests /)
  for (const { testCode } of offered) await expect(tests).toContainText(testCode)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectUncut(tests)
  }
})

test('a report that a released one already says is made only when asked for twice, and can be removed again', async ({
  page,
  look,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id, name } = await releasedOne(callsOf(page.request, staff))
  await openAs(page, staff, `/requisitions/${id}/show/reportsDelivery`)
  const make = page.getByRole('button', { name: 'Make report' })
  const dialog = page.getByRole('dialog')
  await make.click()
  await expect(dialog.getByText(`Report ${name} (version 1) is released and already says the same.`)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(table(page, 'Reports').locator('tbody tr.row')).toHaveCount(1)
  await make.click()
  await dialog.getByRole('button', { name: 'Make another report' }).click()
  await expect(table(page, 'Reports').locator('tbody tr.row')).toHaveCount(2)
  await page.getByRole('button', { name: `Remove ${name}` }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(dialog.getByText('Reason for the removal is required')).toBeVisible()
  await look(page, 'remove-report', widths)
  await dialog.getByLabel(/Reason for the removal/).fill('Made twice')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(table(page, 'Reports').locator('tbody tr.row')).toHaveCount(1)
  await expect(table(page, 'Report History').getByText('Removed: Made twice')).toBeVisible()
})

test('what a correction has changed, who has which version and the zone of each time are shown whole', async ({
  page,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, staff)
  const { id, report, reqTestId } = await releasedOne(api)
  await api.post(`requisitions/${id}/rep_delivery`)
  await api.put(`requisitions/${id}`, { reqStatusCode: 'PROCESS' })
  await api.put(`requisitions/${id}/req_tests/${reqTestId}/modify`, {})
  const reqTests = [{ reqTestId, result: '261', isConfirmed: 1 }]
  await api.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests })
  await api.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution factor' })
  await openAs(page, staff, `/requisitions/${id}/show/reportsDelivery`)
  await expect(table(page, 'Versions')).toContainText(/changed from 181 mg\/dL \(.*\) to 261 mg\/dL/)
  await expect(table(page, 'Delivery').locator('time').first()).toBeVisible()
  const cells = page.locator('table[aria-label=Versions] td:has(.long), table[aria-label=Delivery] td:has(time)')
  // On a phone the rows are cards, whose fields wrap.
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    for (const cell of await cells.all()) await expectUncut(cell)
  }
})

test('Deliver for several names every receiver, and how many reports go by which way, before anything is sent', async ({
  page,
  look,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, staff)
  const ids = [(await releasedOne(api)).id, (await releasedOne(api)).id]
  const filter = JSON.stringify([{ id: 'reqId', value: ids.map(String), viewValue: ids.join(', ') }])
  await openAs(page, staff, `/requisitions?status=Released&smartFilter=${encodeURIComponent(filter)}`)
  for (const id of ids) await page.getByRole('checkbox', { name: new RegExp(`^Select #${id} `) }).check()
  await page.getByRole('button', { name: 'Deliver', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const receivers = dialog.getByRole('region', { name: 'Receivers' })
  await expect(receivers.getByRole('heading')).toContainText(/Receivers: \d+ reports by /)
  await expect(receivers.getByRole('listitem').first()).toContainText('2 reports of')
  for (const id of ids) await expect(receivers.getByRole('listitem').first()).toContainText(`#${id}`)
  await look(page, 'bulk-deliver', widths)
})

test('DAY-36 the next status of Released names what was never sent and asks how it was delivered', async ({
  page,
  look,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await releasedOne(callsOf(page.request, staff))
  const filter = JSON.stringify([{ id: 'reqId', value: [String(id)], viewValue: String(id) }])
  await openAs(page, staff, `/requisitions?status=Released&smartFilter=${encodeURIComponent(filter)}`)
  await page.getByRole('checkbox', { name: new RegExp(`^Select #${id} `) }).check()
  await page.getByRole('button', { name: 'Next status: Delivered' }).click()
  const plan = page.getByRole('dialog').first()
  await expect(plan.getByText(`This one was never sent: #${id}`, { exact: false })).toBeVisible()
  await look(page, 'never-sent-plan', widths)
  await plan.getByRole('button', { name: /^Move 1/ }).click()
  const question = page.getByRole('dialog', { name: 'Never sent from here' })
  await expect(question.getByText(`never sent: #${id}`, { exact: false })).toBeVisible()
  await look(page, 'never-sent-question', widths)
  await question.getByRole('button', { name: 'Handed over by hand' }).click()
  await expect(page.getByText('1 of them never sent from here', { exact: false }).first()).toBeVisible()
  await page.goto(`/requisitions/${id}/show/reportsDelivery`)
  await expect(table(page, 'Delivery').getByText('Handed over by hand, not sent from here')).toBeVisible()
})

test('the last result says that the requisition has moved on, and the move can be undone', async ({ page, look }) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await inProcess(callsOf(page.request, staff))
  await openAs(page, staff, `/requisitions/${id}/show/tests`)
  const result = table(page, 'Tests').getByRole('textbox', { name: 'CHOL result', exact: true })
  await result.fill('181')
  await result.press('Enter')
  const notice = page.getByText(`Every test of #${id} has its result: it is now Resulted.`, { exact: false })
  await expect(notice).toBeVisible()
  await look(page, 'resulted-undo', [1440])
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Modify', exact: true })).toBeVisible()
})

test('a receipt with the wrong tube is said and saved, and corrected with a reason', async ({ page, look }) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await inProcess(callsOf(page.request, staff))
  await openAs(page, staff, `/requisitions/${id}/show/specimens`)
  await page.getByRole('button', { name: 'Add Specimen' }).click()
  const form = page.getByRole('region', { name: 'Add Specimen' })
  const choose = async (label: RegExp, option: string) => {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option }).click()
  }
  await choose(/^Specimen Type/, 'EDTA whole blood')
  await choose(/^Temperature/, 'Refrigerated')
  await choose(/^Container/, 'Red top tube')
  await expect(
    form.getByText(/This container is not one for this specimen type\. None of the ordered tests/),
  ).toBeVisible()
  await look(page, 'specimen-hint', widths)
  await form.getByRole('button', { name: 'Add Specimen' }).click()
  await expect(form).toBeHidden()
  const rows = page.getByRole('region', { name: 'Specimens' }).locator('tbody tr.row')
  await expect(rows.filter({ hasText: 'Check tube' })).toHaveCount(1)
  await page.getByRole('button', { name: 'Correct the receipt of EDTA whole blood, Red top tube' }).click()
  const dialog = page.getByRole('dialog')
  await choose(/^Specimen Type/, 'Serum')
  await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
  await expect(dialog.getByText('Reason for the correction is required')).toBeVisible()
  await look(page, 'specimen-correct', widths)
  await dialog.getByLabel(/Reason for the correction/).fill('Misread the label')
  await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(rows.filter({ hasText: 'Check tube' })).toHaveCount(0)
  await page.goto(`/requisitions/${id}/show/activity`)
  await expect(page.getByText('Misread the label').first()).toBeVisible()
})
