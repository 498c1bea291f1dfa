export interface Count {
  passed: number
  failed: number
}

/** Reads Vitest's JSON report. */
export const countVitest = (report: unknown): Count => {
  const { numPassedTests = 0, numFailedTests = 0, numFailedTestSuites = 0 } = report as Record<string, number>
  // A file that could not even be loaded has no failed test, only a failed suite.
  return { passed: numPassedTests, failed: numFailedTests > 0 ? numFailedTests : numFailedTestSuites }
}

/** The tests of Vitest's JSON report that passed only when they were tried again: they keep the message of the first try. */
export const flakyTests = (report: unknown): string[] => {
  const { testResults = [] } = report as {
    testResults?: { assertionResults: { fullName: string; status: string; failureMessages?: string[] }[] }[]
  }
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName, failureMessages = [] }) => `${fullName}: ${failureMessages[0]?.split('\n')[0]}`)
}

/** Reads Playwright's JSON report. */
export const countPlaywright = (report: unknown): Count => {
  const { stats, errors = [] } = report as {
    stats: { expected: number; flaky: number; unexpected: number }
    errors?: unknown[]
  }
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected > 0 ? stats.unexpected : errors.length > 0 ? 1 : 0,
  }
}

interface JourneySuite {
  suites?: JourneySuite[]
  specs?: { title: string; tests: { status: string }[] }[]
}

/** The journeys of Playwright's JSON report that passed only when they were tried again. */
export const flakyJourneys = (report: unknown): string[] => {
  const { suites = [], specs = [] } = report as JourneySuite
  const own = specs.filter(({ tests }) => tests.some(({ status }) => status === 'flaky')).map(({ title }) => title)
  return [...own, ...suites.flatMap(flakyJourneys)]
}
