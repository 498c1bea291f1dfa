import { messages } from '@lis/contract/messages.ts'
import { miscReportRoutes } from '@lis/contract/reports-pages.ts'
import { useEffect, useSyncExternalStore } from 'react'
import { z } from 'zod'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { sessionStore } from '../../lib/session.ts'
import { isHandledElsewhere, waitForJob } from '../../lib/wait-for-job.ts'

/** A report that is too long to wait for. */
export interface ReportJob {
  id: string
  title: string
  isReady: boolean
}

const warn = (message: string) => events.emit('notice', { type: 'warning', message })

// Kept for this tab of the browser, so that a reload loses no report that is being made.
const nameOf = () => `reports.${sessionStore.get()?.access.userId ?? 0}`
const kept = z.array(z.object({ id: z.string(), title: z.string() }))
const recall = (): readonly ReportJob[] => {
  try {
    const found = kept.parse(JSON.parse(sessionStorage.getItem(nameOf()) ?? '[]'))
    return found.map((job) => ({ ...job, isReady: false }))
  } catch {
    return []
  }
}

let owner = ''
let jobs: readonly ReportJob[] = []
const followed = new Set<string>()
const listeners = new Set<() => void>()
/** Of whoever is signed in: another person begins with what is kept for that person. */
const current = (): readonly ReportJob[] => {
  if (owner !== nameOf()) {
    owner = nameOf()
    jobs = recall()
  }
  return jobs
}
const change = (next: readonly ReportJob[]) => {
  jobs = next
  sessionStorage.setItem(nameOf(), JSON.stringify(next.map(({ id, title }) => ({ id, title }))))
  for (const tell of listeners) tell()
}

export const forgetReport = (id: string) => change(current().filter((job) => job.id !== id))

/** Waits for a report and offers its file. The job goes on without us, so nothing is lost when the page is left. */
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
    // What is not there any more is not asked for again; after a silence the next visit of the page asks.
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

/** The long reports of this tab; those that a reload has left alone are followed again. */
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
