import { expect, test } from '../support/test.ts'

test('DAY-33 an administrator sees what a person sees, read only, and comes back to their own session', async ({
  page,
  signIn,
  look,
}) => {
  await signIn(page, 'admin', '/users')
  await page.getByRole('searchbox', { name: 'Search Users' }).fill('client')
  const row = page.locator('tbody tr.row')
  await expect(row).toHaveCount(1)
  const href = await row.getByRole('link').first().getAttribute('href')
  await page.goto(String(href))
  await page.getByRole('button', { name: 'View as' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'View as' }).click()
  await expect(dialog.getByText('Reason is required')).toBeVisible()
  await dialog.getByLabel('Reason').fill('Asked why a report is missing')
  await dialog.getByRole('button', { name: 'View as' }).click()
  const banner = page.getByText('Viewing as Clara Haddad, read only')
  await expect(banner).toBeVisible()
  await expect(page.getByRole('link', { name: 'Users' })).toHaveCount(0)
  await look(page, 'view-as-home')
  // A write is refused and says why.
  await page.goto('/user-profile/edit')
  await expect(banner).toBeVisible()
  await page.getByLabel('First Name').fill('Somebody')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(
    page.getByText('You are viewing as somebody else, read only: nothing can be changed').first(),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Stop viewing' }).click()
  await expect(banner).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Users' })).toBeVisible()
})
