import { AxeBuilder } from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'
import type { Account } from './accounts.ts'
import { openAs, sessionOf } from './people.ts'

interface Fixtures {
  /** Somebody who is signed in already, at home; the journeys about signing in do it by hand (`sign-in.ts`). */
  signIn: (page: Page, account: Account) => Promise<void>
  /** Everything that went wrong unseen: errors on the console, in the scripts, and against the content policy. */
  faults: { expect: (text: RegExp) => void }
  /** Fails with what axe finds on the page as it stands. */
  expectAccessible: (page: Page) => Promise<void>
}

// The browser logs every refusal of the server as an error; the journeys that provoke one check it themselves.
const refusals = /^Failed to load resource: the server responded with a status of 4\d\d/

export const test = base.extend<Fixtures>({
  // Set by the global set-up, before any worker starts.
  baseURL: process.env.E2E_BASE_URL,
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
  signIn: async ({}, use) => {
    await use(async (page, account) => openAs(page, await sessionOf(page.request, account), '/'))
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
    await use(async (page) => {
      // Half-faded things have half the contrast. What turns for ever (a spinner) is not waited for.
      await page.evaluate(
        `Promise.all(document.getAnimations()
          .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
          .map((animation) => animation.finished.catch(() => undefined)))`,
      )
      const { violations } = await new AxeBuilder({ page })
        .options({ resultTypes: ['violations'], preload: false })
        // In the page itself, without a second one for the frames that we do not have: two to three times as quick.
        .setLegacyMode(true)
        .analyze()
      expect(violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }))).toEqual([])
    })
  },
})

export { expect }
