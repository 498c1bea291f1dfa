import { expect, test } from '../support/test.ts'

const kinds = [
  { path: 'physicians', name: 'First Name', save: 'Update Physician' },
  { path: 'collaborators', name: 'Name', save: 'Save' },
  { path: 'clients', name: 'Name', save: 'Save' },
  { path: 'sales', name: 'First Name', save: 'Save' },
  { path: 'users', name: 'First Name', save: 'Save' },
]

test('TABLE-001..TABLE-004 each kind of master data has a list, a page, a create form and an edit form with its values', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'management')
  for (const { path, name, save } of kinds) {
    const input = page.getByRole('textbox', { name, exact: true })
    await page.goto(`/${path}`)
    await page.locator('tbody tr.row').first().locator('td').nth(2).click()
    await expect(page).toHaveURL(new RegExp(`/${path}/\\d+/show$`))
    const shown = page.getByRole('heading', { level: 1 })
    await expect(page.getByRole('link', { name: 'Edit', exact: true })).toBeVisible()
    const title = await shown.innerText()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`/${path}/\\d+$`))
    await expect(page.getByRole('button', { name: save }).first()).toBeVisible()
    await expect(input).not.toHaveValue('')
    expect(title).toContain(await input.inputValue())
    await page.goto(`/${path}/create`)
    await expect(input).toHaveValue('')
  }
})
