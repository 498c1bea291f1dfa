import type { Page } from '@playwright/test'
import { oneAtATime } from '../support/one-at-a-time.ts'
import {
  bearer,
  managementSession,
  messageTo,
  newPerson,
  openAs,
  sessionOf,
  temporaryPassword,
  uniqueName,
} from '../support/people.ts'
import { loginForm } from '../support/sign-in.ts'
import { expect, picture, test } from '../support/test.ts'

const choose = async (page: Page, label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const create = (page: Page) => page.getByRole('button', { name: 'Create', exact: true })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

test('USR-08 USR-54 USR-55 TABLE-047 TABLE-048 TABLE-050 TABLE-062 TABLE-063 an empty user form names every missing field and sends nothing', async ({
  page,
}) => {
  await openAs(page, await managementSession(page.request), '/users/create')
  let calls = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/mfa/users')) calls += 1
  })
  await expect(page.getByText('[country code][area code][phone number]')).toBeVisible()
  await create(page).click()
  for (const [id, name] of [
    ['USR-52', 'Username'],
    ['USR-48', 'First Name'],
    ['USR-49', 'Last Name'],
    ['USR-50', 'Email'],
    ['USR-53', 'Role'],
    ['USR-51', 'Department'],
  ] as const)
    await test.step(`${id} a missing ${name} is named`, () =>
      expect(page.getByText(`${name} is required`)).toBeVisible())
  await expect(page.getByText('Phone number allowed in format 00(000) 000-0000')).toBeVisible()
  await expect(page.getByLabel('Username')).toBeFocused()
  await page.getByLabel('Phone').fill('1 (503) 555-014')
  await expect(page.getByLabel('Phone')).toHaveAccessibleDescription('Phone number allowed in format 00(000) 000-0000')
  await page.getByLabel('Phone').fill('1 (503) 555-0142x')
  await expect(page.getByLabel('Phone')).toHaveValue('1 (503) 555-0142')
  await expect(page.getByText('Phone number allowed')).toBeHidden()
  expect(calls).toBe(0)
})

test('USR-40 USR-41 USR-42 USR-43 USR-44 USR-45 USR-46 TABLE-049 only the picker that fits the role is shown, and it is required', async ({
  page,
}) => {
  await openAs(page, await managementSession(page.request), '/users/create')
  const pickers = ['Client', 'Collaborator', 'Physician', 'Sales', 'Lab']
  for (const [role, picker] of [
    ['Client', 'Client'],
    ['Collaborator', 'Collaborator'],
    ['Physician', 'Physician'],
    ['Sales', 'Sales'],
    ['Staff', 'Lab'],
    ['Billing', null],
  ] as const) {
    await choose(page, 'Role', role)
    for (const name of pickers) {
      const input = page.getByRole('combobox', { name, exact: true })
      if (name === picker) await expect(input).toBeVisible()
      else await expect(input).toBeHidden()
    }
    await create(page).click()
    if (picker) await expect(page.getByText(`${picker} is required`, { exact: true })).toBeVisible()
  }
  await expect(page.getByText(/^(Client|Lab) is required$/)).toBeHidden()
})

