import type { Page } from '@playwright/test'
import { hold } from '../support/held.ts'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import {
  endSessionOf,
  letPasswordRunOut,
  modal,
  modalForm,
  replacePassword,
  signInAgain,
} from '../support/session-renewal.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

const openForm = async (page: Page) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
  await expect(page.getByLabel('Username')).toBeVisible()
  return person
}

test('SESS-28 SESS-29 SESS-G1 a session that ends in the middle of a form is renewed in place, and nothing typed is lost', async ({
  page,
  look,
}) => {
  const person = await openForm(page)
  await page.getByLabel('First Name').fill('Jane')
  await endSessionOf(page, person)
  await page.getByLabel('Last Name').fill('Doe')
  // The draft cannot be saved, and so the page learns that the session is over.
  await expect(modal(page)).toBeVisible()
  await expect(modalForm(page).userName).toHaveValue(person.userName)
  await expect(modalForm(page).password).toBeFocused()
  await look(page, 'session-expired', deskAndPhone)
  await signInAgain(page, person)
  await expect(modal(page)).toBeHidden()
  await expect(page).toHaveURL('/users/create')
  await expect(page.getByLabel('First Name')).toHaveValue('Jane')
  await expect(page.getByLabel('Last Name')).toHaveValue('Doe')
  await page.getByLabel('Email').fill('jane@example.com')
  await expect(page.getByLabel('Email')).toHaveValue('jane@example.com')
})

test('SESS-G1 a save that met the end of the session is sent after the same person has signed in again', async ({
  page,
}) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/user-profile/edit')
  await expect(page.getByLabel('First Name')).toHaveValue('Ada')
  await endSessionOf(page, person)
  // The save is to meet it, not the draft.
  const letDraftGo = await hold(page, '**/api/v3.0/drafts/**')
  await page.getByLabel('First Name').fill('Grace')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(modal(page)).toBeVisible()
  await expect(modalForm(page).password).toBeFocused()
  letDraftGo()
  await signInAgain(page, person)
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(page).toHaveURL('/user-profile')
  await expect(page.getByText('Grace', { exact: true })).toBeVisible()
})

test('SESS-G1 SIGN-33 a password that runs out in the middle of a form leaves what was typed, and nothing for the next person', async ({
  page,
  faults,
}) => {
  faults.expect(/Unable to refresh Token.*The password has expired/)
  const person = await openForm(page)
  // The draft is sent with an expired token, and the renewal finds an expired password.
  await page.route('**/api/v3.0/drafts/**', (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
  await letPasswordRunOut(page)
  await page.getByLabel('First Name').fill('Jane')
  await expect(modal(page)).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await signInAgain(page, person)
  await signInAgain(page, await replacePassword(person, modal(page)))
  await expect(modal(page)).toBeHidden()
  await expect(page).toHaveURL('/users/create')
  await expect(page.getByLabel('First Name')).toHaveValue('Jane')
  await page.getByRole('button', { name: 'Log-out' }).click()
  const leave = page.getByRole('button', { name: 'Leave', exact: true })
  const login = page.getByRole('heading', { name: 'LIS Login' })
  await expect(leave.or(login)).toBeVisible()
  if (await leave.isVisible()) await leave.click()
  await expect(login).toBeVisible()
})

test('SESS-G1 another person who signs in there finds nothing of it', async ({ page }) => {
  const person = await openForm(page)
  await page.getByLabel('First Name').fill('J')
  await endSessionOf(page, person)
  await page.getByLabel('First Name').fill('Jane')
  await expect(modal(page)).toBeVisible()
  await signInAgain(page, await newPerson(page.request))
  await expect(page).toHaveURL('/')
  await page.goto('/users/create')
  await expect(page.getByLabel('First Name')).toHaveValue('')
  await expect(page.getByText('Resume editing')).toBeHidden()
})

test('SESS-G1 a page without unsaved input goes to login, and so does who leaves the modal', async ({ page }) => {
  const person = await openForm(page)
  await endSessionOf(page, person)
  await page.getByRole('link', { name: 'User Profile' }).click()
  await expect(page).toHaveURL('/login')
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
  await page.getByLabel('First Name').fill('J')
  await endSessionOf(page, person)
  await page.getByLabel('First Name').fill('Jane')
  await expect(modal(page)).toBeVisible()
  await page.getByRole('button', { name: 'Leave this page' }).click()
  await expect(page).toHaveURL('/login')
})

test('SESS-14 SESS-G1 status 408 cancels what is on its way, and a save among it is sent again after the sign-in', async ({
  page,
}) => {
  const person = await newPerson(page.request)
  const session = await sessionOf(page.request, person.userName, person.password)
  await openAs(page, session, '/requisitions?status=Accessioned')
  // A save that the server takes long to answer.
  let saves = 0
  await page.route('**/pass_codes', (route) => (++saves === 1 ? undefined : route.continue()))
  const saving = page.waitForRequest(/pass_codes$/)
  // Not the first, which other journeys change.
  const codes = page.getByRole('combobox', { name: /^Pass Codes of #/ }).nth(5)
  await codes.click()
  await page.getByRole('option').first().click()
  await page.keyboard.press('Escape')
  const { url, postData } = { url: (await saving).url(), postData: (await saving).postData() }
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url() === url)
  await page.route(/requisitions\/ACC\?/, (route) => route.fulfill({ status: 408, json: {} }), { times: 1 })
  // Not by the mouse: news of others may have the list read before, and then the modal is in its way.
  await page.getByRole('columnheader', { name: 'Client' }).getByRole('button').dispatchEvent('click')
  expect((await cancelled).failure()?.errorText).toBe('net::ERR_ABORTED')
  await expect(modal(page)).toBeVisible()
  const again = page.waitForResponse(url)
  await signInAgain(page, person)
  expect([(await again).status(), (await again).request().postData()]).toEqual([200, postData])
  await expect(codes).toBeVisible()
})
