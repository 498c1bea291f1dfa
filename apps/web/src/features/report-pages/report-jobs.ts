import { messages } from '@lis/contract/messages.ts'
import { miscReportRoutes } from '@lis/contract/reports-pages.ts'
import { useEffect, useSyncExternalStore } from 'react'
import { z } from 'zod'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { sessionStore } from '../../lib/session.ts'
import { isHandledElsewhere, waitForJob } from '../../lib/wait-for-job.ts'

/** A report that is created in the background. */
export interface ReportJob {
  id: string
  title: string
  isReady: boolean
}

const warn = (message: string) => events.emit('notice', { type: 'warning', message })

// Stored for this browser tab, so that a reload loses no report.
const storageKey = () => `reports.${sessionStore.get()?.access.userId ?? 0}`
const storedJobs = z.array(z.object({ id: z.string(), title: z.string() }))
const loadJobs = (): readonly ReportJob[] => {
  try {
    const found = storedJobs.parse(JSON.parse(sessionStorage.getItem(storageKey()) ?? '[]'))
    return found.map((job) => ({ ...job, isReady: false }))
  } catch {
    return []
  }
}

let owner = ''
let jobs: readonly ReportJob[] = []
const followed = new Set<string>()
const listeners = new Set<() => void>()
/** The jobs of the signed-in user. */
const current = (): readonly ReportJob[] => {
  if (owner !== storageKey()) {
    owner = storageKey()
    jobs = loadJobs()
  }
  return jobs
}
const change = (next: readonly ReportJob[]) => {
  jobs = next
  sessionStorage.setItem(storageKey(), JSON.stringify(next.map(({ id, title }) => ({ id, title }))))
  for (const tell of listeners) tell()
}

export const forgetReport = (id: string) => change(current().filter((job) => job.id !== id))

/** Waits for a report and offers its file. The job runs on the server, so leaving the page loses nothing. */
export const followReport = async ({ id, title }: Pick<ReportJob, 'id' | 'title'>) => {
  if (!current().some((job) => job.id === id)) change([...current(), { id, title, isReady: false }])
  if (followed.has(id)) return
  followed.add(id)
  try {
    const { state, message } = await waitForJob(id)
    if (state !== 'DONE') throw new ApiError(message ?? messages.downloadFailed, { status: 410 })
    if (!current().some((job) => job.id === id)) return // dismissed meanwhile
    change(current().map((job) => (job.id === id ? { ...job, isReady: true } : job)))
    offerFile(await fileOf(id))
  } catch (error) {
    // A job that no longer exists is not polled again; after a temporary failure the next visit of the page polls it.
    if (error instanceof ApiError && [404, 410].includes(error.status)) forgetReport(id)
    if (!isHandledElsewhere(error)) warn(error instanceof Error ? error.message : messages.downloadFailed)
  } finally {
    followed.delete(id)
  }
}

export const fileOf = async (id: string): Promise<string> =>
  (await call(miscReportRoutes.made, { params: { id } })).data.url

export const offerFile = (url: string) =>
  events.emit('notice', { type: 'success', message: messages.downloadNotice, downloadUrl: url })

/** The background reports of this tab; after a reload they are polled again. */
export const useReportJobs = (): readonly ReportJob[] => {
  useEffect(() => {
    for (const job of current()) if (!job.isReady) void followReport(job)
  }, [])
  return useSyncExternalStore(subscribe, current)
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
