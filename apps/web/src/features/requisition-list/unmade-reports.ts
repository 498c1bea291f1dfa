import type { Job } from '@lis/contract/jobs.ts'
import type { MadeReports } from '@lis/contract/reports.ts'

const mostNamed = 3

interface Unmade {
  message: string
  /** Of the requisitions that have no report of it. */
  ids: number[]
}

/** What the end of 'Make reports' leaves to do; null when every report was made. */
export const unmadeOf = ({ state, message, result }: Pick<Job, 'state' | 'message' | 'result'>): Unmade | null => {
  if (state !== 'DONE') return { message: message ?? 'The reports could not be made', ids: [] }
  const { failed } = result as MadeReports
  if (failed.length === 0) return null
  // A reason that several share is said once: it may be long, and the notice stays over the work.
  const reasons = Map.groupBy(failed.slice(0, mostNamed), ({ reason }) => reason.replace(/\.$/, ''))
  const named = [...reasons].map(([reason, of]) => `${of.map(({ id }) => `#${id}`).join(', ')}: ${reason}`)
  const more = failed.length > mostNamed ? [`and ${failed.length - mostNamed} more`] : []
  const count = failed.length === 1 ? '1 report was not made' : `${failed.length} reports were not made`
  return { message: `${count}. ${[...named, ...more].join('; ')}.`, ids: failed.map(({ id }) => id) }
}
