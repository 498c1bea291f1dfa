import type { Page } from '@playwright/test'
import { sessionOf } from '../support/people.ts'
import { currentSession } from '../support/stored-session.ts'
import { expect, test } from '../support/test.ts'

const rows = (page: Page) => page.locator('tbody tr.row')
const named = (value: string) =>
  `/sales?smartFilter=${encodeURIComponent(JSON.stringify([{ id: 'salesLastName', value, viewValue: value }]))}`

/** A sales person of our own, so that no other journey misses one. */
const aSalesPerson = async (page: Page, lastName: string, firstName: string): Promise<number> => {
  const { token } = await currentSession(page)
  const reply = await page.request.post('/api/v3.0/sales', {
    headers: { authorization: `Bearer ${token}` },
    data: {
      salesFirstName: firstName,
      salesLastName: lastName,
      salesEmail: `${firstName}.${lastName}@example.com`.toLowerCase(),
      salesTitle: 'Manager',
      salesTypeCode: 'SLS',
    },
  })
  expect(reply.status()).toBe(200)
  return (await reply.json()).data.id
}

// These journeys begin after the sign-in.
let session = ''
test.beforeEach(async ({ request }) => {
  session = JSON.stringify(await sessionOf(request, 'staff'))
})

test.beforeEach(async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  // The address that loads fastest; each journey opens its own page.
  await page.goto('/healthz')
})

test('SAL-02..SAL-08 the list has its columns, an add button and the export', async ({ page }) => {
  await page.goto('/sales')
  await expect(page.getByRole('columnheader')).toHaveText(['', 'First Name', 'Last Name', 'Email', 'Profession'])
  await expect(rows(page).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Export All' })).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export All' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.xlsx$/)
  await page.getByRole('link', { name: 'Create' }).click()
  await expect(page).toHaveURL('/sales/create')
})

test('SAL-09 SAL-37..SAL-42 a new sales person: what is missing is said, then it is created and shown', async ({
  page,
}) => {
  await page.goto('/sales/create')
  const create = page.getByRole('button', { name: 'Create' }).first()
  await create.click()
  for (const label of ['First Name', 'Last Name', 'Email', 'Profession', 'Sales Type Code'])
    await expect(page.getByText(`${label} is required`)).toBeVisible()
  const lastName = `Created${Date.now()}`
  await page.getByLabel('First Name').fill('Nora')
  await page.getByLabel('Last Name').fill(lastName)
  await page.getByLabel('Email').fill('nora@example.com')
  await page.getByLabel('Profession').click()
  await page.getByRole('option', { name: 'Regional Sales Director' }).click()
  await page.getByLabel('Sales Type Code').click()
  await page.getByRole('option').first().click()
  await create.click()
  await expect(page).toHaveURL(/\/sales\/\d+\/show$/)
  await expect(page.getByText('Successfully created')).toBeVisible()
  await expect(page.getByRole('heading', { name: `Nora ${lastName}` })).toBeVisible()
})

test('SAL-01 SAL-10 SAL-11 SAL-43 SAL-44 TABLE-007 the page of a sales person, with staff and clients, leads to its form', async ({
  page,
}) => {
  const id = await aSalesPerson(page, `Shown${Date.now()}`, 'Ida')
  const asked = page.waitForRequest(new RegExp(`/sales/${id}/staff\\?.*perPage=-1`))
  await page.goto(`/sales/${id}/show`)
  await test.step('SAL-47 TABLE-016 a sub-table asks for everything', () => asked)
  for (const [id, name] of [
    ['SAL-12', 'About'],
    ['SAL-13', 'Contact'],
    ['SAL-14', 'Staff'],
    ['SAL-15', 'Clients'],
  ] as const)
    await test.step(`${id} there is ${name}`, () =>
      expect(page.getByRole('heading', { name, exact: true })).toBeVisible())
  await expect(page.getByRole('region', { name: 'Staff' })).toContainText('Empty Table')
  await page.getByRole('link', { name: 'Edit' }).click()
  await expect(page).toHaveURL(`/sales/${id}`)
  await page.getByLabel('Company').fill('Fieldwork Ltd')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page).toHaveURL(`/sales/${id}/show`)
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(page.getByText('Fieldwork Ltd')).toBeVisible()
})

test('TABLE-022 a table far down the page asks for nothing until it is seen', async ({ page }) => {
  const id = await aSalesPerson(page, `Deep${Date.now()}`, 'Ada')
  const asked: string[] = []
  page.on('request', (request) => {
    if (/sales\/\d+\/(staff|clients)/.test(request.url())) asked.push(request.url())
  })
  await page.setViewportSize({ width: 1024, height: 240 })
  await page.goto(`/sales/${id}/show`)
  await expect(page.getByRole('heading', { name: 'About' })).toBeVisible()
  await page.waitForTimeout(700)
  expect(asked).toEqual([])
  await page.getByRole('heading', { name: 'Clients', exact: true }).scrollIntoViewIfNeeded()
  await expect.poll(() => asked.length).toBe(2)
})

test('SAL-45 TABLE-032 TABLE-034 several are deleted at once, after the question', async ({ page }) => {
  const lastName = `Gone${Date.now()}`
  await aSalesPerson(page, lastName, 'Tom')
  await aSalesPerson(page, lastName, 'Tim')
  await page.goto(named(lastName))
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Are you sure you want to delete 2 sales person(s)?')
  await expect(dialog).toContainText(`Tim ${lastName}`)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Successfully deleted')).toBeVisible()
  await expect(page.getByText('Empty Table')).toBeVisible()
})

test('axe finds nothing on list, page and forms of sales people', async ({ page, expectAccessible }) => {
  const id = await aSalesPerson(page, `Axe${Date.now()}`, 'Eva')
  for (const path of ['/sales', '/sales/create', `/sales/${id}`, `/sales/${id}/show`]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Data loading')).toHaveCount(0)
    await expectAccessible(page)
  }
})
