import { join } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import type { Account } from './accounts.ts'
import { type AxeRules, violationsOn } from './axe.ts'
import { openAs, sessionOf } from './people.ts'

interface Fixtures {
  /** True for journeys about it, with accounts of their own: how a list is left then stays on the server. */
  keepsListSettings: boolean
  /** Opens the page as a signed-in user, at home or at the path; journeys about signing in use the form (`sign-in.ts`). */
  signIn: (page: Page, account: Account, path?: string) => Promise<void>
  /** What a user does not see: errors on the console, in scripts, and against the content policy. */
  faults: { expect: (text: RegExp) => void }
  /** Fails with what axe finds on the page. */
  expectAccessible: (page: Page) => Promise<void>
  /** The same at each of these widths, colours at the first only, light and dark, with a picture of each. */
  look: (page: Page, name: string, widths?: readonly number[]) => Promise<void>
}

/** A screen of a desk and of a phone. */
export const deskAndPhone = [1440, 390]
const screens = join(import.meta.dirname, '../../test-results/screens')

/** To be looked at, beside the design pictures, when asked for (E2E_SCREENS=1). Not committed. */
export const picture = async (page: Page, name: string) => {
  if (process.env.E2E_SCREENS) await page.screenshot({ path: join(screens, `${name}.png`) })
}

/** Between two keys of a person; a scanner, which `scan` plays, is faster than 50 ms. */
const betweenKeysMs = 70
const typeLikeAPerson = (page: Page) => {
  const type = page.keyboard.type.bind(page.keyboard)
  page.keyboard.type = (text, options) => type(text, { delay: betweenKeysMs, ...options })
  const press = page.keyboard.press.bind(page.keyboard)
  page.keyboard.press = async (key, options) => {
    await press(key, options)
    await page.waitForTimeout(betweenKeysMs)
  }
}

/** As a scanner does: all keys with 10 ms between them, Enter behind them. The times are given, so that a slow machine changes nothing. */
export const scan = async (page: Page, code: string) => {
  const browser = await page.context().newCDPSession(page)
  const at = Date.now() / 1000
  const keys = [
    ...[...code].map((key) => ({ key, text: key })),
    { key: 'Enter', code: 'Enter', text: '\r', windowsVirtualKeyCode: 13 },
  ]
  await Promise.all(
    keys.flatMap((key, index) => [
      browser.send('Input.dispatchKeyEvent', { type: 'keyDown', timestamp: at + index / 100, ...key }),
      browser.send('Input.dispatchKeyEvent', { type: 'keyUp', timestamp: at + index / 100 + 0.002, ...key }),
    ]),
  )
  await browser.detach()
}

const expectNoViolation = async (page: Page, rules: AxeRules = 'all') => {
  // Half-faded elements have half the contrast. Endless animations (a spinner) are not waited for.
  await page.evaluate(
    `Promise.all(document.getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
      .map((animation) => animation.finished.catch(() => undefined)))`,
  )
  const violations = await violationsOn(page, rules)
  expect(violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }))).toEqual([])
}

// The browser logs every refusal of the server as an error; the journeys that provoke one check it themselves.
const refusals = /^Failed to load resource: the server responded with a status of 4\d\d/

export const test = base.extend<Fixtures>({
  // Set by the global set-up, before any worker starts.
  baseURL: process.env.E2E_BASE_URL,
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
  signIn: async ({}, use) => {
    await use(async (page, account, path = '/') => openAs(page, await sessionOf(page.request, account), path))
  },
  keepsListSettings: [false, { option: true }],
  // The demo accounts are shared by journeys that run at the same time: one must not find the lists as another has left them.
  context: async ({ context, keepsListSettings }, use) => {
    if (!keepsListSettings)
      await context.route('**/api/v3.0/list_settings/**', (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.fulfill({ json: { data: {}, message: '' } }),
      )
    context.on('page', typeLikeAPerson)
    await use(context)
  },
  faults: [
    async ({ context }, use) => {
      const seen: string[] = []
      const expected: RegExp[] = [refusals]
      context.on('console', (message) => {
        if (message.type() === 'error' || /content security policy/i.test(message.text())) seen.push(message.text())
      })
      context.on('weberror', (error) => seen.push(String(error.error())))
      await use({ expect: (text) => expected.push(text) })
      expect(seen.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([])
    },
    { auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: the same
  expectAccessible: async ({}, use) => {
    await use((page) => expectNoViolation(page))
  },
  // biome-ignore lint/correctness/noEmptyPattern: the same
  look: async ({}, use) => {
    await use(async (page, name, widths = []) => {
      const before = page.viewportSize() ?? { width: 1440, height: 900 }
      for (const [place, width] of (widths.length > 0 ? widths : [before.width]).entries()) {
        if (widths.length > 0) {
          await page.setViewportSize({ ...before, width })
          // Until the new width has been drawn.
          await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
        }
        await expectNoViolation(page, place > 0 ? 'layout' : 'all')
        await picture(page, `${name}-${width}`)
        // In the dark only the colours differ, and one size shows them.
        if (place > 0 || width < 600) continue
        await page.emulateMedia({ colorScheme: 'dark' })
        await expectNoViolation(page, 'contrast')
        await picture(page, `${name}-${width}-dark`)
        await page.emulateMedia({ colorScheme: null })
      }
      await page.setViewportSize(before)
    })
  },
})

export { expect }
