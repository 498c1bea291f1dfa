import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { bearer, newPerson, openAs, outbox, type Person, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

// To be looked at. Not committed.
const screens = join(import.meta.dirname, '../../test-results/screens')

// The form behind the modal has a user name too.
const modalForm = (page: Page) => {
  const inside = modal(page)
  return {
    userName: inside.getByLabel('Username'),
    password: inside.getByLabel('Password', { exact: true }),
    login: inside.getByRole('button', { name: 'Login' }),
    code: inside.getByLabel('Authentication code'),
    authenticate: inside.getByRole('button', { name: 'Authenticate' }),
  }
}
const modal = (page: Page) => page.getByRole('dialog', { name: 'Session expired, please re-login.' })

/** Ends the session of the page from another device of the same person, as 'Sign out this device' does. */
const endSessionOf = async (page: Page, person: Person) => {
  const other = await sessionOf(page.request, person.userName, person.password)
  const { data } = await (await page.request.get('/api/v3.0/mfa/profile/sessions', { headers: bearer(other) })).json()
  for (const session of data.filter(({ isCurrent }: { isCurrent: number }) => isCurrent === 0))
    await page.request.delete(`/api/v3.0/mfa/profile/sessions/${session.id}`, { headers: bearer(other) })
}

/** Signs in inside the modal, where the name of whoever was cut off is already filled in. */
const signInAgain = async (page: Page, person: Person) => {
  const form = modalForm(page)
  await form.userName.fill(person.userName)
  await form.password.fill(person.password)
  const codes = async () =>
    (await outbox(page.request)).filter(({ to, body }) => to.includes(person.phone) && /authentication code/.test(body))
  const before = (await codes()).length
  await form.login.click()
  await expect(form.code).toBeVisible()
  let code = ''
  await expect(async () => {
    const sent = await codes()
    expect(sent.length).toBeGreaterThan(before)
    code = sent[0]?.body ?? ''
  }).toPass()
  await form.code.fill(code.match(/\b\d{6}\b/)?.[0] ?? '')
  await form.authenticate.click()
}

const openForm = async (page: Page) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
  await expect(page.getByLabel('Username')).toBeVisible()
  return person
}

test('SESS-28 SESS-29 SESS-G1 a session that ends in the middle of a form is renewed in place, and nothing typed is lost', async ({
  page,
  expectAccessible,
}) => {
  test.setTimeout(60_000)
  const person = await openForm(page)
  await endSessionOf(page, person)
  await page.getByLabel('First Name').fill('Jane')
  await page.getByLabel('Last Name').fill('Doe')
  // The draft cannot be kept, and so the page learns that the session is over.
  await expect(modal(page)).toBeVisible()
  await expect(modalForm(page).userName).toHaveValue(person.userName)
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      await expectAccessible(page)
      await page.screenshot({ path: join(screens, `session-expired-${colorScheme}-${width}.png`) })
    }
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
  test.setTimeout(60_000)
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/user-profile/edit')
  await expect(page.getByLabel('First Name')).toHaveValue('Ada')
  await endSessionOf(page, person)
  await page.getByLabel('First Name').fill('Grace')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(modal(page)).toBeVisible()
  await signInAgain(page, person)
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(page).toHaveURL('/user-profile')
  await expect(page.getByText('Grace', { exact: true })).toBeVisible()
})

test('SESS-G1 another person who signs in there finds nothing of it', async ({ page }) => {
  test.setTimeout(60_000)
  const person = await openForm(page)
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
  test.setTimeout(60_000)
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
