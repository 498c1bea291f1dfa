import type { Page } from '@playwright/test'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { callsOf, newRequisition } from '../support/requisition.ts'
import { endSessionOf } from '../support/session-renewal.ts'
import { storeSession } from '../support/stored-session.ts'
import { expect, test } from '../support/test.ts'

const notLoaded = /Failed to fetch dynamically imported module|ERR_FAILED/
const failure = (page: Page) => page.getByRole('alert').filter({ hasText: 'This part could not be loaded' })
const retry = (page: Page) => failure(page).getByRole('button', { name: 'Retry' })

/** The connection fails for these files, until it is repaired. */
const breakLine = async (page: Page, files: string) => {
  await page.route(files, (route) => route.abort())
  return () => page.unroute(files)
}

test.describe('a part of a page that cannot be loaded says so in its place', () => {
  test.beforeEach(({ faults }) => faults.expect(notLoaded))

  test('under a row, while the list stays; Retry brings both', async ({ page, signIn, look }) => {
    const restore = await breakLine(page, '**/assets/sub-table-*.js')
    await signIn(page, 'staff', '/requisitions?status=Logged')
    const expand = page.getByRole('button', { name: /^Expand #/ }).first()
    await expand.click()
    await expect(failure(page)).toBeVisible()
    await expect(page.getByRole('table', { name: 'Requisitions' })).toBeVisible()
    await look(page, 'part-not-loaded', [1440, 1024, 390])
    // Another width draws the rows again, and with them what is under them.
    await page.reload()
    await expand.click()
    await expect(failure(page)).toBeVisible()
    await restore()
    await retry(page).click()
    await expect(failure(page)).toHaveCount(0)
    await expand.click()
    await expect(page.getByRole('region', { name: /^Scanned documents of #/ })).toBeVisible()
  })

  test('in a form, while what is typed stays', async ({ page, signIn }) => {
    await breakLine(page, '**/assets/calendar-*.js')
    await signIn(page, 'staff', '/requisitions')
    const name = page.getByRole('textbox', { name: 'Patient Last Name' })
    await name.fill('Doe')
    await page.getByRole('button', { name: 'Choose Patient DOB' }).click()
    await expect(failure(page)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(failure(page)).toHaveCount(0)
    await page.getByRole('textbox', { name: 'Patient DOB' }).fill('01/02/1965')
    await expect(name).toHaveValue('Doe')
  })

  test('as a tab of a requisition, while the patient and the other tabs stay', async ({ page }) => {
    const restore = await breakLine(page, '**/assets/activity-tab-*.js')
    const session = await sessionOf(page.request, 'staff')
    const id = await newRequisition(callsOf(page.request, session))
    await openAs(page, session, `/requisitions/${id}/show/activity`)
    await expect(failure(page)).toBeVisible()
    const tabs = page.getByRole('navigation', { name: 'Parts of the requisition' })
    await tabs.getByRole('link', { name: 'Status' }).click()
    await expect(tabs.getByRole('link', { name: 'Status' })).toHaveAttribute('aria-current', 'page')
    await expect(failure(page)).toHaveCount(0)
    await tabs.getByRole('link', { name: 'Activity' }).click()
    await expect(failure(page)).toBeVisible()
    await restore()
    await retry(page).click()
    await expect(page.getByRole('region', { name: 'History' })).toBeVisible()
  })

  test('SESS-G1 and a session that runs out under it is renewed in another tab, with nothing typed lost', async ({
    page,
    look,
  }) => {
    const person = await newPerson(page.request)
    await breakLine(page, '**/assets/session-expired-modal-*.js')
    await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
    await page.getByLabel('First Name').fill('Jane')
    await endSessionOf(page, person)
    await page.getByLabel('Last Name').fill('Doe')
    const way = page.getByRole('link', { name: 'sign in in another tab' })
    await expect(way).toHaveAttribute('href', '/login')
    await look(page, 'sign-in-elsewhere', [1440, 390])
    const opened = page.waitForEvent('popup')
    await way.click()
    const other = await opened
    await expect(other.getByLabel('Username')).toBeVisible()
    await storeSession(other, await sessionOf(page.request, person.userName, person.password))
    await expect(way).toHaveCount(0)
    await expect(page.getByLabel('First Name')).toHaveValue('Jane')
    await expect(page.getByLabel('Last Name')).toHaveValue('Doe')
  })

  test('SESS-G1 and nothing typed is left for another person who signs in there', async ({ page, context }) => {
    const person = await newPerson(page.request)
    await breakLine(page, '**/assets/session-expired-modal-*.js')
    await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
    await page.getByLabel('First Name').fill('J')
    await endSessionOf(page, person)
    await page.getByLabel('First Name').fill('Jane')
    await expect(page.getByRole('link', { name: 'sign in in another tab' })).toBeVisible()
    const other = await context.newPage()
    await other.goto('/healthz')
    await storeSession(other, await sessionOf(page.request, 'management'))
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  })
})
