import { create, fillOrder, fillPatient, shown } from '../support/order-form.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, clientWithZone, newRequisition, orderDay, text, unique } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

test('TABLE-087 TABLE-088 a time typed in parts is compared as hh:mm A and shown as HH:mm', async ({ page }) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await expect(text(page, 'Collected Hours')).toHaveValue('10')
  await text(page, 'Collected Hours').fill('9')
  await text(page, 'Centrifuged Hour').fill('7')
  await text(page, 'Centrifuged Min').fill('05')
  await page.getByRole('combobox', { name: 'Centrifuged AM/PM' }).press('p')
  const day = orderDay()
  await api.put(`requisitions/${id}`, { dateCollected: `${day}T14:05` })
  const save = info.getByRole('button', { name: 'Save' }).first()
  await save.click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  const collected = conflict.getByRole('row', { name: /Date Collected/ })
  const shownDay = day.replace(/^(\d+)-(\d+)-(\d+)$/, '$2/$3/$1')
  await expect(collected).toContainText(`${shownDay} 09:05 AM`)
  await expect(collected).toContainText(`${shownDay} 02:05 PM`)
  await conflict.getByRole('button', { name: 'Save again' }).click()
  await expect(info.getByRole('button', { name: 'Edit' })).toBeVisible()
  await expect(info.getByText(/^19:05 [A-Z]{3}$/)).toBeVisible()
})

test('TABLE-091 the birth date of a patient and the date of a payment are sent as M/D/Y, and payments are listed so', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const { clientName } = await clientWithZone(api)
  await openAs(page, session, '/requisitions/create')
  await fillOrder(page, clientName)
  await fillPatient(page, unique('Format'))
  await text(page, 'DOB Month').fill('03')
  await text(page, 'DOB Day').fill('04')
  const ordered = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/api/v3.0/requisitions'),
  )
  await create(page)
  expect((await ordered).postDataJSON().patientDob).toBe('3/4/1961')
  await expect(page).toHaveURL(shown)

  await page
    .getByRole('navigation', { name: 'Parts of the requisition' })
    .getByRole('link', { name: 'Payments' })
    .click()
  const form = card(page, 'Add Payment')
  for (const label of ['Payment Type', 'Payer Type']) {
    await form.getByRole('combobox', { name: label }).click()
    await page.getByRole('option').first().click()
  }
  await form.getByLabel('Paid By').fill('Journey Payer')
  await form.getByLabel('Amount').fill('2.50')
  await form.getByLabel('Check/Confirmation Number').fill(unique('F'))
  await form.getByLabel('Payment Month').fill('01')
  await form.getByLabel('Payment Day').fill('05')
  await form.getByLabel('Payment Year').fill('2026')
  await form.getByLabel('Note').fill('By journey')
  const paid = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/payments'))
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
  expect((await paid).postDataJSON().paymentDate).toBe('1/5/2026')
  const listed = page.getByRole('table', { name: 'Payments' }).getByRole('cell', { name: '1/5/2026', exact: true })
  await expect(listed).toBeVisible()
})

test('TABLE-090 the period of a report is sent as M/DD/YYYY', async ({ page, signIn }) => {
  await signIn(page, 'staff', '/reports/qaReports')
  const report = card(page, 'Pending by status and age')
  await report.getByRole('textbox', { name: 'Date From' }).fill('02/03/2026')
  await report.getByRole('textbox', { name: 'Date To' }).fill('03/04/2026')
  const previewed = page.waitForRequest(/qa_reports\/preview/)
  await report.getByRole('button', { name: 'Preview' }).click()
  const { searchParams } = new URL((await previewed).url())
  expect([searchParams.get('fromDate'), searchParams.get('toDate')]).toEqual(['2/03/2026', '3/04/2026'])
  const downloaded = page.waitForRequest(/qa_reports\/download/)
  await report.getByRole('button', { name: 'Download Pending by status and age' }).click()
  expect((await downloaded).postDataJSON()).toMatchObject({ fromDate: '2/03/2026', toDate: '3/04/2026' })
})
