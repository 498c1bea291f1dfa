import { expect, type Locator, type Page } from '@playwright/test'
import { oneAtATime } from './one-at-a-time.ts'
import { bearer, outbox, type Person, sessionOf } from './people.ts'

// The form behind the modal has a user name too.
export const modalForm = (page: Page, inside: Page | Locator = modal(page)) => ({
  userName: inside.getByLabel('Username'),
  password: inside.getByLabel('Password', { exact: true }),
  login: inside.getByRole('button', { name: 'Login' }),
  code: inside.getByLabel('Authentication code'),
  authenticate: inside.getByRole('button', { name: 'Authenticate' }),
})
export const modal = (page: Page) => page.getByRole('dialog', { name: 'Session expired, please re-login.' })

/** Ends the session of the page from another device of the same person, as 'Sign out this device' does. */
export const endSessionOf = async (page: Page, person: Person) => {
  const other = await sessionOf(page.request, person.userName, person.password)
  const { data } = await (await page.request.get('/api/v3.0/mfa/profile/sessions', { headers: bearer(other) })).json()
  for (const session of data.filter(({ isCurrent }: { isCurrent: number }) => isCurrent === 0))
    await page.request.delete(`/api/v3.0/mfa/profile/sessions/${session.id}`, { headers: bearer(other) })
}

/** From now on the password is too old, until the person has chosen another. */
export const letPasswordRunOut = async (page: Page) => {
  let isNew = false
  await page.route('**/api/v3.0/mfa/login', (route) =>
    isNew
      ? route.continue()
      : route.fulfill({ status: 490, json: { message: 'The password has expired. Please choose a new one.' } }),
  )
  await page.route('**/api/v3.0/mfa/profile/chg_exp_pwd', async (route) => {
    isNew = true
    await route.continue()
  })
}

/** Gives the person who is asked for it a new password. */
export const replacePassword = async (person: Person, inside: Page | Locator): Promise<Person> => {
  const password = 'Another-Password-2026!'
  await expect(inside.getByRole('heading', { name: 'New password required.' })).toBeVisible()
  await expect(inside.getByText('Your password has expired.')).toBeVisible()
  await inside.getByLabel('Current password').fill(person.password)
  await inside.getByLabel('New password', { exact: true }).fill(password)
  await inside.getByLabel('Confirm password').fill(password)
  await inside.getByRole('button', { name: 'Login' }).click()
  await expect(inside.getByLabel('Username')).toHaveValue(person.userName)
  return { ...person, password }
}

/** Signs in inside the modal, where the name of the user is already filled in; or on the login page. */
export const signInAgain = async (page: Page, person: Person, inside?: Page) => {
  const form = modalForm(page, inside)
  await form.userName.fill(person.userName)
  await form.password.fill(person.password)
  const codes = async () =>
    (await outbox(page.request)).filter(({ to, body }) => to.includes(person.phone) && /authentication code/.test(body))
  // Others take the newest code for their own.
  const code = await oneAtATime('sign-in', async () => {
    const before = (await codes()).length
    await form.login.click()
    await expect(form.code).toBeVisible()
    await expect.poll(async () => (await codes()).length).toBeGreaterThan(before)
    return (await codes())[0]?.body ?? ''
  })
  await form.code.fill(code.match(/\b\d{6}\b/)?.[0] ?? '')
  await form.authenticate.click()
}
