import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { endOfJob, isToldElsewhere } from '../../lib/end-of-job.ts'
import { events } from '../../lib/events.ts'
import { type ListChange, writeListAddress } from '../../lib/list-address.ts'
import { pageSession } from '../../lib/session.ts'
import { withNewSession } from '../../lib/use-save.ts'
import { unmadeOf } from './unmade-reports.ts'

/** The requisitions with these numbers, whatever tab they are on by now. */
const listOf = (ids: readonly number[]) => {
  const filters: ListChange['filters'] = [{ id: 'reqId', value: ids.map(String), viewValue: ids.join(', ') }]
  return `/requisitions?${writeListAddress(new URLSearchParams({ status: 'All' }), { filters })}`
}

// Kept for this tab of the browser until it was read, so that neither a reload nor the end of a session loses it.
const ownName = () => `makings.${pageSession.get()?.access.userId ?? 0}`
const recall = (name: string): string[] => {
  try {
    return z.array(z.string()).parse(JSON.parse(sessionStorage.getItem(name) ?? '[]'))
  } catch {
    return []
  }
}
const forget = (name: string, jobId: string) =>
  sessionStorage.setItem(name, JSON.stringify(recall(name).filter((id) => id !== jobId)))
const keep = (name: string, jobId: string) =>
  sessionStorage.setItem(name, JSON.stringify([...new Set([...recall(name), jobId])]))

/** Asked for or told already. Its notice goes with the session, so who signs in again is told again. */
const followed = new Set<string>()
pageSession.subscribe(() => {
  if (!pageSession.get()) followed.clear()
})

/** Tells which reports could not be made, once the job that makes them is over, and leads to their requisitions. */
export const followMaking = async (jobId: string, navigate: (to: string) => void) => {
  if (followed.has(jobId)) return
  followed.add(jobId)
  const name = ownName()
  keep(name, jobId)
  const warn = (message: string, ids: readonly number[] = []) =>
    events.emit('notice', {
      type: 'warning',
      message,
      stays: { onRead: () => forget(name, jobId) },
      ...(ids.length > 0 && { action: { label: 'Show them', run: () => navigate(listOf(ids)) } }),
    })
  try {
    const unmade = unmadeOf(await withNewSession(() => endOfJob(jobId)))
    if (unmade) warn(unmade.message, unmade.ids)
    else forget(name, jobId)
  } catch (error) {
    if (isToldElsewhere(error)) followed.delete(jobId)
    else warn((error as Error).message)
  }
}

/** Follows again what a reload or the end of a session has left alone. */
export const useKeptMakings = () => {
  const navigate = useNavigate()
  useEffect(() => {
    for (const jobId of recall(ownName())) void followMaking(jobId, navigate)
  }, [navigate])
}
