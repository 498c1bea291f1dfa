import { can } from '@lis/contract/access/permissions.ts'
import { type Report, reportRoutes } from '@lis/contract/reports.ts'
import type { downloadSources } from '@lis/contract/requisitions/downloads.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../lib/api.ts'
import { events } from '../lib/events.ts'
import { useRole } from '../lib/session.ts'
import { reportFailure, reportUrl } from './report-outcome.ts'

type Source = (typeof downloadSources)[number]

const timeoutMs = 60_000

interface ReportRef {
  id: number
  requisitionId: number
  versionNo?: number | undefined
}

/** The status of a requisition if it is one of the sources, otherwise VIEW (DELIV-G6). */
export const sourceOf = (status: string): Source =>
  (['RESULT', 'REPORT', 'RELEASE', 'DELIVER'] as const).find((code) => code === status) ?? 'VIEW'

/** Opens reports: sales users, and everyone on a phone, view what others download (DELIV-37, DELIV-38). */
export const useReportFiles = (source: Source) => {
  const role = useRole()
  const client = useQueryClient()
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const mayDownload = can(role, 'reports.download') && !isSmall
  const open = async (ask: (signal: AbortSignal) => Promise<{ data?: { url?: string } | null; message: string }>) => {
    // Opened before the answer, or the pop-up blocker would stop it.
    const viewer = window.open('', '_blank')
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const url = reportUrl(await ask(signal))
      if (viewer) viewer.location.href = url
      else window.location.assign(url)
      // The history has a new row.
      client.invalidateQueries({ queryKey: [reportRoutes.histories.path] })
    } catch (error) {
      viewer?.close()
      events.emit('notice', { type: 'warning', message: reportFailure(error, signal.aborted) })
    }
  }
  const view = ({ id, versionNo }: ReportRef) =>
    open((signal) => call(reportRoutes.view, { params: { id }, query: { versionNo }, signal }))
  /** The newest released report, for lists that know only the requisition. */
  const viewNewest = (requisitionId: number) =>
    open(async (signal) => {
      const { data } = await call(reportRoutes.list, {
        params: { id: requisitionId },
        query: { perPage: '-1' },
        signal,
      })
      const id = Math.max(0, ...data.filter(isReleased).map((report) => report.id))
      if (id === 0) return { data: null, message: 'No report is released at present.' }
      return call(reportRoutes.view, { params: { id }, query: {}, signal })
    })
  const download = ({ id, requisitionId, versionNo }: ReportRef) =>
    open((signal) =>
      call(reportRoutes.download, {
        params: { id: requisitionId },
        body: { callSource: source, reportIds: [id], versionNo },
        signal,
      }),
    )
  return { view, viewNewest, isSmall, download: mayDownload ? download : undefined }
}

/** Released: it may be downloaded. */
export const isReleased = ({ isDownloadable }: Pick<Report, 'isDownloadable'>) => isDownloadable === 1
