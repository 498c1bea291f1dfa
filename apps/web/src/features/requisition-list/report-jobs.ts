import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { events } from '../../lib/events.ts'
import { type ListChange, writeListAddress } from '../../lib/list-address.ts'
import { pageSession } from '../../lib/session.ts'
import { retryAfterSignIn } from '../../lib/use-save.ts'
import { isHandledElsewhere, waitForJob } from '../../lib/wait-for-job.ts'
import { failedReportsOf } from './failed-reports.ts'

/** The list of these requisitions, on whatever tab they are. */
const listOf = (ids: readonly number[]) => {
  const filters: ListChange['filters'] = [{ id: 'reqId', value: ids.map(String), viewValue: ids.join(', ') }]
  return `/requisitions?${writeListAddress(new URLSearchParams({ status: 'All' }), { filters })}`
}

// Stored for this browser tab until it was read, so that neither a reload nor the end of a session loses it.
const storageKey = () => `makings.${pageSession.get()?.access.userId ?? 0}`
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

/** Followed or reported already. Notices are closed with the session, so after the next sign-in they are shown again. */
const followed = new Set<string>()
pageSession.subscribe(() => {
  if (!pageSession.get()) followed.clear()
})

/** Reports which reports could not be created, once their job has ended, with a link to their requisitions. */
export const followReportJob = async (jobId: string, navigate: (to: string) => void) => {
  if (followed.has(jobId)) return
  followed.add(jobId)
  const name = storageKey()
  keep(name, jobId)
  const warn = (message: string, ids: readonly number[] = []) =>
    events.emit('notice', {
      type: 'warning',
      message,
      stays: { onRead: () => forget(name, jobId) },
      ...(ids.length > 0 && { action: { label: 'Show them', run: () => navigate(listOf(ids)) } }),
    })
  try {
    const unmade = failedReportsOf(await retryAfterSignIn(() => waitForJob(jobId)))
    if (unmade) warn(unmade.message, unmade.ids)
    else forget(name, jobId)
  } catch (error) {
    if (isHandledElsewhere(error)) followed.delete(jobId)
    else warn((error as Error).message)
  }
}

/** Resumes jobs that a reload or the end of a session has interrupted. */
export const useResumeReportJobs = () => {
  const navigate = useNavigate()
  useEffect(() => {
    for (const jobId of recall(storageKey())) void followReportJob(jobId, navigate)
  }, [navigate])
}
