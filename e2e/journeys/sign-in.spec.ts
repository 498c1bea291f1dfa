import type { Page } from '@playwright/test'
import { demoPassword } from '../support/accounts.ts'
import { oneAtATime } from '../support/one-at-a-time.ts'
import { expectCode } from '../support/outbox.ts'
import { sessionOf } from '../support/people.ts'
import { enterPassword, loginForm, signIn } from '../support/sign-in.ts'
import { currentSession, storedSession } from '../support/stored-session.ts'
import { expect, test } from '../support/test.ts'

/** The audiences that the product serves, each with the account of its role. */
const audiences = [
  ['PERM-010', 'staff'],
  ['PERM-011', 'admin'],
  ['PERM-012', 'management'],
  ['PERM-013', 'sales'],
  ['PERM-014', 'billing'],
  ['PERM-015', 'collaborator'],
  ['PERM-016', 'client'],
  ['PERM-017', 'physician'],
] as const

for (const [id, account] of audiences) {
  test(`${id} SIGN-01 SIGN-24 SIGN-30 SIGN-31 SHELL-14 SHELL-17 SHELL-18 ${account} signs in and sees home with the own name`, async ({
    page,
  }) => {
    const ownRecord = page.waitForResponse((response) => /\/api\/v3\.0\/users\/\d+$/.test(response.url()))
    await signIn(page, account)
    await expect(page).toHaveURL('/')
    await expect(page.getByText('Successfully login')).toBeVisible()
    const { data } = await (await ownRecord).json()
    await expect(page.getByText(`${data.userFirstName} ${data.userLastName}`, { exact: true })).toBeVisible()
    expect(data.userName).toBe(account)
  })
}

test("SIGN-02 SIGN-03 SIGN-04 SIGN-09 SIGN-10 SIGN-11 the login page shows its title, fields, link, button and 'Powered by' line", async ({
  page,
}) => {
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'LIS Login' })).toBeVisible()
  const form = loginForm(page)
  await expect(form.userName).toBeFocused()
  await expect(form.password).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(form.password).toHaveAttribute('type', 'text')
  await expect(form.login).toBeVisible()
  await expect(page.getByRole('link', { name: 'Forgot Password' })).toBeVisible()
  await expect(page.getByText('Powered by Lab Information System (LIS)')).toBeVisible()
})

test('SIGN-40 SIGN-41 empty fields show their messages, all at once', async ({ page }) => {
  await page.goto('/login')
  await loginForm(page).login.click()
  await expect(page.getByText('Username is required')).toBeVisible()
  await expect(page.getByText('Password is required')).toBeVisible()
  await expect(loginForm(page).userName).toHaveAccessibleDescription('Username is required')
})

test('SIGN-37 SIGN-G9 a wrong password shows the message of the server until the next try succeeds, and has to be typed again', async ({
  page,
}) => {
  await page.goto('/login')
  const form = loginForm(page)
  await form.userName.fill('nobody-by-that-name')
  await form.password.fill('Wrong-Password-2026!')
  await form.login.click()
  const refusal = page.getByRole('alert').filter({ hasText: 'Incorrect username or password.' })
  await expect(refusal).toBeVisible()
  await expect(form.userName).toHaveValue('nobody-by-that-name')
  await expect(form.password).toHaveValue('')
  await expect(form.password).toBeFocused()
  // A notice does not time out while the pointer is over it: this one disappears because the next try succeeds.
  await refusal.hover()
  await page.route('**/idp', (route) => route.fulfill({ json: { ChallengeName: 'SMS_MFA', Session: 's' } }))
  await form.password.fill('Right-Password-2026!')
  await form.password.press('Enter')
  await expect(form.code).toBeFocused()
  await expect(refusal).toHaveCount(0)
})

test('SIGN-12 SIGN-13 SIGN-43 the code prompt shows its text, where the code went, and refuses an empty code', async ({
  page,
}) => {
  await page.goto('/login')
  const form = loginForm(page)
  await enterPassword(page, 'admin')
  await expect(
    page.getByText('An authentication code has been sent to your phone. Please enter the code below.'),
  ).toBeVisible()
  await expect(page.getByText(/^Sent to the phone ending in \d\d\. Valid for 3 minutes\.$/)).toBeVisible()
  await expect(page.getByText(/^Resend code in 0:\d\d$/)).toBeVisible()
  await expect(form.code).toBeFocused()
  await form.authenticate.click()
  await expect(page.getByText('Authentication failed. Please enter a valid authentication code.')).toBeVisible()
  await page.getByRole('link', { name: 'Back to login' }).click()
  await expect(form.userName).toHaveValue('admin')
})

