import { expect, test } from '../support/test.ts'

test('Back returns to the place in the list, Deleted stands apart from Create, and Save stays in view', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'admin', '/clients')
  const frame = page.getByRole('group', { name: 'Clients, scrolling area' })
  const rows = frame.getByRole('row')
  await expect(rows.nth(8)).toBeVisible()
  await test.step('the list stands where it was left', async () => {
    await page.setViewportSize({ width: 1440, height: 420 })
    await frame.evaluate((element) => element.scrollTo(0, 60))
    await expect.poll(() => frame.evaluate((element) => element.scrollTop)).toBe(60)
    // Without scrolling the row into view first.
    await rows.nth(6).getByRole('link').first().dispatchEvent('click')
    await expect(page).toHaveURL(/\/clients\/\d+\/show/)
    await page.goBack()
    await expect.poll(() => frame.evaluate((element) => element.scrollTop)).toBe(60)
  })
  await test.step('Deleted is in the toolbar, not beside Create', async () => {
    await expect(page.getByRole('link', { name: 'Deleted' })).toBeVisible()
    await expect(page.locator('header').getByRole('link', { name: 'Deleted' })).toHaveCount(0)
  })
  await test.step('Save stays in view at the end of a long form', async () => {
    await rows.nth(2).getByRole('link').first().click()
    await page.getByRole('link', { name: /^Edit/ }).first().click()
    const save = page.getByRole('button', { name: 'Save', exact: true }).first()
    await expect(save).toBeVisible()
    await page.mouse.move(600, 300)
    await page.mouse.wheel(0, 5000)
    await expect(save).toBeInViewport()
  })
})

test('Create stays in view on Add Requisition, and ticks that a page change takes away are announced', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', '/requisitions/create')
  for (const name of ['Create', 'Save and next'])
    await expect(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
  await page.goto('/requisitions?status=Resulted&view=0')
  const ticks = page.getByRole('table').first().locator('tbody tr.row').getByRole('checkbox')
  await ticks.nth(0).check()
  await ticks.nth(1).check()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('2 rows are no longer ticked: they are not on this page.')).toBeVisible()
})

test('the colours are chosen on the profile and stay after a reload', async ({ page, signIn }) => {
  await signIn(page, 'admin', '/user-profile')
  await page.getByRole('radio', { name: 'Dark' }).check()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByRole('radio', { name: 'As this device' }).check()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
})
