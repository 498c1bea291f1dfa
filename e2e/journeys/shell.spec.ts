import { currentSession, storeSession } from '../support/stored-session.ts'
import { expect, test } from '../support/test.ts'

test('SHELL-19 SHELL-21 a role that may not open a page is led to /403', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  // No demo account is a guest; the browser's own copy of the role is enough for the browser's own guard.
  const session = await currentSession(page)
  await storeSession(page, { ...session, access: { ...session.access, userRoleCode: 'GST' } })
  await page.goto('/')
  await expect(page).toHaveURL('/403')
  await expect(page.getByRole('heading', { name: '403: Forbidden' })).toBeVisible()
})

test('SHELL-22 SHELL-23 an unknown path shows the 404 page, with and without a session', async ({ page, signIn }) => {
  await page.goto('/no-such-page')
  await expect(page.getByRole('heading', { name: '404: Not found' })).toBeVisible()
  await signIn(page, 'admin')
  await page.goto('/no/such/page')
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
  await page.setViewportSize({ width: 390, height: 844 })
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
  await signIn(page, 'staff')
  await page.goto('/no-such-page')
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