test('USR-01 USR-47 USR-59 management creates a user, who gets an invitation, chooses a password and signs in', async ({
  page,
  browser,
}) => {
  const userName = uniqueName()
  const phone = `1503${String(Date.now()).slice(-7)}`
  await openAs(page, await managementSession(page.request), '/users/create')
  await page.getByLabel('Username').fill(userName)
  await page.getByLabel('First Name').fill('Inga')
  await page.getByLabel('Last Name').fill('Brandvold')
  await page.getByLabel('Email').fill(`${userName}@example.com`)
  await page.getByLabel('Phone').fill(phone)
  await choose(page, 'Role', 'Staff')
  await page.getByRole('combobox', { name: 'Lab' }).click()
  await page.getByRole('option').nth(0).click()
  await page.getByRole('group', { name: 'Department' }).getByRole('checkbox').first().check()
  const sent = page.waitForRequest((request) => request.url().endsWith('/mfa/users'))
  await create(page).click()
  expect((await sent).postDataJSON()).toMatchObject({ userName, entityId: expect.any(Number), isSubscribed: 0 })
  await test.step('USR-10 USR-11 TABLE-110 TABLE-135 the message of the server is shown, and the page of the user', async () => {
    await expect(page.getByText('Successfully created')).toBeVisible()
    await expect(page).toHaveURL(/\/users\/\d+\/show$/)
    await expect(page.getByRole('heading', { name: 'Inga Brandvold' })).toBeVisible()
  })
  const shown = `+1(503) ${phone.slice(4, 7)}-${phone.slice(7)}`
  await test.step('USR-12 USR-58 it shows phone and departments', async () => {
    await expect(page.getByText(shown)).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Departments' })).toBeVisible()
    await expect(page.getByText(/The temporary password is valid until/)).toBeVisible()
  })
  const temporary = temporaryPassword(await messageTo(page.request, userName, /Temporary password/))
  const context = await browser.newContext()
  const own = await context.newPage()
  await own.goto('/login')
  const form = loginForm(own)
  await form.userName.fill(userName)
  await form.password.fill(temporary)
  await test.step('SIGN-18 SIGN-26 the temporary password asks for a new one', async () => {
    await form.login.click()
    await expect(own.getByRole('heading', { name: 'New password required.' })).toBeVisible()
  })
  const choosePassword = async (password: string) => {
    await own.getByLabel('New password', { exact: true }).fill(password)
    await own.getByLabel('Confirm password').fill(password)
    await form.login.click()
  }
  // The temporary one is an old one; after the refusal another can be tried.
  await test.step('SIGN-39 a password that is refused says why', async () => {
    await choosePassword(temporary)
    await expect(own.getByRole('alert').filter({ hasText: 'must differ from the last 12' })).toBeVisible()
  })
  // Others take the newest code for their own.
  const message = await oneAtATime('sign-in', async () => {
    await choosePassword('Ingas-own-Password-2026!')
    await expect(form.code).toBeVisible()
    return messageTo(page.request, phone, /authentication code/)
  })
  const code = message.match(/\b\d{6}\b/)?.[0] ?? ''
  await form.code.fill(code)
  await form.authenticate.click()
  await expect(own.getByText('Inga Brandvold')).toBeVisible()
  await context.close()
})

test('USR-09 USR-56 USR-57 USR-60 TABLE-136 editing checks the phone, warns of a new role, and saves', async ({
  page,
}) => {
  const person = await newPerson(page.request, 'BILL')
  await openAs(page, await managementSession(page.request), `/users/${person.id}`)
  await expect(page.getByLabel('First Name')).toHaveValue('Ada')
  await expect(page.getByLabel('Username')).toBeHidden()
  await page.getByLabel('Phone').fill('123456')
  await save(page).click()
  await expect(page.getByLabel('Phone')).toHaveAccessibleDescription('Invalid phone number')
  await page.getByLabel('Phone').fill('1234567')
  await expect(page.getByText('Invalid phone number')).toBeHidden()
  await choose(page, 'Role', 'Administrator')
  await expect(page.getByText(/A new role changes what this person sees/)).toBeVisible()
  await page.getByLabel('First Name').fill('Adaeze')
  await save(page).click()
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(page).toHaveURL(`/users/${person.id}/show`)
  await expect(page.getByText('Adaeze', { exact: true })).toBeVisible()
  await expect(page.getByText('Administrator', { exact: true })).toBeVisible()
  await expect(page.getByText('+1234567')).toBeVisible()
})

test('TABLE-G18 USR-47 role and entity of one user are chosen together, by name, when two people have changed them', async ({
  page,
}) => {
  const person = await newPerson(page.request, 'BILL')
  const session = await managementSession(page.request)
  const headers = bearer(session)
  await openAs(page, session, `/users/${person.id}`)
  await choose(page, 'Role', 'Administrator')
  const { data } = await (await page.request.get(`/api/v3.0/users/${person.id}`, { headers })).json()
  const [client] = (await (await page.request.get('/api/v3.0/clients?perPage=1', { headers })).json()).data
  const saved = await page.request.put(`/api/v3.0/mfa/users/${person.id}`, {
    headers,
    data: { ...data, userRoleCode: 'CLNT', entityId: client.id },
  })
  expect(saved.status()).toBe(200)
  await save(page).click()
  const dialog = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  const row = dialog.getByRole('row', { name: /Role, Entity/ })
  await expect(row).toContainText('Administrator')
  await expect(row).toContainText(`Client, ${client.clientName}`)
  await row.getByRole('radio', { name: 'Role, Entity, theirs' }).check()
  await dialog.getByRole('button', { name: 'Save again' }).click()
  await expect(page).toHaveURL(`/users/${person.id}/show`)
  const after = await (await page.request.get(`/api/v3.0/users/${person.id}`, { headers })).json()
  expect(after.data).toMatchObject({ userRoleCode: 'CLNT', entityId: client.id })
})

