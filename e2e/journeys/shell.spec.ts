import type { Page } from '@playwright/test'
import { hold } from '../support/held.ts'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { currentSession, storeSession } from '../support/stored-session.ts'
import { deskAndPhone, expect, picture, test } from '../support/test.ts'

// Menu, drawer and dialogs as most people see them: moving.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

test('SHELL-19 SHELL-21 a role that may not open a page is led to /403', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  // No demo account is a guest; the browser's own copy of the role is enough for the browser's own guard.
  const session = await currentSession(page)
  await storeSession(page, { ...session, access: { ...session.access, userRoleCode: 'GST' } })
  await page.goto('/')
  await expect(page).toHaveURL('/403')
  await expect(page.getByRole('heading', { name: '403: Forbidden' })).toBeVisible()
})

test('PERM-G15 a guest is told on /403 why, and is offered to leave instead of a page that would lead back', async ({
  page,
  look,
}) => {
  const guest = await newPerson(page.request, 'GST')
  await openAs(page, await sessionOf(page.request, guest.userName, guest.password), '/')
  await expect(page).toHaveURL('/403')
  await expect(page.getByText('Your account has no role yet')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to the front page' })).toHaveCount(0)
  await look(page, 'guest', deskAndPhone)
  await page.getByRole('main').getByRole('button', { name: 'Log-out' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
})

test('SHELL-19 DETAIL-025 the address of a tab that the role does not have leads to /403', async ({ page, signIn }) => {
  await signIn(page, 'client')
  const headers = { authorization: `Bearer ${(await currentSession(page)).token}` }
  const { data } = await (await page.request.get('/api/v3.0/requisitions/CLIENTPHYSROLE', { headers })).json()
  const address = `/requisitions/${data[0].id}/show`
  await page.goto(`${address}/billing`)
  await expect(page.getByRole('link', { name: 'Billing', exact: true })).toHaveAttribute('aria-current', 'page')
  await page.goto(`${address}/activity`)
  await expect(page).toHaveURL('/403')
})

for (const [account, typed, right] of [
  ['client', '/requisitions?status=BillingBatch&perPage=25', '/requisitions?perPage=25'],
  ['management', '/requisitions?status=nonsense', '/requisitions'],
  ['management', '/clients/1/show?tab=77', '/clients/1/show'],
] as const)
  test(`LIST-G24 CLI-G12 the address ${typed} of ${account} is corrected to that of the tab on screen`, async ({
    page,
    signIn,
  }) => {
    await signIn(page, account, typed)
    await expect(page).toHaveURL(right)
    await expect(page.getByRole('navigation', { name: /^(Views|Client)$/ }).locator('[aria-current]')).toHaveCount(1)
  })

test('SHELL-22 SHELL-23 an unknown path shows the 404 page, with and without a session', async ({ page, signIn }) => {
  await page.goto('/no-such-page')
  await expect(page.getByRole('heading', { name: '404: Not found' })).toBeVisible()
  await signIn(page, 'admin', '/no/such/page')
  await expect(page.getByRole('heading', { name: '404: Not found' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to the front page' }).click()
  await expect(page).toHaveURL('/')
})

test('SHELL-02 SHELL-15 SHELL-16 home shows the logo and the welcome', async ({ page, signIn }) => {
  await signIn(page, 'admin')
  await expect(page.locator('main').getByRole('img', { name: 'LIS logo' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Welcome to Lab Information System (LIS)' })).toBeVisible()
})

test('SHELL-36 SHELL-37 SHELL-38 SHELL-42 SHELL-47 the sidebar is closed at first, opens, and is remembered', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'admin')
  const sidebar = page.getByRole('navigation', { name: 'Main' })
  const width = async () => (await sidebar.boundingBox())?.width
  expect(await width()).toBe(56)
  await page.getByRole('button', { name: 'Expand sidebar' }).click()
  expect(await width()).toBe(240)
  await expect(sidebar.getByText('Copyright | 2025')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Collapse sidebar' })).toBeVisible()
  expect(await width()).toBe(240)
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  expect(await width()).toBe(56)
})

test('SHELL-39 SHELL-40 SHELL-41 under 600 px a top bar with a hamburger button takes the place of the sidebar', async ({
  page,
  signIn,
}) => {
  await page.setViewportSize({ width: 599, height: 844 })
  await signIn(page, 'admin')
  const sidebar = page.getByRole('navigation', { name: 'Main' })
  await expect(sidebar).toBeHidden()
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(sidebar.getByRole('button', { name: 'Log-out' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sidebar).toBeHidden()
  await page.setViewportSize({ width: 600, height: 844 })
  await expect(sidebar).toBeVisible()
})

test('SHELL-61 SHELL-62 the theme has its colour and its font size', async ({ page }) => {
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Login' })).toHaveCSS('background-color', 'rgb(0, 76, 106)')
  await expect(page.locator('body')).toHaveCSS('font-size', '12px')
})

test('Ctrl+K opens the quick jump, which leads to a page by keys alone', async ({ page, signIn }) => {
  await signIn(page, 'staff', '/no-such-page')
  await expect(page.getByRole('heading', { name: '404: Not found' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Quick jump' }).fill('hom')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/')
})

test('a page whose code cannot be loaded says so calmly, and Retry brings it', async ({ page, signIn, faults }) => {
  faults.expect(/Failed to fetch dynamically imported module|ERR_FAILED|React Router caught/)
  await signIn(page, 'staff')
  await page.route('**/assets/home-page-*.js', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  await page.unroute('**/assets/home-page-*.js')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
})

const shoot = (page: Page, name: string) => picture(page, `shell-${name}`)

const listOf = (...counts: [id: number, issueCount: number, readCount: number][]) => ({
  data: counts.map(([id, issueCount, readCount]) => ({
    id,
    issueCount,
    readCount,
    issueDate: '2026-11-14T15:04:00Z',
    patientName: 'Größ, Zoë',
    issues: [{ id, issueDesc: 'Tube broken', issueStatusCode: 'NEW', reason: 'Arrived in pieces' }],
  })),
  message: '',
})
const notifications = /\/api\/v3\.0\/users\/\d+\/notifications$/
/** Answers as the server does, but with counts that the journey knows. */
const answerWith = async (page: Page, reply: () => unknown) => {
  await page.unroute(notifications)
  await page.route(notifications, (route) => route.fulfill({ json: reply() }))
}
const bell = (page: Page) => page.getByRole('button', { name: 'Notifications' })
const modal = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })

test('SHELL-44 SHELL-45 SHELL-55 ISSUE-41 the dot leads to the notifications, and opening one marks it read', async ({
  page,
  signIn,
}) => {
  let read = 0
  await answerWith(page, () => listOf([1000123, 3, read], [1000124, 2, 2]))
  await page.route(/\/notifications\/\d+\/read$/, async (route) => {
    expect(route.request().method()).toBe('POST')
    expect(route.request().postData()).toBeNull()
    expect(route.request().url()).toContain('/notifications/1000123/read')
    read = 3
    await route.fulfill({ json: { message: '' } })
  })
  await signIn(page, 'staff')
  await expect(bell(page)).toHaveAccessibleName('Notifications, unread')
  await bell(page).click()
  const items = modal(page).getByRole('link')
  await test.step('SHELL-50 SHELL-51 ISSUE-45 the window lists what is new, less what was read', async () => {
    expect((await modal(page).boundingBox())?.width).toBe(660)
    await expect(items).toHaveText([
      /^Requisition #1000123 has 3 new\/updated issues\.Größ, ZoëTube broken: Arrived in pieces/,
      /^Requisition #1000124 has 0 new\/updated issues\./,
    ])
    await expect(modal(page).getByText('Notifications', { exact: true }).first()).toBeVisible()
  })
  await shoot(page, 'notifications')
  await test.step('SHELL-53 SHELL-54 ISSUE-46 ISSUE-47 an opened one is marked read and leads to the issues', async () => {
    await items.first().click()
    await expect(page).toHaveURL('/requisitions/1000123/show/issues')
    await expect(modal(page)).toBeHidden()
    await expect(bell(page)).toHaveAccessibleName('Notifications')
  })
  await test.step('SHELL-52 Cancel closes the window', async () => {
    await bell(page).click()
    await expect(modal(page).getByRole('button', { name: 'Mark all as read' })).toBeDisabled()
    await modal(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(modal(page)).toBeHidden()
  })
  // All at once, and the way out is called what it does.
  read = 0
  await page.route(/\/notifications\/read$/, async (route) => {
    read = 3
    await route.fulfill({ json: { message: 'Successfully updated' } })
  })
  await page.reload()
  await expect(bell(page)).toHaveAccessibleName('Notifications, unread')
  await bell(page).click()
  await modal(page).getByRole('button', { name: 'Mark all as read' }).click()
  await expect(modal(page).getByRole('button', { name: 'Mark all as read' })).toBeDisabled()
  await modal(page).getByRole('button', { name: 'Close' }).click()
  await expect(modal(page)).toBeHidden()
  await expect(bell(page)).toHaveAccessibleName('Notifications')
})

test('SHELL-56 SHELL-57 unread is asked for on load and on each navigation', async ({ page, signIn }) => {
  let count = 0
  await answerWith(page, () => listOf([1000123, count, 0]))
  await signIn(page, 'staff')
  await expect(bell(page)).toHaveAccessibleName('Notifications')
  count = 1
  await page.getByRole('link', { name: 'Collaborators' }).click()
  await expect(bell(page)).toHaveAccessibleName('Notifications, unread')
  count = 0
  await page.reload()
  await expect(bell(page)).toHaveAccessibleName('Notifications')
})

test('an event of the server brings the dot without a navigation', async ({ page, signIn }) => {
  let count = 0
  await answerWith(page, () => listOf([1000123, count, 0]))
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  let isListening = false
  await page.route('**/api/v3.0/events', async (route) => {
    expect(route.request().headers().authorization).toMatch(/^Bearer ./)
    isListening = true
    // Every stream waits for the same event: one that was cut off and reopened gets it too.
    await told
    await route.fulfill({
      contentType: 'text/event-stream',
      body: 'event: notification\ndata: {"requisitionId":1}\n\n',
    })
  })
  await signIn(page, 'staff')
  await expect(bell(page)).toHaveAccessibleName('Notifications')
  await expect.poll(() => isListening).toBe(true)
  count = 2
  tell()
  await expect(bell(page)).toHaveAccessibleName('Notifications, unread')
})

test('the empty, failed and phone states of the notifications are worded plainly', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await answerWith(page, () => listOf())
  await signIn(page, 'staff')
  await bell(page).click()
  await expect(modal(page)).toContainText('No notifications')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.unroute(notifications)
  await page.route(notifications, (route) => route.fulfill({ status: 400, json: { message: 'Out of order' } }))
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await bell(page).click()
  await expect(modal(page)).toContainText('Error loading data')
  await answerWith(page, () => listOf([1000123, 3, 1]))
  await modal(page).getByRole('button', { name: 'Retry' }).click()
  await expect(modal(page).getByRole('link')).toHaveCount(1)
  await expectAccessible(page)
  await shoot(page, 'notifications-390')
})

test('ISSUE-48 roles without notifications have neither the item nor the call', async ({ page, signIn }) => {
  let isAsked = false
  await page.route(notifications, (route) => {
    isAsked = true
    return route.abort()
  })
  await signIn(page, 'physician')
  await expect(page.getByRole('button', { name: 'Log-out' })).toBeVisible()
  await expect(bell(page)).toBeHidden()
  expect(isAsked).toBe(false)
})

test('quick jump finds records by kind, by keys alone', async ({ page, signIn, expectAccessible }) => {
  await signIn(page, 'staff')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  const { token } = await currentSession(page)
  const reply = await page.request.get('/api/v3.0/requisitions/ALL?perPage=1', {
    headers: { authorization: `Bearer ${token}` },
  })
  const [row] = (await reply.json()).data
  await page.keyboard.press('ControlOrMeta+k')
  const field = page.getByRole('combobox', { name: 'Quick jump' })
  await expect(field).toBeFocused()
  await field.fill(row.patientLastName)
  const group = page.getByRole('group', { name: 'Patients' })
  await expect(group.getByRole('option').first()).toContainText(row.patientLastName)
  await expectAccessible(page)
  await shoot(page, 'quick-jump')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/(requisitions|patients)\/\d+/)
})

test('a scanned accession number and Enter open the requisition at once', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  const { token } = await currentSession(page)
  const reply = await page.request.get('/api/v3.0/requisitions/ALL?perPage=1', {
    headers: { authorization: `Bearer ${token}` },
  })
  const [{ id }] = (await reply.json()).data
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Quick jump' })).toBeFocused()
  // As a scanner does: all keys at once, Enter behind them.
  await page.keyboard.type(String(id))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/requisitions/${id}/show`)
})

test('SHELL-01 SHELL-03 SHELL-04 SHELL-10..SHELL-13 PERM-018 the menu leads to all the work of a laboratory: requisitions, billing batches, reports, uploads, freezers', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff')
  const pages: [path: string, heading: RegExp][] = [
    ['/requisitions', /^Requisitions$/],
    ['/requisitions?status=BillingBatch', /Requisitions/],
    ['/reports', /^Reports$/],
  ]
  for (const [path, heading] of pages) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  }
  await page.goto('/')
  const menu = page.getByRole('navigation').first()
  for (const name of ['Requisitions', 'Reports', 'Test Reports Upload']) {
    await menu.getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  for (const name of ['Freezer Reverse Lookup', 'Batch CSV Upload', 'Laboratories', 'Late Deliveries']) {
    await menu.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name }).or(page.getByRole('link', { name })).first().click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  }
})

test('quick jump goes nowhere once it was closed, or other words were typed', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  const welcome = page.getByRole('heading', { name: /^Welcome/ })
  await expect(welcome).toBeVisible()
  const { token } = await currentSession(page)
  const reply = await page.request.get('/api/v3.0/requisitions/ALL?perPage=2', {
    headers: { authorization: `Bearer ${token}` },
  })
  const [first, second] = (await reply.json()).data
  const field = page.getByRole('combobox', { name: 'Quick jump' })
  for (const [id, think] of [
    [first.id, () => page.keyboard.press('Escape')],
    [second.id, () => page.keyboard.type('9')],
  ] as const) {
    const letGo = await hold(page, new RegExp(`/quick_jump\\?q=${id}$`))
    await page.keyboard.press('ControlOrMeta+k')
    await expect(field).toBeFocused()
    const asked = page.waitForRequest(new RegExp(`/quick_jump\\?q=${id}$`))
    await page.keyboard.type(String(id))
    await page.keyboard.press('Enter')
    const search = await asked
    await think()
    letGo()
    // Null when it was broken off, as a search that nobody waits for any more may be.
    await search.response()
    await page.waitForTimeout(300)
    await expect(page).toHaveURL('/')
  }
})

test('the closed sidebar has a button for the quick jump, which knows the suffixes of labels', async ({
  page,
  signIn,
  look,
}) => {
  await signIn(page, 'staff', '/requisitions')
  const [first] = await (
    await page.request.get('/api/v3.0/requisitions/ALL?perPage=10', {
      headers: { authorization: `Bearer ${(await currentSession(page)).token}` },
    })
  )
    .json()
    .then(({ data }) => data)
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
  await look(page, 'slim-sidebar')
  await page.getByRole('button', { name: 'Quick jump' }).click()
  // As a scanner does: the whole label and Enter at once.
  await page.getByRole('combobox', { name: 'Quick jump' }).pressSequentially(`${first.id}S`)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/requisitions/${first.id}/show`)
})

test('a physician finds an own requisition by quick jump, in the list', async ({ page, signIn }) => {
  await signIn(page, 'physician')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  const headers = { authorization: `Bearer ${(await currentSession(page)).token}` }
  const { data } = await (await page.request.get('/api/v3.0/requisitions/CLIENTPHYSROLE', { headers })).json()
  const { id } = data[0]
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Quick jump' }).fill(String(id))
  await page.getByRole('option', { name: `#${id}` }).click()
  await expect(page).toHaveURL(/^[^?]*\/requisitions\?smartFilter=/)
  await expect(page.locator('tbody tr')).toHaveCount(1)
  await expect(page.locator('tbody tr')).toContainText(String(id))
})

test('PERM-039 a collaborator finds the way to a new requisition in the menu and in the quick jump', async ({
  page,
  signIn,
  look,
}) => {
  await signIn(page, 'collaborator')
  await page.getByRole('button', { name: 'Expand sidebar' }).click()
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Add Requisition' }).click()
  await expect(page).toHaveURL('/requisitions/create')
  await expect(page.getByRole('heading', { name: 'Add Requisition' })).toBeVisible()
  await expect(menu.locator('[aria-current="page"]')).toHaveText('Add Requisition')
  await look(page, 'add-requisition-menu', deskAndPhone)
  await page.goto('/')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Quick jump' }).fill('add req')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/requisitions/create')
})
