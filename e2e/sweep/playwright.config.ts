import { join } from 'node:path'
import base from '../playwright.config.ts'

/** Every page as every role; too slow for `npm test`, so it is a separate command. */
export default {
  ...base,
  testDir: '.',
  globalSetup: '../support/global-setup.ts',
  outputDir: join(import.meta.dirname, '../../.cache/test-results/sweep'),
  reporter: 'line',
  workers: 1,
  retries: 0,
  timeout: 1_800_000,
}
