import type { Page } from '@playwright/test'
import { oneAtATime } from '../support/one-at-a-time.ts'
import { bearer, managementSession, messageTo, newPerson, openAs, sessionOf } from '../support/people.ts'
import { expect, picture, test } from '../support/test.ts'

const fillNew = async (page: Page, userName: string, password: string) => {
  await page.getByLabel('Username').fill(userName)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Reset' }).click()
}
const linkTo = async (page: Page, email: string) =>
  new URL(/https?:\S+\/reset\/\S+/.exec(await messageTo(page.request, email, /\/reset\//))?.[0] ?? '').pathname

test('USR-G7 SIGN-G3 SIGN-G6 an administrator sends a link; password, then code, then the new password counts', async ({
  page,
  browser,
  expectAccessible,
}) => {
  const person = await newPerson(page.request)
  await openAs(page, await managementSession(page.request), `/users/${person.id}/show`)
  await test.step('USR-14 USR-63 USR-64 the button sends a link in the name of the administrator', async () => {
    await page.getByRole('button', { name: 'Reset Password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send a password reset link?' })
    await expect(dialog).toContainText(person.email)
    const sent = page.waitForRequest((request) => request.url().endsWith(`/mfa/reset_pwd/${person.id}`))
    await dialog.getByRole('button', { name: 'Send link' }).click()
    expect((await sent).postDataJSON()).toEqual({ adminId: expect.any(Number) })
    await expect(page.getByText('Password reset link sent')).toBeVisible()
  })
  const session = await sessionOf(page.request, person.userName, person.password)
  const context = await browser.newContext()
  const own = await context.newPage()
  // Shown even to a signed-in user: the link may belong to another account.
  await test.step('SIGN-06 SIGN-23 the link opens the form, also beside a session', async () => {
    await openAs(own, session, await linkTo(page, person.email))
    await expect(own.getByRole('heading', { name: 'Reset Password' })).toBeVisible()
    await own.getByRole('button', { name: 'Reset' }).click()
    await expect(own.getByText('Username is required')).toBeVisible()
    await expect(own.getByText('Password confirm is required')).toBeVisible()
    await expectAccessible(own)
  })
  await fillNew(own, person.userName, person.password)
  await expect(own.getByLabel('New password', { exact: true })).toHaveAccessibleDescription(
    /must differ from the last 12/,
  )
  const code = own.getByLabel('Authentication code')
  // Others take the newest code for their own.
  const message = await oneAtATime('sign-in', async () => {
    await fillNew(own, person.userName, 'A-fresh-Password-2026!')
    await expect(code).toBeVisible()
    return messageTo(page.request, person.phone, /authentication code/)
  })
  await expectAccessible(own)
  const sentCode = message.match(/\b\d{6}\b/)?.[0] ?? ''
  await test.step('SIGN-07 SIGN-08 a wrong code is refused, the right one sets the new password', async () => {
    await code.fill(sentCode === '000000' ? '000001' : '000000')
    await own.getByRole('button', { name: 'Authenticate' }).click()
    await expect(own.getByRole('alert').filter({ hasText: 'Authentication failed' }).first()).toBeVisible()
    await code.fill(sentCode)
    await own.getByRole('button', { name: 'Authenticate' }).click()
    await expect(own.getByText('Password successfully changed')).toBeVisible()
  })
  // It is the only message: no earlier refusal, no code, and no expired session.
  await expect(own.getByRole('alert')).toHaveCount(0)
  await expect(own.getByText('An authentication code has been sent')).toHaveCount(0)
  await expect(own.getByText('Session expired, please re-login.')).toHaveCount(0)
  // The session of before is over with the old password, so 'login' is where this ends.
  await expect(own).toHaveURL('/login')
  await expect(own.getByRole('heading', { name: 'LIS Login' })).toBeVisible()
  const old = await page.request.get(`/api/v3.0/users/${person.id}`, { headers: bearer(session) })
  expect([401, 408]).toContain(old.status())
  expect((await sessionOf(page.request, person.userName, 'A-fresh-Password-2026!')).token).toBeTruthy()
  await context.close()
})

test('SIGN-G3 a link that is used or unknown says so before anything is typed, with the way to a new one', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/reset/no-such-link')
  await expect(
    page.getByRole('paragraph').filter({ hasText: 'This link is no longer valid. Please request a new one.' }),
  ).toBeVisible()
  await expect(page.getByLabel('New password', { exact: true })).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Forgot Password' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
})

test('SIGN-G3 a mistyped Username is reported at its field, and the link is still valid', async ({ page }) => {
  const person = await newPerson(page.request)
  await page.request.put(`/api/v3.0/mfa/forgot_pwd/${person.userName}`)
  await page.goto(await linkTo(page, person.email))
  await fillNew(page, `${person.userName}x`, 'A-fresh-Password-2026!')
  await expect(page.getByLabel('Username')).toHaveAccessibleDescription(
    'This is not the Username that the link was sent to',
  )
  await oneAtATime('sign-in', async () => {
    await fillNew(page, person.userName, 'A-fresh-Password-2026!')
    await expect(page.getByLabel('Authentication code')).toBeVisible()
    await messageTo(page.request, person.phone, /authentication code/)
  })
})

test('SIGN-G3 a good link of an account that was disabled says whom to ask', async ({ page, expectAccessible }) => {
  const person = await newPerson(page.request)
  const headers = bearer(await managementSession(page.request))
  await page.request.put(`/api/v3.0/mfa/forgot_pwd/${person.userName}`)
  const link = await linkTo(page, person.email)
  await page.request.put(`/api/v3.0/users/${person.id}`, { headers, data: { userStatusCode: 'LCK' } })
  await page.goto(link)
  await expect(
    page.getByRole('paragraph').filter({ hasText: 'This account is disabled. Please ask your administrator.' }),
  ).toBeVisible()
  await expectAccessible(page)
  await picture(page, 'reset-disabled')
  await page.getByRole('link', { name: 'Back to login' }).click()
  await expect(page).toHaveURL('/login')
})

test('the links of a mail unsubscribe and resubscribe at once, with a session or without', async ({
  page,
  expectAccessible,
}) => {
  const person = await newPerson(page.request)
  const mail = await messageTo(page.request, person.email, /\/unsubscribe\//)
  const token = /\/unsubscribe\/(\S+)/.exec(mail)?.[1] ?? ''
  const calls: string[] = []
  page.on('request', (request) => {
    if (/subscribe$/.test(request.url()) && request.method() === 'PUT') calls.push(request.url())
  })
  await test.step('USR-77 USR-81 USR-85 the link unsubscribes at once, without a session', async () => {
    await page.goto(`/unsubscribe/${token}`)
    await expect(page.getByText('You have been unsubscribed.')).toBeVisible()
    await expectAccessible(page)
  })
  // The token is renewed while the page is open, which reloads everything on screen.
  const renewed = page.waitForResponse((response) => response.url().endsWith('/mfa/login') && response.ok())
  await page.route(
    '**/api/v3.0/events',
    async (route) => {
      await page.getByText('You have been resubscribed.').waitFor()
      await route.fulfill({ status: 420, json: {} })
    },
    { times: 1 },
  )
  await test.step('USR-78 USR-80 USR-82 USR-86 the link resubscribes at once, also beside a session', async () => {
    await openAs(page, await sessionOf(page.request, person.userName, person.password), `/resubscribe/${token}`)
    await expect(page.getByText('You have been resubscribed.')).toBeVisible()
  })
  await renewed
  await expectAccessible(page)
  expect(calls).toHaveLength(2)
  await test.step('USR-79 the link that unsubscribes works beside a session too', async () => {
    await page.goto(`/unsubscribe/${token}`)
    await expect(page.getByText('You have been unsubscribed.')).toBeVisible()
  })
})

test('USR-87 USR-88 USR-89 a link that is not valid shows the message of the server as an error', async ({ page }) => {
  for (const kind of ['unsubscribe', 'resubscribe']) {
    await page.goto(`/${kind}/00000000-0000-4000-8000-000000000000`)
    await expect(page.getByRole('alert').filter({ hasText: 'This link is not valid.' })).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: 'This link is not valid.' })).toBeVisible()
  }
})
