import type { Locator, Page } from '@playwright/test'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { box, type Calls, callsOf, card, clientWithZone, orderDay, text, unique } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

const icdCode = 'E78.5'
const chooseIcd = async (page: Page) => {
  await box(page, 'Diagnoses (ICD)').pressSequentially(icdCode)
  await page.getByRole('option', { name: /^E78\.5/ }).click()
  await page.keyboard.press('Escape')
}
const icdsOf = async (api: Calls, id: number) =>
  (await api.get(`requisitions/${id}/req_icds`)).map((one: { icdCode: string }) => one.icdCode)

const fillPatient = async (page: Page, lastName: string) => {
  await text(page, 'First Name').fill('Nora')
  await text(page, 'Last Name').fill(lastName)
  for (const [part, value] of Object.entries({ Month: '3', Day: '4', Year: '1961' }))
    await text(page, `DOB ${part}`).fill(value)
  await box(page, 'Gender').click()
  await page.getByRole('option', { name: 'Female', exact: true }).click()
}

/** The number in 'Order #1000021'. */
const numberOf = async (placed: Locator) => Number(/#(\d+)/.exec(await placed.innerText())?.[1])

const expectFromPortal = async (page: Page) => {
  const history = page.getByRole('table', { name: 'History' })
  await history
    .getByRole('row', { name: /Created/ })
    .last()
    .getByRole('button', { name: /^Expand/ })
    .click()
  await expect(history.getByRole('row', { name: /Source.*Portal/ }).first()).toBeVisible()
}

test('HOME-11 a practice orders for a new patient with its usual set, prints the requisition, and orders again for the same patient', async ({
  page,
  context,
  signIn,
  look,
}) => {
  const lastName = unique('Portal')
  const policyNo = unique('P-')
  await signIn(page, 'client')
  await page.getByRole('link', { name: 'Order tests', exact: true }).first().click()
  await expect(page).toHaveURL(/\/order/)
  await test.step('a new patient, the usual set first, collected now', async () => {
    await fillPatient(page, lastName)
    const usual = page.getByRole('group', { name: 'Your usual sets' }).getByRole('button').first()
    await usual.click()
    await expect(usual).toHaveAttribute('aria-pressed', 'true')
    await chooseIcd(page)
    await box(page, 'Physician').click()
    await page.getByRole('option').first().click()
    await page.getByRole('radio', { name: 'Has been collected' }).check()
    const [year = '', month = '', day = ''] = orderDay().split('-')
    for (const [part, value] of Object.entries({ Month: month, Day: day, Year: year, Hours: '10', Minutes: '05' }))
      await text(page, `Collected ${part}`).fill(value)
    await box(page, 'Time of day').click()
    await page.getByRole('option', { name: 'AM', exact: true }).click()
    await look(page, 'order-tests', deskAndPhone)
    await page.getByRole('button', { name: 'Order', exact: true }).click()
  })
  const placed = page.getByRole('region', { name: /^Order #\d+$/ })
  await expect(placed).toBeVisible()
  const first = await numberOf(placed)
  const admin = callsOf(page.request, await sessionOf(page.request, 'admin'))
  await test.step('it is a logged requisition with its diagnosis, and its paper is opened as a PDF', async () => {
    const client = callsOf(page.request, await sessionOf(page.request, 'client'))
    expect(await client.get(`requisitions/${first}`)).toMatchObject({ reqStatusCode: 'LOG', isToCollect: 0 })
    expect(await icdsOf(admin, first)).toEqual([icdCode])
    const [reply, opened] = await Promise.all([
      page.waitForResponse(/portal_orders\/\d+\/print/),
      context.waitForEvent('response', (one) => one.headers()['content-type'] === 'application/pdf'),
      placed.getByRole('button', { name: 'Print requisition' }).click(),
    ])
    const { data } = await reply.json()
    expect(new URL(opened.url()).pathname).toBe(new URL(data.url, page.url()).pathname)
    const file = await page.request.get(data.url)
    expect((await file.body()).subarray(0, 5).toString()).toBe('%PDF-')
  })
  await test.step('the laboratory enters the insurance of the patient', async () => {
    const [{ billId }] = await admin.get(`requisitions/${first}/billings`)
    await admin.post(`requisitions/${first}/billings/${billId}/insurances`, {
      billingOrder: 1,
      reqBillTypeCode: 'INSURANCE',
      insuranceCompany: 'Alder Mutual Health',
      policyHolder: `Nora ${lastName}`,
      policyNo,
    })
  })
  await test.step('the patient is known now; the next sample is collected later', async () => {
    await placed.getByRole('button', { name: 'Order again' }).click()
    await text(page, 'Find a patient').fill(lastName)
    await page.getByRole('list', { name: 'Patients found' }).getByRole('button', { name: 'Use this patient' }).click()
    await expect(card(page, 'Patient')).toContainText(lastName)
    await expect(card(page, 'Patient')).toContainText(`Insurance as known: Alder Mutual Health ${policyNo}`)
    await page
      .getByRole('radiogroup', { name: 'Bill the insurance of the last order' })
      .getByRole('radio', { name: 'Yes' })
      .check()
    await box(page, 'Tests').click()
    await page.getByRole('option').last().click()
    await page.keyboard.press('Escape')
    await box(page, 'Physician').click()
    await page.getByRole('option').first().click()
    await page.getByRole('radio', { name: 'Is collected later' }).check()
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await expect(placed).toBeVisible()
    const second = await numberOf(placed)
    expect(second).not.toBe(first)
    const [{ billId }] = await admin.get(`requisitions/${second}/billings`)
    const insurances: { policyNo: string }[] = await admin.get(`requisitions/${second}/billings/${billId}/insurances`)
    expect(insurances.map((one) => one.policyNo)).toEqual([policyNo])
  })
  await test.step('staff see on Activity that the order came from the portal', async () => {
    await openAs(page, await sessionOf(page.request, 'staff'), `/requisitions/${first}/show/activity`)
    await expectFromPortal(page)
  })
})

test('HOME-11 a physician orders in their own name', async ({ page, signIn }) => {
  await signIn(page, 'physician')
  await page.getByRole('link', { name: 'Order tests', exact: true }).first().click()
  const lastName = unique('Portal')
  await fillPatient(page, lastName)
  await box(page, 'Tests').click()
  await page.getByRole('option').last().click()
  await page.keyboard.press('Escape')
  await chooseIcd(page)
  await page.getByRole('radio', { name: 'Is collected later' }).check()
  await page.getByRole('button', { name: 'Order', exact: true }).click()
  const placed = page.getByRole('region', { name: /^Order #\d+$/ })
  await expect(placed).toBeVisible()
  const id = await numberOf(placed)
  const staff = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, staff)
  const physician = callsOf(page.request, await sessionOf(page.request, 'physician'))
  const { physicians } = await physician.get('portal_orders/options')
  expect(physicians).toHaveLength(1)
  expect(await api.get(`requisitions/${id}`)).toMatchObject({
    reqStatusCode: 'LOG',
    isToCollect: 1,
    orderingClientPhysId: physicians[0].orderingClientPhysId,
  })
  expect(await icdsOf(api, id)).toEqual([icdCode])
  await openAs(page, staff, `/requisitions/${id}/show/activity`)
  await expectFromPortal(page)
})

test('HOME-11 a practice without the right sees no button, and the page says whom to ask', async ({ page }) => {
  const admin = callsOf(page.request, await sessionOf(page.request, 'admin'))
  const { id } = await clientWithZone(admin)
  expect((await admin.get(`clients/${id}`)).isPortalOrder).toBe(0)
  const person = await newPerson(page.request, 'CLNT', id)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/')
  await expect(card(page, 'On the way')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Order tests' })).toHaveCount(0)
  await page.goto('/order')
  await expect(page.getByText('Ordering is not open for your practice')).toBeVisible()
  await expect(page.getByText('Ask the laboratory to open ordering for it.').first()).toBeVisible()
})