test('TABLE-G18 two people change one user: the second sees both versions, field by field, and saves again', async ({
  page,
  expectAccessible,
}) => {
  const person = await newPerson(page.request, 'BILL')
  const session = await managementSession(page.request)
  await openAs(page, session, `/users/${person.id}`)
  await page.getByLabel('First Name').fill('Mine')
  const { data } = await (await page.request.get(`/api/v3.0/users/${person.id}`, { headers: bearer(session) })).json()
  const saved = await page.request.put(`/api/v3.0/mfa/users/${person.id}`, {
    headers: bearer(session),
    data: { ...data, userFirstName: 'Theirs', userLastName: 'Other' },
  })
  expect(saved.status()).toBe(200)
  await save(page).click()
  const dialog = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  await expect(dialog.getByRole('row', { name: /First Name/ })).toBeVisible()
  // Only they changed the last name, so it starts from theirs; both changed the first name.
  await expect(dialog.getByRole('radio', { name: 'Last Name, theirs' })).toBeChecked()
  await expect(dialog.getByRole('radio', { name: 'First Name, yours' })).toBeChecked()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save again' }).click()
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Mine Other' })).toBeVisible()
})

test('USR-13 USR-35..USR-39 LOOK-127 LOOK-128 disabling a user ends that session at once', async ({
  page,
  browser,
  expectAccessible,
}) => {
  const person = await newPerson(page.request, 'BILL')
  const context = await browser.newContext()
  const own = await context.newPage()
  await openAs(own, await sessionOf(page.request, person.userName, person.password), '/user-profile')
  await expect(own.getByText(person.email)).toBeVisible()
  await openAs(page, await managementSession(page.request), `/users/${person.id}/show`)
  const toggle = page.getByRole('switch', { name: 'Account enabled' })
  await expect(toggle).toBeChecked()
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith(`/users/${person.id}`)) sent.push(request.postDataJSON())
  })
  // Three fast switches are one call.
  for (let turn = 0; turn < 3; turn++) await toggle.click()
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(toggle).not.toBeChecked()
  expect(sent).toEqual([{ userStatusCode: 'LCK' }])
  await own.reload()
  await expect(own).toHaveURL('/login')
  // No link can be sent to it, and the button says why.
  const reset = page.getByRole('button', { name: 'Reset Password' })
  await expect(reset).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await reset.hover()
  await expect(page.getByRole('tooltip')).toHaveText('This account is disabled. Enable it first.')
  await picture(page, 'user-disabled')
  await toggle.click()
  await expect(toggle).toBeChecked()
  await expect(reset).not.toHaveAttribute('aria-disabled')
  await expect.poll(() => sent).toEqual([{ userStatusCode: 'LCK' }, { userStatusCode: 'ACT' }])
  await context.close()
})

test('USR-61 TABLE-134 deleting a user asks with its name, and the user is gone', async ({ page }) => {
  const person = await newPerson(page.request, 'BILL')
  await openAs(page, await managementSession(page.request), `/users/${person.id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Are you sure you want to delete this user?' })
  await expect(dialog).toContainText(`Ada Okonjo (${person.userName})`)
  await expect(dialog).toContainText("This item will be deleted immediately. You can't undo this action.")
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Successfully deleted')).toBeVisible()
  await page.goto(`/users/${person.id}/show`)
  await expect(page.getByText('404: Not found')).toBeVisible()
})

test('a record that somebody else deletes meanwhile says so over what was typed, and leaves the screen with it', async ({
  page,
  expectAccessible,
}) => {
  const person = await newPerson(page.request, 'BILL')
  const management = await managementSession(page.request)
  await openAs(page, management, `/users/${person.id}/show`)
  await expect(page.getByText(person.email)).toBeVisible()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('First Name').fill('Grace')
  await page.request.delete(`/api/v3.0/mfa/users/${person.id}`, { headers: bearer(management) })
  await page.getByRole('button', { name: 'Save' }).click()
  const banner = page.getByRole('alert').filter({ hasText: 'There is no such record for you any more.' })
  await expect(banner).toBeVisible()
  await expect(page.getByLabel('First Name')).toHaveValue('Grace')
  await expectAccessible(page)
  await page.getByLabel('First Name').fill('Ada')
  await expect(page.getByText('404: Not found')).toBeVisible()
  await expect(page.getByText(person.userName)).toBeHidden()
})

test('USR-G9 an administrator sees users, and may neither create nor edit them', async ({ page }) => {
  const person = await newPerson(page.request, 'BILL')
  await openAs(page, await sessionOf(page.request, 'admin'), `/users/${person.id}/show`)
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Edit' })).toBeHidden()
  await page.goto('/users/create')
  await expect(page).toHaveURL('/403')
})
