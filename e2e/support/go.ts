import { expect, type Locator, type Page } from '@playwright/test'

/**
 * Navigates like a link, without a reload, which would take longer than the test itself. The previous screen
 * stays until the next one is rendered, so the caller waits for something that only the next one has.
 */
export const go = async (page: Page, path: string, arrived: Locator) => {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await expect(arrived).toBeVisible()
}
