import type { Page } from '@playwright/test'
import { violationsOn } from '../support/axe.ts'

/** Returns when nothing is being loaded and nothing on the page has changed for a while. */
export const settle = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const giveUpAt = Date.now() + 10000
    let changedAt = Date.now()
    const watch = new MutationObserver(() => { changedAt = Date.now() })
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    const look = () => {
      const isBusy = document.querySelector('[aria-busy="true"], [role="progressbar"], .MuiSkeleton-root') || !document.querySelector('h1')
      if (Date.now() > giveUpAt || (!isBusy && Date.now() - changedAt > 250)) { watch.disconnect(); resolve() }
      else setTimeout(look, 50)
    }
    look()
  })`)

/** What cannot be reached: a page that scrolls sideways, and controls beyond an edge that no scrolling brings in. */
const layoutFaults = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    const root = document.scrollingElement
    if (root.scrollWidth > root.clientWidth + 1) {
      const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).slice(0, 3)
      faults.push('page scrolls sideways: ' + root.scrollWidth + ' > ' + root.clientWidth + ' ' + wide.map((one) => one.outerHTML.slice(0, 120)).join(' | '))
    }
    const scrolls = (from, axis) => {
      for (let at = from.parentElement; at; at = at.parentElement) {
        const overflow = getComputedStyle(at)['overflow' + axis]
        if (overflow === 'auto' || overflow === 'scroll') return true
      }
      return false
    }
    const isFixed = (from) => {
      for (let at = from; at; at = at.parentElement) if (getComputedStyle(at).position === 'fixed') return true
      return false
    }
    for (const one of document.querySelectorAll('button, a[href], input, textarea, [role="combobox"], h1, h2')) {
      const rect = one.getBoundingClientRect()
      if (rect.width < 2 || rect.height < 2 || one.closest('[aria-hidden="true"]') || getComputedStyle(one).visibility === 'hidden') continue
      // Text for screen readers is off screen on purpose; a notice slides out of it.
      if (rect.bottom < 0 || one.closest('.notistack-SnackbarContainer')) continue
      if ((rect.right > innerWidth + 1 || rect.left < -1) && !scrolls(one, 'X')) faults.push('beyond the side: ' + one.outerHTML.slice(0, 160))
      if (one.matches('.MuiButton-root') && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'visible') faults.push('wider than its button: ' + one.outerHTML.slice(0, 160))
      if (rect.bottom > innerHeight + 1 && isFixed(one) && !scrolls(one, 'Y')) faults.push('beyond the foot: ' + one.outerHTML.slice(0, 160))
    }
    return faults
  })()`)

/** What moves although it was asked not to; a spinner says that something is going on and may turn. */
const motion = (page: Page) =>
  page.evaluate<string[]>(`document.getAnimations()
    .filter((one) => one.playState === 'running' && !one.effect?.target?.closest?.('[role="progressbar"], .MuiSkeleton-root'))
    .map((one) => 'moves: ' + one.effect?.target?.outerHTML?.slice(0, 120))`)

/** Everything that is wrong with the page now. */
export const faultsOf = async (page: Page): Promise<string[]> => {
  await settle(page)
  const violations = await violationsOn(page)
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 240)}`)),
    ...(await layoutFaults(page)),
    ...(await motion(page)),
  ]
}
