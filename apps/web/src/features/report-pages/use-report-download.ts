import type { BodyIn, ReplyOf, Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import type { qaReportRoutes } from '@lis/contract/reports-pages.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import type { CallArgs } from '../../lib/api-client.ts'
import { events } from '../../lib/events.ts'
import { isHandledElsewhere } from '../../lib/wait-for-job.ts'
import { followReport, offerFile } from './report-jobs.ts'

/** REP-G6 */
const timeoutMs = 60_000

type Reply = ReplyOf<typeof qaReportRoutes.download>
const warn = (message: string) => events.emit('notice', { type: 'warning', message })

/** What a failed download says: its own words for a server that took too long, the server's otherwise (REP-43, REP-44). */
const failureText = (error: unknown, hasTimedOut: boolean): string => {
  if (hasTimedOut) return messages.downloadTimeout
  return error instanceof Error ? error.message : messages.downloadFailed
}

const timeLimit = () => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

/**
 * Downloads by a call of the report API. The file opens in a new window, which is opened by the click itself, or browsers would refuse
 * it. A report that takes long is called by its title while it is made in the background.
 */
export const useReportDownload = <R extends Route & { reply: typeof qaReportRoutes.download.reply }>(
  route: R,
  titleOf: (body: BodyIn<R>) => string = () => 'Report',
) =>
  useMutation({
    mutationFn: async (body: BodyIn<R>) => {
      const { signal, stop } = timeLimit()
      const opened = window.open('', '_blank')
      try {
        const reply = (await call(route, ...([{ body, signal }] as unknown as CallArgs<R>))) as Reply
        // The limit is for the answer to the call; a job takes the time that it takes.
        stop()
        const { url, jobId } = reply.data
        if (url === null && jobId !== null) {
          opened?.close()
          events.emit('notice', {
            type: 'info',
            message: 'The report is being prepared. The download is offered here when it is ready.',
          })
          return await followReport({ id: jobId, title: titleOf(body) })
        }
        show(opened, url, reply.message)
      } catch (error) {
        opened?.close()
        if (signal.aborted || !isHandledElsewhere(error)) warn(failureText(error, signal.aborted))
      } finally {
        stop()
      }
    },
  })

const show = (opened: Window | null, url: string | null | undefined, message: string) => {
  if (!url) {
    opened?.close()
    warn(message || messages.downloadUrlMissing)
    return
  }
  if (opened) opened.location.href = url
  else offerFile(url)
  if (message) warn(message)
}
