import type { Page } from '@playwright/test'
import { deskAndPhone, expect, test } from '../support/test.ts'

const rows = (page: Page) => page.locator('tbody tr.row')
const list = '**/api/v3.0/users?*'

test('USR-02 USR-03 USR-58 the user list shows who there is, and filters', async ({ page, signIn }) => {
  await signIn(page, 'management', '/users')
  await expect(rows(page)).toHaveCount(10)
  await expect(page.getByRole('columnheader')).toHaveText([
    '',
    'Username',
    'First Name',
    'Last Name',
    'Email',
    'Phone',
    'Role',
    'Entity',
    'Status',
    'Last Logon',
    'Temporary password',
  ])
  await expect(rows(page).first()).toContainText(/\+1\(\d{3}\) \d{3}-\d{4}/)
  await page.getByRole('searchbox', { name: 'Search Users' }).fill('lindstr')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('Lindström')
})

test('USR-06 USR-07 a warning marks a temporary password that has run out, and only that', async ({ page, signIn }) => {
  await signIn(page, 'admin')
  // Nobody in the demo has an expired one; the rest of the reply is from the server.
  await page.route(list, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    body.data[0].tempPwdExpiredDate = new Date(Date.now() - 1000).toISOString()
    body.data[1].tempPwdExpiredDate = new Date(Date.now() + 3_600_000).toISOString()
    await route.fulfill({ response, json: body })
  })
  await page.goto('/users')
  const mark = 'The temporary password has expired'
  await expect(rows(page).nth(0).getByRole('img', { name: mark })).toBeVisible()
  await expect(page.getByRole('img', { name: mark })).toHaveCount(1)
  await rows(page).nth(0).getByRole('img', { name: mark }).hover()
  await expect(page.getByRole('tooltip', { name: mark })).toBeVisible()
})

test('USR-05 the add button is always there; only management can use it', async ({ page, signIn }) => {
  await signIn(page, 'admin', '/users')
  const create = page.getByRole('button', { name: 'Create' })
  await expect(create).toHaveAttribute('aria-disabled', 'true')
  await create.focus()
  await expect(page.getByRole('tooltip')).toHaveText('Only management can create users')
  await expect(page.getByRole('checkbox')).toHaveCount(0)
})

test('USR-05 USR-08 management creates users from the list', async ({ page, signIn }) => {
  await signIn(page, 'management', '/users')
  await page.getByRole('link', { name: 'Create' }).click()
  await expect(page).toHaveURL('/users/create')
})

const nobody = `/users?smartFilter=${encodeURIComponent(JSON.stringify([{ id: 'userName', value: 'no-such', viewValue: 'no-such' }]))}`

for (const width of deskAndPhone)
  test(`axe finds nothing on a list that is full, ticked, asked, empty, failed or loading, at ${width}`, async ({
    page,
    signIn,
    look,
    faults,
  }) => {
    test.slow()
    await page.setViewportSize({ width, height: 900 })
    faults.expect(/status of 500/)
    const isPhone = width < 600
    const item = isPhone ? page.getByRole('main').locator('li[data-href]') : rows(page)
    await signIn(page, 'management', '/users')
    await expect(item).toHaveCount(10)
    await look(page, 'list-full')
    await page
      .getByRole('checkbox', { name: /^Select / })
      .nth(isPhone ? 1 : 2)
      .check()
    await look(page, 'list-ticked')
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look(page, 'list-delete')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.goto(nobody)
    await expect(page.getByText('Empty Table')).toBeVisible()
    await look(page, 'list-empty')
    await page.route(list, (route) => route.fulfill({ status: 500, json: { message: 'The database is asleep' } }))
    await page.goto('/users')
    await expect(page.getByText('Error loading data')).toBeVisible()
    await look(page, 'list-error')
    await page.unroute(list)
    await page.route(list, () => undefined)
    await page.goto('/users')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await look(page, 'list-loading')
  })
