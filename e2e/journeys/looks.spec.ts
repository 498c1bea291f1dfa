import { demoPassword } from '../support/accounts.ts'
import { go } from '../support/go.ts'
import { enterPassword, loginForm } from '../support/sign-in.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

for (const width of deskAndPhone)
  test(`axe finds nothing on login, code, home, 403 and 404, at ${width}`, async ({ page, look }) => {
    await page.setViewportSize({ width, height: 900 })
    const form = loginForm(page)
    await page.goto('/login')
    await form.login.click()
    await expect(page.getByText('Username is required')).toBeVisible()
    await look(page, 'login-errors')
    await form.userName.fill('staff')
    await form.password.fill(demoPassword)
    await look(page, 'login')
    const code = await enterPassword(page, 'staff')
    await form.code.fill(code.slice(0, 4))
    await look(page, 'code')
    await form.code.fill(code)
    await form.authenticate.click()
    await expect(page.getByText('Successfully login')).toBeVisible()
    await expect(page.locator('main p').first()).toHaveText(/\w+ \w+/)
    await look(page, 'home')
    await go(page, '/403', page.getByRole('heading', { name: '403: Forbidden' }))
    await look(page, '403')
    await go(page, '/no-such-page', page.getByRole('heading', { name: '404: Not found' }))
    await look(page, '404')
    await go(page, '/', page.getByRole('heading', { name: /^Welcome/ }))
    await page.getByRole('button', { name: width < 600 ? 'Menu' : 'Expand sidebar' }).click()
    await expect(page.getByRole('button', { name: 'Log-out' })).toBeVisible()
    await look(page, 'home-menu')
  })