test('SIGN-27 who is asked for nothing but the password is signed in by it', async ({ page }) => {
  const { identity } = await sessionOf(page.request, 'staff')
  // What the pool answers for an account without a second factor: tokens instead of a challenge.
  const result = {
    AccessToken: identity.accessToken,
    IdToken: identity.accessToken,
    RefreshToken: identity.refreshToken,
  }
  await page.route('**/idp', (route) => route.fulfill({ json: { AuthenticationResult: result } }), { times: 1 })
  await page.goto('/login')
  const form = loginForm(page)
  await form.userName.fill('staff')
  await form.password.fill(demoPassword)
  await form.login.click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { name: 'Welcome to Lab Information System (LIS)' })).toBeVisible()
  expect(await currentSession(page)).toMatchObject({ token: expect.any(String), access: { userName: 'staff' } })
})

test('SIGN-32 SIGN-38 a wrong code returns to login with the message of the server', async ({ page }) => {
  await page.goto('/login')
  const form = loginForm(page)
  const code = await enterPassword(page, 'management')
  await form.code.fill(code === '000000' ? '000001' : '000000')
  await form.authenticate.click()
  await expect(form.login).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('The code was not right.')
  expect(await storedSession(page)).toBeNull()
})

test('a code can be pasted, with the text around it', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/login')
  const code = await enterPassword(page, 'sales')
  await page.evaluate(`navigator.clipboard.writeText(' ${code.slice(0, 3)} ${code.slice(3)} ')`)
  await loginForm(page).code.press('ControlOrMeta+v')
  await expect(loginForm(page).code).toHaveValue(code)
})

test('a new code can be sent after 30 seconds, and the new one counts', async ({ page }) => {
  await page.clock.install()
  await page.goto('/login')
  await enterPassword(page, 'billing')
  const resend = page.getByRole('button', { name: 'Resend code' })
  await expect(resend).toBeHidden()
  await page.clock.fastForward(31_000)
  const code = await oneAtATime('sign-in', async () => {
    const nextCode = await expectCode(page.request)
    await resend.click()
    await expect(page.getByText(/^Resend code in 0:/)).toBeVisible()
    return nextCode()
  })
  await loginForm(page).code.fill(code)
  await loginForm(page).authenticate.click()
  await expect(page).toHaveURL('/')
})

