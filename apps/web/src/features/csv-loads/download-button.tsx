import type { Route } from '@lis/contract/kit/route.ts'
import type { ReactNode } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DownloadIcon } from '../../ui/icons.tsx'
import { exportFailure, exportOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { callRoute, type RouteParams } from '../../ui/table/read-list.ts'

interface DownloadButtonProps {
  route: Route
  params: RouteParams
  isDisabled?: boolean
  children: ReactNode
}

/** Requests a file and starts its download. */
export const DownloadButton = ({ route, params, isDisabled = false, children }: DownloadButtonProps) => {
  const [isBusy, whileBusy] = useBusy()
  const start = () =>
    whileBusy(
      async () => {
        finishDownload(exportOutcome(await callRoute(route, { params, query: {} })))
      },
      (error) => {
        finishDownload(exportFailure(error))
      },
    )
  return (
    <ActionButton startIcon={<DownloadIcon />} isBusy={isBusy} disabled={isDisabled} onClick={start}>
      {children}
    </ActionButton>
  )
}
