import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { browserArgs, findBrowser } from './support/browser.ts'

const results = join(import.meta.dirname, '../.cache/test-results')
const { executablePath, channel, env } = await findBrowser()

export default defineConfig({
  testDir: 'journeys',
  outputDir: join(results, 'playwright'),
  globalSetup: './support/global-setup.ts',
  reporter: [['list'], ['json', { outputFile: join(results, 'playwright.json') }]],
  // One more than the usual number of cores, because a journey often waits for a save or a notice.
  workers: 3,
  // Further tries on a machine that is busy elsewhere; `npm test` still names the journey as flaky.
  retries: 2,
  forbidOnly: process.env.CI !== undefined,
  // Generous, because two cores carry browser, server and database together; a journey that waits is not a journey that sleeps.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  use: {
    // What cannot be clicked ends the try, and not the time of the whole journey.
    actionTimeout: 120_000,
    viewport: { width: 1440, height: 900 },
    // Fading and sliding cost a third of the processor time on a machine without a graphics card, and nothing is asserted of them.
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-US',
    timezoneId: 'America/New_York',
    // Recording everything for the rare failure doubles the time of all; run one journey with --trace on to see it.
    trace: 'off',
    launchOptions: {
      args: browserArgs,
      env,
      ...(executablePath ? { executablePath } : {}),
      ...(channel ? { channel } : {}),
    },
  },
})
