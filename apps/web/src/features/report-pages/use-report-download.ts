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

/** The message of a failed download: its own for a timeout, otherwise the server's (REP-43, REP-44). */
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
 * Downloads a file from the report API. It opens in a new window, which the click itself opens, or the pop-up blocker would stop it. A slow
 * report is created in the background and listed by its title.
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
        // The limit applies to the call; a background job may take longer.
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
