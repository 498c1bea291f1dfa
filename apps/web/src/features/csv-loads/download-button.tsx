import type { Route } from '@lis/contract/kit/route.ts'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../../ui/action-button.tsx'
import { DownloadIcon } from '../../ui/icons.tsx'
import { exportFailure, exportOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { callGiven, type RouteParams } from '../../ui/table/read-list.ts'

interface DownloadButtonProps {
  route: Route
  params: RouteParams
  isDisabled?: boolean
  children: ReactNode
}

/** Asks for a file and starts its download. */
export const DownloadButton = ({ route, params, isDisabled = false, children }: DownloadButtonProps) => {
  const [isBusy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    try {
      finishDownload(exportOutcome(await callGiven(route, { params, query: {} })))
    } catch (error) {
      finishDownload(exportFailure(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <ActionButton startIcon={<DownloadIcon />} isBusy={isBusy} disabled={isDisabled} onClick={start}>
      {children}
    </ActionButton>
  )
}
