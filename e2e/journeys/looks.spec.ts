import { join } from 'node:path'
import { demoPassword } from '../support/accounts.ts'
import { enterPassword, loginForm } from '../support/sign-in.ts'
import { expect, test } from '../support/test.ts'

// To be looked at, beside the design pictures. Not committed.
const screens = join(import.meta.dirname, '../../test-results/screens')
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme })
    // In the dark only the colours differ, and one size shows them.
    for (const viewport of colorScheme === 'light' ? sizes : sizes.slice(0, 1)) {
      test(`axe finds nothing on login, code, home, 403 and 404, ${colorScheme} at ${viewport.width}`, async ({
        page,
        expectAccessible,
      }) => {
        test.setTimeout(60_000)
        await page.setViewportSize(viewport)
        const look = async (name: string) => {
          await expectAccessible(page)
          await page.screenshot({ path: join(screens, `${name}-${colorScheme}-${viewport.width}.png`) })
        }
        const form = loginForm(page)
        await page.goto('/login')
        await form.login.click()
        await expect(page.getByText('Username is required')).toBeVisible()
        await look('login-errors')
        await form.userName.fill('staff')
        await form.password.fill(demoPassword)
        await look('login')
        const code = await enterPassword(page, 'staff')
        await form.code.fill(code.slice(0, 4))
        await look('code')
        await form.code.fill(code)
        await form.authenticate.click()
        await expect(page.getByText('Successfully login')).toBeVisible()
        await expect(page.locator('main p').filter({ hasText: /\w+ \w+/ })).toBeVisible()
        await look('home')
        await page.goto('/403')
        await expect(page.getByRole('heading', { name: '403: Forbidden' })).toBeVisible()
        await look('403')
        await page.goto('/no-such-page')
        await expect(page.getByRole('heading', { name: '404: Not found' })).toBeVisible()
        await look('404')
        await page.goto('/')
        await page.getByRole('button', { name: viewport.width < 600 ? 'Menu' : 'Expand sidebar' }).click()
        await expect(page.getByRole('button', { name: 'Log-out' })).toBeVisible()
        await look('home-menu')
      })
    }
  })
}
