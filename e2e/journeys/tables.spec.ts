import type { Page, Route } from '@playwright/test'
import { hold } from '../support/held.ts'
import { sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

const list = '**/api/v3.0/users?*'
const rows = (page: Page) => page.locator('tbody tr.row')
const addressOf = (page: Page) => new URL(page.url()).searchParams
const filtered = (value: string) =>
  `/users?smartFilter=${encodeURIComponent(JSON.stringify([{ id: 'userName', value, viewValue: value }]))}`
const answer = (status: number, body: object) => (route: Route) => route.fulfill({ status, json: body })
const nothing = { code: 'internal', requestId: 'r-1' }

// These journeys begin after the sign-in.
let session = ''
test.beforeEach(async ({ request }) => {
  session = JSON.stringify(await sessionOf(request, 'management'))
})

test.beforeEach(async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  await page.goto('/users')
  await expect(rows(page)).toHaveCount(10)
})

test('TABLE-012 TABLE-015 TABLE-021 pages and page sizes live in the address, and back leads back', async ({
  page,
}) => {
  await expect(page.getByText(/^1–10 of \d+$/)).toBeVisible()
  const name = rows(page).first().locator('td').nth(1)
  const first = (await name.textContent()) ?? ''
  expect(first).not.toBe('')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText(/^11–20 of \d+$/)).toBeVisible()
  await expect(name).not.toHaveText(first)
  await expect.poll(() => addressOf(page).get('page')).toBe('2')
  await page.getByLabel('Rows per page').selectOption('25')
  await expect(page.getByText(/^1–\d+ of \d+$/)).toBeVisible()
  await expect.poll(() => [addressOf(page).get('page'), addressOf(page).get('perPage')]).toEqual([null, '25'])
  await page.goBack()
  await expect(page.getByText(/^11–20 of \d+$/)).toBeVisible()
  await page.goBack()
  await expect(page.getByText(/^1–10 of \d+$/)).toBeVisible()
})

test('TABLE-018 TABLE-019 the first click on a column sorts descending, the next ascending', async ({ page }) => {
  const column = page.getByRole('columnheader', { name: 'Username' })
  await expect(column).toHaveAttribute('aria-sort', 'none')
  /** Whichever users other journeys have made meanwhile. */
  const isInOrder = async (step: 1 | -1) => {
    const names = (await rows(page).locator('td:nth-child(2)').allInnerTexts()).map((name) => name.toLowerCase())
    const sorted = names.toSorted((one, other) => (one < other ? -step : step))
    return names.length === 10 && new Set(names).size === 10 && names.join() === sorted.join()
  }
  await column.getByRole('button').click()
  await expect(column).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(() => addressOf(page).get('sort')).toBe('[userName,DESC]')
  await expect.poll(() => isInOrder(-1)).toBe(true)
  await column.getByRole('button').click()
  await expect(column).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => isInOrder(1)).toBe(true)
  await column.getByRole('button').click()
  await expect(column).toHaveAttribute('aria-sort', 'descending')
})

test('TABLE-006 TABLE-020 a filter that nothing matches shows an empty table, why, and the way out', async ({
  page,
}) => {
  await page.goto(filtered('no-such-person'))
  await expect(page.getByText('Empty Table')).toBeVisible()
  await expect(page.getByText('No user matches Username: no-such-person.')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Clear All' }).last().click()
  await expect(rows(page)).toHaveCount(10)
  await expect.poll(() => addressOf(page).has('smartFilter')).toBe(false)
})

test('a filter in the address that cannot be read is said, and the list is shown', async ({ page }) => {
  await page.goto('/users?smartFilter=%5B%7B')
  await expect(page.getByText(/filter in the address could not be read/)).toBeVisible()
  await expect(rows(page)).toHaveCount(10)
})

test('an order in the address that the list does not have is said, and the list is shown in its own', async ({
  page,
}) => {
  await page.goto('/users?sort=[foo,DESC]')
  await expect(page.getByText("This list cannot be sorted by 'foo'; it is shown in its usual order.")).toBeVisible()
  await expect(rows(page)).toHaveCount(10)
  expect(addressOf(page).get('sort')).toBeNull()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a page behind the last one leads to the last one', async ({ page }) => {
  await page.goto('/users?page=999')
  // Other journeys make users meanwhile, so the last page is whatever the total says.
  const range = page.getByText(/^\d+–\d+ of \d+$/)
  await expect(async () => {
    const [, first, last, total] = /^(\d+)–(\d+) of (\d+)$/.exec(await range.innerText({ timeout: 10_000 })) ?? []
    expect([last, addressOf(page).get('page')]).toEqual([total, String(Math.ceil(Number(first) / 10))])
  }).toPass()
})

test('TABLE-008 while the first rows are on their way the table says so and keeps its shape', async ({ page }) => {
  const letGo = await hold(page, list)
  await page.reload()
  await expect(page.getByText('Data loading')).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Username' })).toBeVisible()
  await expect(page.getByRole('table')).toHaveAttribute('aria-busy', 'true')
  letGo()
  await expect(rows(page)).toHaveCount(10)
  await expect(page.getByText('Data loading')).toBeHidden()
})

test('TABLE-036..TABLE-039 TABLE-118 a failed load says why in the table and as a notice, and can be tried again', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  await page.route(list, answer(500, { ...nothing, message: 'The database is asleep' }))
  await page.reload()
  const alert = page.getByRole('alert')
  await expect(alert.filter({ hasText: 'Error loading data' })).toContainText('The database is asleep')
  await expect(alert.filter({ hasText: /^The database is asleep$/ })).toBeVisible()
  await page.unroute(list)
  await page.getByRole('button', { name: 'Retry' }).first().click()
  await expect(rows(page)).toHaveCount(10)
  await page.route(list, answer(500, nothing))
  await page.reload()
  await expect(alert.filter({ hasText: 'Error loading data' })).toContainText('Unknown Error')
})

