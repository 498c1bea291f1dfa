import { Secret, TOTP } from 'otpauth'
import { managementSession, newPerson, openAs, sessionOf } from '../support/people.ts'
import { loginForm } from '../support/sign-in.ts'
import { expect, test } from '../support/test.ts'

test('USR-67 USR-69 USR-70 USR-G13 the own profile shows who one is', async ({ page }) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/')
  await page.getByRole('link', { name: 'User Profile' }).click()
  for (const label of [
    'First Name',
    'Last Name',
    'Username',
    'Email',
    'Phone',
    'Role',
    'Entity',
    'Departments',
    'Last Logon',
  ])
    await expect(page.getByRole('term').filter({ hasText: new RegExp(`^${label}$`) })).toBeVisible()
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change Password' })).toBeVisible()
})

test('USR-68 USR-71 USR-72 USR-73 USR-74 USR-75 the own name can be changed', async ({ page }) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/user-profile')
  const edit = page.getByRole('link', { name: 'Edit' })
  await edit.click()
  await expect(page.getByLabel('First Name')).toBeFocused()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(edit).toBeFocused()
  await edit.press('Enter')
  await page.getByLabel('First Name').fill(' ')
  await page.getByLabel('Last Name').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('First Name is required')).toBeVisible()
  await expect(page.getByText('Last Name is required')).toBeVisible()
  await page.getByLabel('First Name').fill('Ivar')
  await page.getByLabel('Last Name').fill('Strand')
  await page.getByLabel('Last Name').press('Enter')
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(page).toHaveURL('/user-profile')
  await expect(page.getByText('Strand', { exact: true })).toBeVisible()
  await expect(edit).toBeFocused()
})

test('USR-76 SIGN-22 SIGN-42 SIGN-44 SIGN-48 SIGN-49 SIGN-50 the own password changes by the rules', async ({
  page,
}) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/user-profile')
  const open = page.getByRole('button', { name: 'Change Password' })
  await open.click()
  const [current, next, confirm] = ['Current password', 'New password', 'Confirm password'].map((label) =>
    page.getByLabel(label),
  ) as [ReturnType<typeof page.getByLabel>, ReturnType<typeof page.getByLabel>, ReturnType<typeof page.getByLabel>]
  await expect(current).toBeFocused()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(open).toBeFocused()
  await open.press('Enter')
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  for (const text of [
    'Current password is required',
    'Password must contain at least 1 number.',
    'Password confirm is required',
  ])
    await expect(page.getByText(text)).toBeVisible()
  await current.fill('Not-my-Password-2026!')
  await next.fill('A-better-Password-2026!')
  await confirm.fill('A-better-Password-2026?')
  await expect(page.getByText("Passwords don't match")).toBeVisible()
  await confirm.fill('A-better-Password-2026!')
  await save.click()
  // A wrong current password is no reason to be thrown out.
  await expect(current).toHaveAccessibleDescription('Current password is not correct')
  await expect(current).toBeFocused()
  await current.fill(person.password)
  await save.click()
  await expect(page.getByText('Password successfully changed')).toBeVisible()
  await expect(open).toBeFocused()
  expect((await sessionOf(page.request, person.userName, 'A-better-Password-2026!')).token).toBeTruthy()
})

test('SIGN-25 SIGN-G8 LOOK-135 an authenticator app is set up by its code and then used to sign in, and the phone can come back', async ({
  page,
  expectAccessible,
}) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/user-profile')
  await page.getByRole('button', { name: 'Use an authenticator app' }).click()
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  await expectAccessible(page)
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
  const app = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 })
  const code = page.getByLabel('Authentication code')
  await code.fill(app.generate() === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(code).toHaveAccessibleDescription(
    'The code was not right. Please enter the code that your app shows now.',
  )
  await code.fill(app.generate())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('At each sign-in you enter a code from your authenticator app.')).toBeVisible()

  await page.getByRole('button', { name: 'Log-out' }).click()
  const form = loginForm(page)
  await form.userName.fill(person.userName)
  await form.password.fill(person.password)
  const challenge = page.waitForResponse('**/idp')
  await form.login.click()
  expect((await (await challenge).json()).ChallengeName).toBe('SOFTWARE_TOKEN_MFA')
  await expect(page.getByText('Please enter the code of your authenticator app below.')).toBeVisible()
  // A step that was used is never accepted again, so this takes the next one.
  await form.code.fill(app.generate({ timestamp: Date.now() + 30_000 }))
  await form.authenticate.click()
  await expect(page.getByText('Successfully login')).toBeVisible()

  await page.goto('/user-profile')
  await page.getByRole('button', { name: 'Send codes to my phone' }).click()
  await expect(page.getByText('At each sign-in a code is sent to your phone.')).toBeVisible()
})

