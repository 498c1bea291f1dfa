import type { Page } from '@playwright/test'
import axe, { type AxeResults, type Result, type RunOptions } from 'axe-core'

/**
 * What axe finds on the page, by all rules or by these. Its script is put into a page once, not for each look: reading it
 * takes as long as half a look. Frames are left out: there are none.
 */
export const violationsOn = async (page: Page, ...rules: string[]): Promise<Result[]> => {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const options: RunOptions = {
    reporter: 'no-passes',
    resultTypes: ['violations'],
    preload: false,
    iframes: false,
    ...(rules.length > 0 ? { runOnly: { type: 'rule', values: rules } } : {}),
  }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations
}
