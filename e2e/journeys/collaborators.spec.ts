import type { Page } from '@playwright/test'
import { go } from '../support/go.ts'
import { deskAndPhone, expect, picture, test } from '../support/test.ts'

const table = (page: Page) => page.getByRole('table', { name: 'Collaborators' })
const choose = async (page: Page, label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).first().click()
}

const fillForm = async (page: Page, name: string) => {
  await page.getByLabel('Name', { exact: false }).first().fill(name)
  await page.getByLabel('Alias').fill(name.slice(-50))
  await page.getByRole('radiogroup', { name: 'LIS Interface' }).getByLabel('Yes').check()
  await page.getByRole('radiogroup', { name: 'Order ID Available' }).getByLabel('No').check()
  await choose(page, 'Name Format Code', /\w/)
  await page.getByLabel('Address 1').fill('1 Main St')
  await page.getByLabel('City').fill('Springfield')
  await page.getByLabel('Zip').fill('12345')
  await choose(page, 'Country', /United States/)
  await choose(page, 'State', /\w/)
}

test('COL-02..COL-08 SHELL-24 the list is opened from the menu, filtered by each of its fields, and has an add button', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff')
  await page.getByRole('link', { name: 'Collaborators' }).click()
  await expect(page).toHaveURL('/collaborators')
  await expect(page.getByRole('link', { name: 'Create' })).toBeVisible()
  const first = table(page).locator('tbody tr').first()
  await expect(first.locator('td strong')).toBeVisible()
  expect(await table(page).getByRole('columnheader').allTextContents()).toEqual(
    expect.arrayContaining(['ID', 'Name', 'Alias', 'Phone', 'Email']),
  )
  const cells = await first.locator('td:not(.ctl)').allTextContents()
  const panel = page.getByRole('complementary', { name: 'View & Filters' })
  const filters = ['ID', 'Name', 'Alias', 'Phone', 'Email']
  for (const [index, label] of filters.entries()) {
    // A phone is shown with its signs, and asked for by its digits.
    const value = label === 'Phone' ? (cells[index] ?? '').replace(/\D/g, '') : (cells[index] ?? '')
    if (value === '') continue
    await panel.getByLabel(label).first().fill(value)
    await panel.getByRole('button', { name: 'Filter', exact: true }).click()
    await expect(page.getByRole('list', { name: 'Active filters' })).toContainText(`${label}:`)
    await expect(table(page)).toContainText(cells[1] ?? '')
    await panel.getByRole('button', { name: 'Clear', exact: true }).click()
  }
})

test('COL-01 a collaborator is created, shown, changed and deleted', async ({ page, signIn }) => {
  await signIn(page, 'staff', '/collaborators/create')
  await page.getByRole('button', { name: 'Create' }).first().click()
  for (const [id, name] of [
    ['COL-73', 'Name'],
    ['COL-74', 'Alias'],
    ['COL-75', 'Country'],
    ['COL-76', 'State'],
    ['COL-77', 'Zip'],
    ['COL-78', 'City'],
    ['COL-79', 'Address 1'],
    ['COL-80', 'Name Format Code'],
    ['COL-81', 'LIS Interface'],
    ['COL-82', 'Order ID Available'],
  ] as const)
    await test.step(`${id} a missing ${name} is named`, () =>
      expect(page.getByText(`${name} is required`, { exact: true })).toBeVisible())
  const name = `Acme Labs ${Date.now()}`
  await fillForm(page, name)
  // Another country has other states.
  await test.step('COL-83 COL-84 another country has other states', async () => {
    await choose(page, 'Country', /Canada|Mexico/)
    await expect(page.getByRole('combobox', { name: 'State' })).toHaveText('')
    await choose(page, 'Country', /United States/)
    await choose(page, 'State', /\w/)
  })
  await test.step('COL-09 COL-11 it is created by the form and shown', async () => {
    await page.getByRole('button', { name: 'Create' }).first().click()
    await expect(page).toHaveURL(/\/collaborators\/\d+\/show$/)
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  })
  for (const [id, name] of [
    ['COL-12', 'Info'],
    ['COL-13', 'Reports Information'],
    ['COL-14', 'Contact'],
    ['COL-15', 'Custom Test Reference Range'],
  ] as const)
    await test.step(`${id} there is the card ${name}`, () =>
      expect(page.getByRole('region', { name, exact: true })).toBeVisible())
  await test.step('COL-10 it is changed on its edit page', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    const alias = `NEW ${name}`.slice(-50)
    await page.getByLabel('Alias').fill(alias)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await expect(page.getByRole('region', { name: 'Info', exact: true })).toContainText(alias)
  })
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this collaborator?' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL('/collaborators')
  await expect(page.getByText('Successfully deleted')).toBeVisible()
})