test('SIGN-14 SIGN-15 SIGN-16 SIGN-17 SIGN-35 SIGN-59 a forgotten password is asked for by name', async ({ page }) => {
  await page.goto('/login')
  await loginForm(page).userName.fill('physician')
  await page.getByRole('link', { name: 'Forgot Password' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
  await expect(loginForm(page).password).toBeHidden()
  await expect(page.getByRole('link', { name: 'Back to login' })).toBeVisible()
  const answered = page.waitForResponse((response) => response.url().endsWith('/mfa/forgot_pwd/physician'))
  await page.getByRole('button', { name: 'Reset' }).click()
  const response = await answered
  expect(response.request().method()).toBe('PUT')
  await expect(page.getByText((await response.json()).message)).toBeVisible()
})

test('SIGN-05 the Back of the browser leads from Forgot Password to the login and keeps the page that was asked for', async ({
  page,
}) => {
  await page.goto('/user-profile')
  await expect(page).toHaveURL('/login')
  await loginForm(page).userName.fill('physician')
  await page.getByRole('link', { name: 'Forgot Password' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
  await expect(page).toHaveURL('/login#forgot-password')
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'LIS Login' })).toBeVisible()
  await expect(loginForm(page).userName).toHaveValue('physician')
  await page.goForward()
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to login' }).click()
  await expect(page).toHaveURL('/login')
  await signIn(page, 'physician')
  await expect(page).toHaveURL('/user-profile')
})

test('SIGN-36 a failed forgot-password only stops the loading', async ({ page }) => {
  await page.route('**/mfa/forgot_pwd/*', (route) => route.fulfill({ status: 429, json: { message: 'Too many' } }))
  await page.goto('/login#forgot-password')
  await loginForm(page).userName.fill('physician')
  const button = page.getByRole('button', { name: 'Reset' })
  await button.click()
  await expect(button).not.toHaveAttribute('aria-busy', 'true')
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
  await expect(page.getByText('Too many')).toBeHidden()
})

test.describe('a new password', () => {
  const newPassword = (page: Page) => page.getByLabel('New password', { exact: true })
  const confirm = (page: Page) => page.getByLabel('Confirm password')

  test('SIGN-18 SIGN-19 SIGN-26 SIGN-49 SIGN-50 SIGN-53 replaces a temporary one, by the rules', async ({ page }) => {
    const answers: unknown[] = []
    await page.route('**/idp', async (route) => {
      const body = route.request().postDataJSON()
      answers.push(body)
      const next = body.ChallengeName === undefined ? 'NEW_PASSWORD_REQUIRED' : 'SMS_MFA'
      await route.fulfill({
        json: { ChallengeName: next, Session: 's', ChallengeParameters: { CODE_DELIVERY_DESTINATION: '+*42' } },
      })
    })
    await page.goto('/login')
    const form = loginForm(page)
    await form.userName.fill('newcomer')
    await form.password.fill('Temporary')
    await form.login.click()
    await expect(page.getByRole('heading', { name: 'New password required.' })).toBeVisible()
    await form.login.click()
    await expect(page.getByText('Password confirm is required')).toBeVisible()
    for (const [id, password, message] of [
      ['SIGN-44', 'abcdefghijABCDEF!', 'Password must contain at least 1 number.'],
      ['SIGN-45', 'abcdefghij123456!', 'Password must contain at least 1 uppercase and lowercase letter.'],
      ['SIGN-46', 'ABCDEFGHIJ123456!', 'Password must contain at least 1 uppercase and lowercase letter.'],
      ['SIGN-47', 'abcdefghijABC1234', 'Password must contain at least 1 special character !@#$%^&*()~'],
      ['SIGN-48', 'aB1!', '16 characters minimum password length'],
    ] as const) {
      await newPassword(page).fill(password)
      await test.step(`${id} says: ${message}`, () => expect(newPassword(page)).toHaveAccessibleDescription(message))
    }
    await newPassword(page).fill('A-new-Password-2026!')
    await confirm(page).fill('A-new-Password-2026?')
    await expect(page.getByText("Passwords don't match")).toBeVisible()
    await confirm(page).fill('A-new-Password-2026!')
    await form.login.click()
    await expect(form.code).toBeVisible()
    expect(answers.at(-1)).toMatchObject({
      ChallengeName: 'NEW_PASSWORD_REQUIRED',
      ChallengeResponses: { USERNAME: 'newcomer', NEW_PASSWORD: 'A-new-Password-2026!' },
    })
  })

  test('SIGN-20 SIGN-21 SIGN-33 SIGN-34 SIGN-42 SIGN-62 replaces an expired one, and then asks to sign in', async ({
    page,
  }) => {
    let sent: unknown
    await page.route('**/mfa/login', (route) =>
      route.fulfill({ status: 490, json: { message: 'The password has expired.' } }),
    )
    await page.route('**/mfa/profile/chg_exp_pwd', async (route) => {
      sent = route.request().postDataJSON()
      await route.fulfill({ json: { message: 'Password successfully changed' } })
    })
    await page.goto('/login')
    const form = loginForm(page)
    const code = await enterPassword(page, 'collaborator')
    await form.code.fill(code)
    await form.authenticate.click()
    await expect(page.getByRole('heading', { name: 'New password required.' })).toBeVisible()
    await form.login.click()
    await expect(page.getByText('Current password is required')).toBeVisible()
    await page.getByLabel('Current password').fill('Old')
    await newPassword(page).fill('A-new-Password-2026!')
    await confirm(page).fill('A-new-Password-2026!')
    await form.login.click()
    await expect(page.getByRole('heading', { name: 'LIS Login' })).toBeVisible()
    await expect(page.getByText('Password successfully changed')).toBeVisible()
    await expect(form.userName).toHaveValue('collaborator')
    expect(sent).toEqual({ currentPwd: 'Old', newPwd: 'A-new-Password-2026!', accessToken: expect.any(String) })
  })
})
