import type { Page, Request } from '@playwright/test'

/** Keeps calls to an address on their way until they are let go: what people do meanwhile is what is tested. */
export const hold = async (page: Page, url: string | RegExp, isHeld: (request: Request) => boolean = () => true) => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (isHeld(route.request())) await promise
    await route.fallback()
  })
  return letGo
}