test('a user who has lost the authenticator app signs in by a code to the phone, once a manager of users allows it', async ({
  page,
  browser,
  expectAccessible,
}) => {
  const person = await newPerson(page.request)
  const context = await browser.newContext()
  const own = await context.newPage()
  await openAs(own, await sessionOf(page.request, person.userName, person.password), '/user-profile')
  await own.getByRole('button', { name: 'Use an authenticator app' }).click()
  const secret = (await own.locator('code').innerText()).replaceAll(' ', '')
  await own
    .getByLabel('Authentication code')
    .fill(new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate())
  await own.getByRole('button', { name: 'Confirm' }).click()
  await expect(own.getByText('At each sign-in you enter a code from your authenticator app.')).toBeVisible()

  await openAs(page, await managementSession(page.request), `/users/${person.id}/show`)
  await page.getByRole('button', { name: 'Codes by SMS' }).click()
  const question = page.getByRole('dialog', { name: 'Send the codes to the phone?' })
  await expect(question).toContainText(person.userName)
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Send codes by SMS' }).click()
  await expect(page.getByText('Codes go to the phone now')).toBeVisible()
  await own.reload()
  await expect(own).toHaveURL('/login')
  expect((await sessionOf(page.request, person.userName, person.password)).token).toBeTruthy()
  await context.close()
})

test('the key for an authenticator app stays the same while something else is saved', async ({ page }) => {
  const person = await newPerson(page.request)
  await sessionOf(page.request, person.userName, person.password)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/user-profile')
  await page.getByRole('button', { name: 'Use an authenticator app' }).click()
  const key = page.locator('code')
  const shown = await key.innerText()
  const sessions = page.getByRole('region', { name: 'Where You Are Signed In' }).getByRole('listitem')
  await expect(sessions).toHaveCount(2)
  // After a save the page reloads its data, the current factor too.
  const askedAnew = page.waitForResponse((reply) => /\.GetUser$/.test(reply.request().headers()['x-amz-target'] ?? ''))
  await sessions.filter({ hasNotText: ', this device' }).getByRole('button', { name: 'Sign out this device' }).click()
  await askedAnew
  await expect(sessions).toHaveCount(1)
  await expect(key).toHaveText(shown)
})

test('one can see where one is signed in, and sign out another device', async ({ page, browser }) => {
  const person = await newPerson(page.request)
  const here = await sessionOf(page.request, person.userName, person.password)
  const there = await sessionOf(page.request, person.userName, person.password)
  const context = await browser.newContext()
  const other = await context.newPage()
  await openAs(other, there, '/user-profile')
  await expect(other.getByText(person.email)).toBeVisible()
  await openAs(page, here, '/user-profile')
  const sessions = page.getByRole('region', { name: 'Where You Are Signed In' }).getByRole('listitem')
  await expect(sessions).toHaveCount(2)
  await expect(sessions.filter({ hasText: ', this device' })).toHaveCount(1)
  await sessions.filter({ hasNotText: ', this device' }).getByRole('button', { name: 'Sign out this device' }).click()
  await expect(sessions).toHaveCount(1)
  await other.reload()
  await expect(other).toHaveURL('/login')
  await page.getByRole('button', { name: 'Change Password' }).click()
  await page.getByLabel('Current password').fill('A-Password-2026!')
  await sessions.getByRole('button', { name: 'Sign out this device' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('Current password')).toHaveValue('A-Password-2026!')
  await sessions.getByRole('button', { name: 'Sign out this device' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page).toHaveURL('/login')
  await context.close()
})
