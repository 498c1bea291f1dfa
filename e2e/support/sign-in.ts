import { expect, type Page } from '@playwright/test'
import { type Account, demoPassword } from './accounts.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { expectCode } from './outbox.ts'

export const loginForm = (page: Page) => ({
  userName: page.getByLabel('Username'),
  password: page.getByLabel('Password', { exact: true }),
  login: page.getByRole('button', { name: 'Login' }),
  code: page.getByLabel('Authentication code'),
  authenticate: page.getByRole('button', { name: 'Authenticate' }),
})

/** Types name and password, and gives the code that was sent for them. */
export const enterPassword = (page: Page, account: Account): Promise<string> =>
  oneAtATime('sign-in', async () => {
    const form = loginForm(page)
    const nextCode = await expectCode(page.request)
    await form.userName.fill(account)
    await form.password.fill(demoPassword)
    await form.login.click()
    await expect(form.code).toBeVisible()
    return nextCode()
  })

/** Signs in as a person does, from wherever the page is: name, password, and the code that arrives. */
export const signIn = async (page: Page, account: Account) => {
  if (!page.url().includes('/login')) await page.goto('/login')
  const code = await enterPassword(page, account)
  const form = loginForm(page)
  await form.code.fill(code)
  await form.authenticate.click()
  await expect(page).not.toHaveURL(/\/login/)
}
