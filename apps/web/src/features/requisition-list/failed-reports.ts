import type { Job } from '@lis/contract/jobs.ts'
import type { CreatedReports } from '@lis/contract/reports.ts'

const maxNamed = 3

interface FailedReports {
  message: string
  /** The requisitions without a report. */
  ids: number[]
}

/** The warning after 'Make reports'; null if every report was created. */
export const failedReportsOf = ({
  state,
  message,
  result,
}: Pick<Job, 'state' | 'message' | 'result'>): FailedReports | null => {
  if (state !== 'DONE') return { message: message ?? 'The reports could not be made', ids: [] }
  const { failed } = result as CreatedReports
  if (failed.length === 0) return null
  // A shared reason is given once: it may be long, and the notice covers the screen.
  const reasons = Map.groupBy(failed.slice(0, maxNamed), ({ reason }) => reason.replace(/\.$/, ''))
  const named = [...reasons].map(([reason, of]) => `${of.map(({ id }) => `#${id}`).join(', ')}: ${reason}`)
  const more = failed.length > maxNamed ? [`and ${failed.length - maxNamed} more`] : []
  const count = failed.length === 1 ? '1 report was not made' : `${failed.length} reports were not made`
  return { message: `${count}. ${[...named, ...more].join('; ')}.`, ids: failed.map(({ id }) => id) }
}
