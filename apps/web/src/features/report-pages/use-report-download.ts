import { isJobOver, jobRoutes } from '@lis/contract/jobs.ts'
import type { BodyIn, ReplyOf, Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { type qaReportRoutes, reportJobResult } from '@lis/contract/reports-pages.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import type { CallArgs } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'

/** REP-G6 */
const timeoutMs = 60_000
const pollMs = 1_500

type Reply = ReplyOf<typeof qaReportRoutes.download>
const warn = (message: string) => events.emit('notice', { type: 'warning', message })

/** What a failed download says: its own words for a server that took too long, the server's otherwise (REP-43, REP-44). */
export const failureText = (error: unknown, hasTimedOut: boolean): string => {
  if (hasTimedOut) return messages.downloadTimeout
  return error instanceof Error ? error.message : messages.downloadFailed
}

const timeLimit = () => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits for the file of a long report. The job goes on without us, so nothing is lost when the page is left. */
const followJob = async (id: string): Promise<string | null> => {
  for (;;) {
    const { data: job } = await call(jobRoutes.one, { params: { id } })
    if (job.state === 'DONE') return reportJobResult.safeParse(job.result).data?.url ?? null
    if (isJobOver(job.state)) throw new ApiError(job.message ?? messages.downloadFailed)
    await wait(pollMs)
  }
}

/** Downloads by a call of the report API. The file opens in a new window, which is opened by the click itself, or browsers would refuse it. */
export const useReportDownload = <R extends Route & { reply: typeof qaReportRoutes.download.reply }>(route: R) =>
  useMutation({
    mutationFn: async (body: BodyIn<R>) => {
      const { signal, stop } = timeLimit()
      const opened = window.open('', '_blank')
      try {
        const reply = (await call(route, ...([{ body, signal }] as unknown as CallArgs<R>))) as Reply
        const { url, jobId } = reply.data
        if (url === null && jobId !== null) {
          opened?.close()
          events.emit('notice', {
            type: 'info',
            message: 'The report is being prepared. The download is offered here when it is ready.',
          })
          return offer(await followJob(jobId))
        }
        show(opened, url, reply.message)
      } catch (error) {
        opened?.close()
        const isOurs = error instanceof ApiError && (error.isCancelled || [401, 403, 408].includes(error.status))
        if (signal.aborted || !isOurs) warn(failureText(error, signal.aborted))
      } finally {
        stop()
      }
    },
  })

const offer = (url: string | null) =>
  url === null
    ? warn(messages.downloadUrlMissing)
    : events.emit('notice', { type: 'success', message: messages.downloadNotice, downloadUrl: url })

const show = (opened: Window | null, url: string | null | undefined, message: string) => {
  if (!url) {
    opened?.close()
    warn(message || messages.downloadUrlMissing)
    return
  }
  if (opened) opened.location.href = url
  else offer(url)
  if (message) warn(message)
}
