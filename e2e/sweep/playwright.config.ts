import { join } from 'node:path'
import base from '../playwright.config.ts'

/** Every page as every role; too long for every run of the tests, so it has a command of its own. */
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
