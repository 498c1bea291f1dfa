import type { Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, newRequisition } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

let session: Awaited<ReturnType<typeof sessionOf>>
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  await request.dispose()
})
const api = (page: Page) => callsOf(page.request, session)

test('BLG-002 the address of a bill names what is missing', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/billing`)
  const info = card(page, 'Patient Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await expect(info.getByRole('button', { name: 'Cancel' }).first()).toBeVisible()
  await info.getByRole('button', { name: 'Save' }).first().click()
  for (const [row, label] of [
    ['BLG-011', 'State'],
    ['BLG-012', 'City'],
    ['BLG-013', 'ZIP'],
    ['BLG-014', 'Address 1'],
    ['BLG-015', 'Email'],
  ] as const)
    await test.step(`${row} ${label} is required`, () =>
      expect(info.getByText(`${label} is required`, { exact: true })).toBeVisible())
  const client = await sessionOf(page.request, 'client')
  const [own] = await callsOf(page.request, client).get('requisitions/CLIENTPHYSROLE?page=1&perPage=25')
  await openAs(page, client, `/requisitions/${own.id}/show/billing`)
  await expect(info).toBeVisible()
  await expect(info.getByRole('button', { name: 'Edit' })).toHaveCount(0)
})

test('BLG-031 a guarantor who is the patient has no further fields once the order is in work', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/billing`)
  const guarantor = card(page, 'Guarantor Information')
  await expect(guarantor.getByText('First Name', { exact: true })).toBeVisible()
  await api(page).put(`requisitions/${id}`, { reqStatusCode: 'RESULT' })
  await page.reload()
  await expect(guarantor.getByText('Relationship', { exact: true })).toBeVisible()
  await expect(guarantor.getByText('First Name', { exact: true })).toHaveCount(0)
})

test('BLG-046 the form to add an insurance offers the places in the billing order', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/billing`)
  await card(page, 'Insurance Information').getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Billing Order' }).click()
  for (const [row, option] of [
    ['BLG-059', '1 Primary'],
    ['BLG-060', '2 Secondary'],
    ['BLG-061', '3 3th'],
    ['BLG-062', '4 4th'],
  ] as const)
    await test.step(`${row} the order ${option} is offered`, () =>
      expect(page.getByRole('option', { name: option, exact: true })).toBeVisible())
  await expect(page.getByRole('option')).toHaveCount(4)
})

test('the batches say that there are none, that one is empty, and why one could not be read', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  const address = '/requisitions?status=BillingBatch'
  const batches = /\/api\/v3\.0\/billing\/batch\?/
  const details = /\/api\/v3\.0\/billing\/batch\/details\/\d+/
  const open = async () => {
    await openAs(page, session, address)
    await page
      .getByRole('button', { name: /^Expand Batch/ })
      .first()
      .click()
  }
  await open()
  for (const [row, column] of [
    ['BLG-126', 'Req ID'],
    ['BLG-127', 'Patient Name'],
    ['BLG-128', 'DOB'],
    ['BLG-129', 'Client'],
    ['BLG-130', 'Physician'],
    ['BLG-131', 'Test Codes'],
  ] as const)
    await test.step(`${row} a requisition of a batch shows ${column}`, () =>
      expect(page.locator('tr.subrow').first().getByRole('columnheader', { name: column, exact: true })).toBeVisible())
  await test.step('BLG-142 a batch without requisitions warns', async () => {
    await page.route(details, (route) => route.fulfill({ json: { data: [], total: 0, message: '' } }))
    await open()
    await expect(page.getByText('No details found for this billing batch').first()).toBeVisible()
    await page.unroute(details)
  })
  await test.step('BLG-143 a batch that cannot be read says so with the message', async () => {
    await page.route(details, (route) => route.fulfill({ status: 400, json: { message: 'The store is closed' } }))
    await open()
    await expect(
      page.getByText('Error fetching billing batch details: The store is closed', { exact: true }).first(),
    ).toBeVisible()
    await page.unroute(details)
  })
  await test.step('BLG-140 ticked batches without a number are not asked for', async () => {
    await page.route(batches, async (route) => {
      const reply = await route.fetch()
      const { data, ...rest } = await reply.json()
      const numberless = data.map((row: object, index: number) => ({ ...row, id: -1 - index }))
      await route.fulfill({ response: reply, json: { ...rest, data: numberless } })
    })
    await openAs(page, session, address)
    await page
      .getByRole('checkbox', { name: /^Select Batch/ })
      .first()
      .check()
    await page.getByLabel('Selected rows').getByRole('button', { name: 'Bulk Download' }).click()
    await expect(page.getByText('No valid billing batch IDs found in the selection').first()).toBeVisible()
    await page.unroute(batches)
  })
  await test.step('BLG-141 that there are no batches is said', async () => {
    await page.route(batches, (route) => route.fulfill({ json: { data: [], total: 0, message: '' } }))
    await openAs(page, session, address)
    await expect(page.getByText('No billing batches found').first()).toBeVisible()
  })
})

test('BLG-087 an ICD code that cannot be saved shows the message of the server', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/billing`)
  await page.route(/\/req_icds$/, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 409, json: { message: 'The bill is closed' } })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Add ICD' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Custom ICD').check()
  await dialog.getByLabel('ICD Description').fill('Typed here')
  await dialog.getByLabel('ICD Code').fill(`q${id}`)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('The bill is closed').first()).toBeVisible()
})

test('BLG-098 the payments are paged', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/payments`)
  await expect(page.getByRole('heading', { name: 'Add Payment' })).toBeVisible()
  await expect(page.getByLabel('Rows per page')).toBeVisible()
})