test('COL-16 COL-85..COL-87 COL-92..COL-94 a test range is added with what the test brings, changed, also by two people at once, and deleted', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', '/collaborators/create')
  await fillForm(page, `Range Labs ${Date.now()}`)
  await page.getByRole('button', { name: 'Create' }).first().click()
  await expect(page).toHaveURL(/\/show$/)
  const card = page.getByRole('region', { name: 'Custom Test Reference Range' })
  await expect(card).toContainText('Empty Table')
  await card.getByRole('button', { name: 'Add test' }).click()
  const modal = page.getByRole('dialog', { name: 'Add test' })
  await modal.getByRole('button', { name: 'Add test' }).click()
  await expect(modal.getByText('Test id is required')).toBeVisible()
  await modal.getByRole('combobox', { name: 'Test' }).click()
  await page.getByRole('option').first().click()
  await expect(modal.getByLabel('Sig Digits')).not.toHaveValue('')
  const limits = await modal
    .getByLabel(/ (Lo|Hi)$/)
    .evaluateAll((inputs) => inputs.map((input) => Reflect.get(input, 'value')))
  expect(limits.filter((value) => value !== '').length).toBeGreaterThan(0)
  await modal.getByLabel('Reportable Lo').fill('90')
  await modal.getByLabel('Reportable Hi').fill('9')
  await modal.getByRole('button', { name: 'Add test' }).click()
  await expect(modal.getByText('Lo cannot be above Hi')).toBeVisible()
  await modal.getByLabel('Reportable Hi').fill('900')
  await modal.getByRole('button', { name: 'Add test' }).click()
  await expect(modal).toBeHidden()
  const row = card.locator('tbody tr')
  await expect(row).toContainText('900')
  await picture(page, 'collaborator-range')
  await row.getByRole('button', { name: /^Edit/ }).click()
  const edit = page.getByRole('dialog')
  await edit.getByLabel('Sig Digits').fill('3')
  // Somebody else is quicker: what they stored is shown beside it.
  await page.route(
    '**/test_ranges/*',
    async (route) => {
      const { authorization = '' } = route.request().headers()
      const theirs = { ...route.request().postDataJSON(), colaSigDigits: 2, colaReportHi: 800 }
      const reply = await page.request.put(route.request().url(), { headers: { authorization }, data: theirs })
      expect(reply.status()).toBe(200)
      await route.continue()
    },
    { times: 1 },
  )
  await edit.getByRole('button', { name: 'Update' }).click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  await expect(conflict.getByRole('radio', { name: 'Sig Digits, yours' })).toBeChecked()
  await expect(conflict.getByRole('radio', { name: 'Reportable Hi, theirs' })).toBeChecked()
  await conflict.getByRole('button', { name: 'Save again' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(row).toContainText('800')
  await row.getByRole('button', { name: /^Delete/ }).click()
  const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this test range?' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(card).toContainText('Empty Table')
})

test('axe finds nothing on list, form, show page and test modal', async ({ page, signIn, look }) => {
  test.slow()
  await signIn(page, 'staff')
  await go(page, '/collaborators', page.getByText('1–', { exact: false }).first())
  await look(page, 'collaborator-list', deskAndPhone)
  const create = page.getByRole('button', { name: 'Create' }).last()
  await go(page, '/collaborators/create', create)
  await create.click()
  await expect(page.getByText('Name is required', { exact: true })).toBeVisible()
  await look(page, 'collaborator-form', deskAndPhone)
  await go(page, '/collaborators/1/show', page.getByRole('region', { name: 'Contact' }))
  await look(page, 'collaborator-show', deskAndPhone)
  await page.getByRole('button', { name: 'Add test' }).click()
  await expect(page.getByRole('dialog').getByLabel('Reportable Lo')).toBeVisible()
  await look(page, 'collaborator-add-test', deskAndPhone)
})
