import { endOfJob, isToldElsewhere } from '../../lib/end-of-job.ts'
import { events } from '../../lib/events.ts'
import { type ListChange, writeListAddress } from '../../lib/list-address.ts'
import { unmadeOf } from './unmade-reports.ts'

/** The requisitions with these numbers, whatever tab they are on by now. */
const listOf = (ids: readonly number[]) => {
  const filters: ListChange['filters'] = [{ id: 'reqId', value: ids.map(String), viewValue: ids.join(', ') }]
  return `/requisitions?${writeListAddress(new URLSearchParams({ status: 'All' }), { filters })}`
}

/** Tells which reports could not be made, once the job that makes them is over, and leads to their requisitions. */
export const followMaking = async (jobId: string, navigate: (to: string) => void) => {
  const warn = (message: string, ids: readonly number[] = []) =>
    events.emit('notice', {
      type: 'warning',
      message,
      ...(ids.length > 0 && { action: { label: 'Show them', run: () => navigate(listOf(ids)) } }),
    })
  try {
    const unmade = unmadeOf(await endOfJob(jobId))
    if (unmade) warn(unmade.message, unmade.ids)
  } catch (error) {
    if (!isToldElsewhere(error)) warn((error as Error).message)
  }
}
