import type { Page } from '@playwright/test'
import axe, { type AxeResults, type Result, type RunOptions } from 'axe-core'

/** All rules, all but that of contrast (which takes most of the time and does not depend on the width), or that one alone. */
export type AxeRules = 'all' | 'layout' | 'contrast'

/**
 * What axe finds on the page. Its script is put into a page once, not for each look: reading it
 * takes as long as half a look. Frames are left out: there are none.
 */
export const violationsOn = async (page: Page, rules: AxeRules = 'all'): Promise<Result[]> => {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const options: RunOptions = {
    reporter: 'no-passes',
    resultTypes: ['violations'],
    preload: false,
    iframes: false,
    ...(rules === 'contrast' ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {}),
    ...(rules === 'layout' ? { rules: { 'color-contrast': { enabled: false } } } : {}),
  }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations
}