test('TABLE-118 calls that fail with the same words share a notice, which goes when each of them has succeeded', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  const sortBy = (name: string) => page.getByRole('columnheader', { name }).getByRole('button').press('Enter')
  const notice = page.locator('.error[role]').filter({ hasText: /^The database is asleep$/ })
  await page.route(list, answer(500, { ...nothing, message: 'The database is asleep' }))
  // The notice's five seconds take two minutes, so that it disappears for no other reason, however slow the machine is.
  await page.evaluate(`{
    const before = window.setTimeout
    window.setTimeout = (work, ms, ...rest) => before(work, ms === 5000 ? 120000 : ms, ...rest)
  }`)
  await sortBy('Email')
  await expect(notice).toBeVisible()
  await page.evaluate(`{
    window.mostCards = 0
    const count = () => { window.mostCards = Math.max(window.mostCards, document.querySelectorAll('.error[role=alert]').length) }
    new MutationObserver(count).observe(document.body, { childList: true, subtree: true })
  }`)
  const refused = page.waitForResponse((response) => response.url().includes('userPhone'))
  await sortBy('Phone')
  await refused
  await page.unroute(list)
  const succeeded = page.waitForResponse((response) => response.url().includes('userPhone') && response.ok())
  await page.getByRole('button', { name: 'Retry' }).first().press('Enter')
  await succeeded
  // Until then the previous rows are shown; another sort would cancel the call, which then could not succeed.
  await expect(page.getByRole('table')).not.toHaveAttribute('aria-busy', 'true')
  await expect(rows(page)).toHaveCount(10)
  await expect(notice).toBeVisible()
  expect(await page.evaluate('window.mostCards')).toBe(1)
  await sortBy('Email')
  await expect(notice).toBeHidden()
})

test('TABLE-023 quick changes ask the server for the last one only', async ({ page }) => {
  const asked: string[] = []
  await page.route(list, async (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('sort') ?? '')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await route.continue().catch(() => undefined)
  })
  // In the page itself, so that they are fast on a busy machine too.
  await page.evaluate(`(async () => {
    const heads = [...document.querySelectorAll('th[aria-sort]')]
    for (const name of ['Email', 'Phone', 'Role', 'Entity', 'Status']) {
      heads.find((head) => head.textContent === name).querySelector('button').click()
      await new Promise((next) => setTimeout(next, 10))
    }
  })()`)
  await expect(page.getByRole('columnheader', { name: 'Status' })).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(() => asked.at(-1)).toBe('[userStatusDesc,DESC]')
  expect(asked.length).toBeLessThan(5)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('TABLE-040 a list call that is cancelled by the next one is not reported', async ({ page }) => {
  const sortBy = (name: string) => page.getByRole('columnheader', { name }).getByRole('button').click()
  await page.route(list, async (route) => {
    // Never answered: only a cancelled call ends.
    if (!route.request().url().includes('userEmail')) await route.continue()
  })
  const asked = page.waitForRequest((request) => request.url().includes('userEmail'))
  await sortBy('Email')
  await asked
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('userEmail'))
  const answered = page.waitForResponse((response) => response.url().includes('userPhone'))
  await sortBy('Phone')
  expect((await cancelled).failure()?.errorText).toBe('net::ERR_ABORTED')
  await answered
  await expect(page.getByRole('table')).toHaveAttribute('aria-busy', 'false')
  await expect(rows(page)).toHaveCount(10)
  await expect(page.locator('.error[role], .warning[role], .info[role]')).toHaveCount(0)
})

test('TABLE-005 a click anywhere on a row opens it, with the middle button in a tab of its own', async ({
  page,
  context,
}) => {
  const second = rows(page).nth(1)
  await expect(second.getByRole('link')).toHaveAttribute('href', /^\/users\/\d+\/show$/)
  const href = await second.getByRole('link').getAttribute('href')
  const opened = context.waitForEvent('page')
  await second.locator('td').nth(3).click({ button: 'middle' })
  await expect(await opened).toHaveURL(href ?? '')
  await second.locator('td').nth(3).click()
  await expect(page).toHaveURL(href ?? '')
  await page.goBack()
  await expect(rows(page)).toHaveCount(10)
})

