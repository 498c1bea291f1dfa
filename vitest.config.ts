import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole processes that are started, killed and waited for, and pages that are read. */
const isLong = ({ moduleId }: TestSpecification) =>
  /\/proof\/|\/(process|backup|jobs|requisition-scans)\.test\.ts$/.test(moduleId)

/** The long files first: at the end they would run alone. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'apps/**/*.test.{ts,tsx}',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'proof/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['apps/server/test/global-setup.ts'],
    pool: 'forks',
    // One more than the cores that everything here is measured by: the long files mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    // Files that follow each other in a process share its modules: loading the whole server again for each took half of the time. What a
    // file changes outside its own database (environment, clock, globals) it puts back.
    isolate: false,
    // For a busy machine; a test of speed sets its own limit.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // Further tries on a machine that is busy elsewhere; `npm test` still names the test as flaky.
    retry: 2,
    reporters: process.env.LIS_TEST_JSON
      ? ['default', ['json', { outputFile: process.env.LIS_TEST_JSON }]]
      : ['default'],
  },
})
