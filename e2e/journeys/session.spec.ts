import type { Page } from '@playwright/test'
import { onQuietMachine } from '../../apps/server/test/quiet-machine.ts'
import type { Account } from '../support/accounts.ts'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { letPasswordRunOut, replacePassword, signInAgain } from '../support/session-renewal.ts'
import { signIn } from '../support/sign-in.ts'
import { currentSession, storedSession } from '../support/stored-session.ts'
import { expect, test } from '../support/test.ts'

const ownRecord = /\/api\/v3\.0\/users\/\d+$/

/** Signed in, and the front page has read what it shows: the next call is that of the next load. */
const signInToTheEnd = async (page: Page, account: Account) => {
  const read = page.waitForResponse(ownRecord)
  await signIn(page, account)
  await (await read).finished()
}

test('SESS-09 without a session a page leads to login, and after signing in back to it', async ({ page }) => {
  await page.goto('/?tab=2')
  await expect(page).toHaveURL('/login')
  await signIn(page, 'staff')
  await expect(page).toHaveURL('/?tab=2')
})

test('SESS-06 SESS-07 SESS-10 SIGN-29 a reload keeps the session and its token', async ({ page }) => {
  await signIn(page, 'staff')
  const session = await currentSession(page)
  await test.step('SESS-01..SESS-05 the session holds token, departments, and access with role and user', () =>
    expect(session).toMatchObject({
      token: expect.any(String),
      userDepts: expect.any(Array),
      access: { userRoleCode: 'STF', userId: expect.any(Number), userName: 'staff' },
    }))
  const request = page.waitForRequest(ownRecord)
  await page.reload()
  expect((await request).headers().authorization).toBe(`Bearer ${session.token}`)
  await expect(page.getByRole('heading', { name: 'Welcome to Lab Information System (LIS)' })).toBeVisible()
})