test('TABLE-009 TABLE-010 rows are ticked one by one, in a range, or all of the page, and the bar says how many', async ({
  page,
}) => {
  const boxes = page.getByRole('checkbox', { name: /^Select / })
  await boxes.nth(2).check()
  await expect(page.getByText('1 selected')).toBeVisible()
  await boxes.nth(5).click({ modifiers: ['Shift'] })
  await expect(page.getByText('4 selected')).toBeVisible()
  const all = page.getByRole('checkbox', { name: 'Select all rows of this page' })
  await all.check()
  await expect(page.getByText('10 selected')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await expect(page.getByText(/selected$/)).toBeHidden()
})

test('TABLE-031..TABLE-033 TABLE-035 TABLE-134 the question before a delete names what goes; a failure stays in view', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  await page.getByRole('checkbox', { name: 'Select Clara Haddad (client)' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Are you sure you want to delete this user?')
  await expect(dialog).toContainText('Clara Haddad (client)')
  await expect(dialog).toContainText("This item will be deleted immediately. You can't undo this action.")
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('checkbox', { name: 'Select Bill Kowalski (billing)' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toContainText('Are you sure you want to delete 2 user(s)?')
  await expect(dialog).toContainText(
    'These 2 items will be deleted immediately. Only an administrator can then restore',
  )
  await page.route('**/mfa/users/bulk_delete*', answer(500, { ...nothing, message: 'Not today' }))
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Not today')
  await expect(page.getByText('Not today')).toHaveCount(1)
})

test('USR-04 USR-65 Export All gives the file, and a link to it', async ({ page }) => {
  const exportAll = page.getByRole('button', { name: 'Export All' })
  const download = page.waitForEvent('download')
  const asked = page.waitForRequest(/\/report\/v3\.0\/users\/export\?.*filterActive=true/)
  await exportAll.click()
  await asked
  expect((await download).suggestedFilename()).toMatch(/\.xlsx$/)
  const notice = page.getByRole('status').filter({ hasText: 'If download failed, please click here' })
  const link = notice.getByRole('link', { name: 'Download' })
  await test.step('TABLE-045 TABLE-130 TABLE-131 the notice carries the address as its Download', () =>
    expect(link).toHaveAttribute('href', /./))
  // A second file has its own card, and the first stays while the pointer is over it.
  await notice.hover()
  await exportAll.press('Enter')
  await expect(link).toHaveCount(2)
  expect(await link.first().getAttribute('href')).not.toBe(await link.last().getAttribute('href'))
})

test('TABLE-129 the notice with the link to a file goes after ten seconds', async ({ page }) => {
  await page.clock.install()
  await page.reload()
  await page.getByRole('button', { name: 'Export All' }).click()
  const notice = page.getByText('If download failed, please click here')
  await expect(notice).toBeVisible()
  // Besides delays that end by themselves on a slow machine; other notices go after five.
  await page.clock.runFor(6_000)
  await expect(notice).toBeVisible()
  await page.clock.runFor(5_000)
  await expect(notice).toBeHidden()
})

test('TABLE-041..TABLE-044 USR-66 an export that gives no file says why', async ({ page, faults }) => {
  faults.expect(/status of 500/)
  const exportAll = page.getByRole('button', { name: 'Export All' })
  const say = async (body: object, type: 'error' | 'warning', text: string, status = 200) => {
    await page.route('**/users/export*', (route) => route.fulfill({ status, json: body }))
    await exportAll.click()
    await expect(page.locator(`.${type}[role]`).getByText(text, { exact: true })).toBeVisible()
    await page.unroute('**/users/export*')
  }
  await say({ data: null, message: 'The store is full' }, 'error', 'The store is full')
  await say({}, 'warning', 'Export failed with unexpected response format')
  await say({ ...nothing, message: 'The disk is full' }, 'error', 'The disk is full', 500)
  await say(nothing, 'error', 'Export failed', 500)
  await page.goto(filtered('no-such-person'))
  await expect(page.getByText('Empty Table')).toBeVisible()
  await exportAll.click()
  await expect(page.locator('.info[role]').getByText('No matching records found for export')).toBeVisible()
})

test('rows are 32 or 40 high, and each person’s choice is remembered', async ({ page }) => {
  const height = async () => Math.round((await rows(page).first().boundingBox())?.height ?? 0)
  await expect.poll(height).toBe(32)
  await page.getByRole('button', { name: 'Comfortable row height' }).click()
  await expect.poll(height).toBe(40)
  await page.reload()
  await expect(rows(page)).toHaveCount(10)
  await expect.poll(height).toBe(40)
})
