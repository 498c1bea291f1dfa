import { expect, type Locator, type Page } from '@playwright/test'

/**
 * To another address as a link leads there: without a reload, which costs more than all that is looked at. The screen before stays
 * until the next one can be drawn, so nothing is typed, pressed or read until there is what only the next one has.
 */
export const go = async (page: Page, path: string, arrived: Locator) => {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await expect(arrived).toBeVisible()
}
