import type { Page, Request } from '@playwright/test'

/** Holds calls to an address until they are released, to test what users do meanwhile. */
export const hold = async (page: Page, url: string | RegExp, isHeld: (request: Request) => boolean = () => true) => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (isHeld(route.request())) await promise
    await route.fallback()
  })
  return letGo
}