test('SESS-08 SESS-30 SHELL-46 log-out tells the server and signs out the other tab', async ({ page, context }) => {
  await signIn(page, 'client')
  const other = await context.newPage()
  await other.goto('/')
  await expect(other.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  const told = page.waitForRequest((request) => /\/mfa\/logout\/\d+$/.test(request.url()) && request.method() === 'PUT')
  await page.getByRole('button', { name: 'Log-out' }).click()
  expect((await (await told).response())?.status()).toBe(200)
  for (const tab of [page, other]) {
    await expect(tab).toHaveURL('/login')
    await expect(tab.getByRole('button', { name: 'Login' })).toBeVisible()
    await expect(tab.getByText('Session expired, please re-login.')).toBeHidden()
  }
  expect(await storedSession(other)).toBeNull()
})

test('SIGN-31 after a log-out the next person starts at the front page, not at the page of the last one', async ({
  page,
  signIn: openSignedIn,
}) => {
  await openSignedIn(page, 'management', '/users')
  await page.getByRole('button', { name: 'Log-out' }).click()
  await expect(page).toHaveURL('/login')
  await signIn(page, 'client')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
})

test('SIGN-31 after a session that ran out another person starts at the front page', async ({
  page,
  signIn: openSignedIn,
}) => {
  await openSignedIn(page, 'management', '/users')
  await expect(page.getByRole('table').getByRole('link').first()).toBeVisible()
  await page.route('**/api/v3.0/users?*', (route) => route.fulfill({ status: 408, json: {} }), { times: 1 })
  await page.getByRole('button', { name: 'Username', exact: true }).click()
  await expect(page).toHaveURL('/login')
  await signIn(page, 'admin')
  await expect(page).toHaveURL('/')
})

for (const path of ['/403', '/no-such-page'])
  test(`SESS-G7 log-out on ${path} leads to login`, async ({ page, signIn: openSignedIn }) => {
    await openSignedIn(page, 'staff', path)
    await page.getByRole('button', { name: 'Log-out' }).click()
    await expect(page).toHaveURL('/login')
    await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  })

test('SESS-18 SESS-19 SESS-25 SIGN-54 an expired token is renewed behind a full-screen overlay, and the call is sent again', async ({
  page,
}) => {
  await signInToTheEnd(page, 'physician')
  const before = await currentSession(page)
  await page.route(ownRecord, (route) => route.fulfill({ status: 420, json: { message: 'Run out' } }), { times: 1 })
  // The answer waits until the overlay has been seen.
  const isSeen = Promise.withResolvers<void>()
  await page.route('**/idp', async (route) => {
    await isSeen.promise
    await route.continue()
  })
  await page.reload()
  await expect(page.getByRole('status').filter({ hasText: 'Renewing your session' })).toBeVisible()
  isSeen.resolve()
  await expect(page.getByText(`${before.access.userFirstName} ${before.access.userLastName}`)).toBeVisible()
  await expect(page.getByText('Renewing your session')).toBeHidden()
  const after = await currentSession(page)
  expect(after.token).not.toBe(before.token)
  expect(after.identity.refreshToken).not.toBe(before.identity.refreshToken)
})

test('SESS-17 status 408 in one tab does not lead to login while another tab renews the session', async ({
  page,
  context,
}) => {
  await signInToTheEnd(page, 'collaborator')
  const other = await context.newPage()
  await other.goto('/')
  await expect(other.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  const isRenewing = Promise.withResolvers<void>()
  const isAnswered = Promise.withResolvers<void>()
  await other.route(
    /\/requisitions\/ALL\?/,
    async (route) => {
      await isRenewing.promise
      await route.fulfill({ status: 408, json: {} })
      isAnswered.resolve()
    },
    { times: 1 },
  )
  const asked = other.waitForRequest(/\/requisitions\/ALL\?/)
  await other.getByRole('link', { name: 'Requisitions' }).first().click()
  await asked
  const mayRenew = Promise.withResolvers<void>()
  await page.route(ownRecord, (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
  await page.route('**/idp', async (route) => {
    await mayRenew.promise
    await route.continue()
  })
  await page.reload()
  await expect(page.getByText('Renewing your session')).toBeVisible()
  isRenewing.resolve()
  await isAnswered.promise
  mayRenew.resolve()
  await expect(other.getByRole('table').getByRole('link').first()).toBeVisible()
  await expect(other).toHaveURL(/\/requisitions/)
})

test('SESS-23 two tabs with an expired token refresh once', async ({ page, context }) => {
  await signInToTheEnd(page, 'sales')
  const other = await context.newPage()
  const { token } = await currentSession(page)
  let refreshes = 0
  await context.route(ownRecord, (route) =>
    route.request().headers().authorization === `Bearer ${token}`
      ? route.fulfill({ status: 420, json: {} })
      : route.continue(),
  )
  await context.route('**/idp', async (route) => {
    if (route.request().postDataJSON().AuthFlow === 'REFRESH_TOKEN_AUTH') refreshes += 1
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  await Promise.all([page.reload(), other.goto('/')])
  for (const tab of [page, other]) {
    await expect(tab.getByText('Renewing your session')).toBeHidden()
    await expect(tab.locator('main p').first()).toHaveText(/\w+ \w+/)
  }
  expect(refreshes).toBe(1)
})

test("SESS-21 SESS-22 a failed refresh leads to login and logs 'Unable to refresh Token'", async ({ page, faults }) => {
  faults.expect(/^Unable to refresh Token/)
  await signInToTheEnd(page, 'collaborator')
  await page.route(ownRecord, (route) => route.fulfill({ status: 420, json: {} }))
  await page.route('**/idp', (route) =>
    route.fulfill({ status: 400, json: { __type: 'NotAuthorizedException', message: 'Refresh Token has expired' } }),
  )
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('Unable to refresh Token'))
  await page.reload()
  await logged
  await expect(page).toHaveURL('/login')
})

test('SESS-26 SIGN-33 SIGN-34 a password that runs out is replaced at login, where the name stays and which leads back', async ({
  page,
  faults,
}) => {
  faults.expect(/^Unable to refresh Token/)
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users?page=1')
  await expect(page.getByRole('link', { name: 'User Profile' })).toBeVisible()
  await page.route('**/api/v3.0/users?*', (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
  await letPasswordRunOut(page)
  await page.reload()
  const renewed = await replacePassword(person, page)
  await expect(page).toHaveURL('/login')
  await signInAgain(page, renewed, page)
  await expect(page).toHaveURL(/\/users\?/)
})

test('SESS-15 SESS-16 status 408 logs out and leads to login, which says why', async ({ page }) => {
  await signInToTheEnd(page, 'billing')
  await page.route(ownRecord, (route) => route.fulfill({ status: 408, json: { message: 'This is over.' } }))
  await page.reload()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('Session expired, please re-login.')).toBeVisible()
  expect(await storedSession(page)).toBeNull()
})

test('SESS-15 SESS-16 an idle page learns of the end of its session from its event stream', async ({ page }) => {
  await signInToTheEnd(page, 'billing')
  await page.route('**/api/v3.0/events', (route) => route.fulfill({ status: 408, json: { message: 'This is over.' } }))
  await page.reload()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('Session expired, please re-login.')).toBeVisible()
})

test('SESS-19 a quiet page whose event stream meets an expired token renews it and listens again', async ({ page }) => {
  await signInToTheEnd(page, 'physician')
  const before = await currentSession(page)
  await page.route('**/api/v3.0/events', (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
  const again = page.waitForRequest(
    (request) =>
      request.url().endsWith('/events') &&
      ![undefined, `Bearer ${before.token}`].includes(request.headers().authorization),
  )
  await page.reload()
  await again
  await expect(page).toHaveURL('/')
  expect((await currentSession(page)).token).not.toBe(before.token)
})

test('SHELL-46 log-out asks before it leaves unsaved input behind, keeps it as a draft, and is no expired session', async ({
  page,
}) => {
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
  await page.getByLabel('First Name').fill('Jane')
  await page.getByRole('button', { name: 'Log-out' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(question.getByText('It is kept as a draft')).toBeVisible()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('First Name')).toHaveValue('Jane')
  await page.getByLabel('Last Name').fill('Doe')
  const order: string[] = []
  page.on('requestfinished', (request) => {
    if (/\/(drafts|logout)\//.test(request.url()) && request.method() === 'PUT')
      order.push(/drafts|logout/.exec(request.url())?.[0] ?? '')
  })
  await page.getByRole('button', { name: 'Log-out' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect(page.getByText('Session expired, please re-login.')).toBeHidden()
  expect(order).toEqual(['drafts', 'logout'])
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
  await page.getByRole('button', { name: 'Resume editing' }).click()
  await expect(page.getByLabel('Last Name')).toHaveValue('Doe')
})

test('SHELL-46 log-out lets out within seconds also where its token cannot be renewed', async ({ page }) => {
  await signInToTheEnd(page, 'staff')
  await page.route('**/mfa/logout/*', (route) => route.fulfill({ status: 420, json: {} }))
  const asked = page.waitForRequest('**/idp')
  // A user pool that never answers.
  await page.route('**/idp', () => undefined)
  await page.getByRole('button', { name: 'Log-out' }).click()
  await asked
  await expect(page).toHaveURL('/login', { timeout: onQuietMachine(8_000) })
  await expect(page.getByText('Renewing your session')).toBeHidden()
  await expect(page.getByText('Session expired, please re-login.')).toBeHidden()
})

test('SESS-27 status 403 shows the message of the server as an error notice, and the page stays', async ({ page }) => {
  await signInToTheEnd(page, 'management')
  await page.route(ownRecord, (route) => route.fulfill({ status: 403, json: { message: 'This is not for you' } }))
  await page.reload()
  await expect(page.getByRole('alert').filter({ hasText: 'This is not for you' })).toBeVisible()
  await expect(page).toHaveURL('/')
  await page.unroute(ownRecord)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('could not be loaded')).toBeHidden()
})

test('SESS-13 a list that is on screen is read again when the token changes', async ({ page }) => {
  await signIn(page, 'management')
  await page.goto('/users')
  await expect(page.getByRole('table').getByRole('link').first()).toBeVisible()
  const before = await currentSession(page)
  const again = page.waitForRequest(
    (request) => /\/users\?/.test(request.url()) && request.headers().authorization !== `Bearer ${before.token}`,
  )
  // The next call of any kind has an expired token; the refresh it starts gives the page a new one.
  await page.route('**/notifications', (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
  await page.route('**/smart_filters?**', (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
  await page.getByRole('tab', { name: 'Smart Views' }).click()
  await again
  await expect(page.getByRole('table').getByRole('link').first()).toBeVisible()
})
