import { AxeBuilder } from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'
import type { Account } from './accounts.ts'
import { signIn } from './sign-in.ts'

interface Fixtures {
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
    await use(signIn)
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
      // Half-faded things have half the contrast.
      await page.evaluate(
        'Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)))',
      )
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }))).toEqual([])
    })
  },
})

export { expect }
