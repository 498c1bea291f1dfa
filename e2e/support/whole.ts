import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

/** A desk, a small screen, a desk at 200 % and a phone. */
const widths = [1440, 1024, 720, 390]

/**
 * What does not fit into its cell in the table with this name, by its text and how much of it there is and is shown. As text: the code
 * runs in the page.
 */
const cutOff = (page: Page, name: string): Promise<unknown[]> =>
  page.evaluate(`[...document.querySelectorAll('table[aria-label="${name}"] :is(td, tbody th, td *)')]
    .filter((part) => part.getClientRects().length > 0 && getComputedStyle(part).display !== 'inline' && part.tagName !== 'svg')
    .filter((part) => !part.closest('svg, .rng, [class*="MuiSelect"]') && getComputedStyle(part).clipPath === 'none')
    .filter((part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1)
    .map((part) => [part.value ?? part.textContent, part.scrollWidth, part.clientWidth, part.scrollHeight, part.clientHeight])`)

/** Nothing in the cells of the table is cut off, at any width. */
export const expectWhole = async (page: Page, table: Locator) => {
  const name = (await table.getAttribute('aria-label')) ?? ''
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expect(table).toBeVisible()
    expect(await cutOff(page, name), `${name} at ${width} px`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}
