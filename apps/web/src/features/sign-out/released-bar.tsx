import { reportRoutes } from '@lis/contract/reports.ts'
import type { WaitingReport } from '@lis/contract/sign-out.ts'
import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { events } from '../../lib/events.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { labelOf } from './use-sign-out.ts'

const Bar = styled('div')({
  flex: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 12px',
  padding: '8px 16px',
  borderTop: '1px solid var(--line)',
  background: 'var(--info-bg)',
  color: 'var(--text-strong)',
  overflowWrap: 'anywhere',
})

/** How long a release can be stopped. */
const stoppableMs = 60_000

interface ReleasedBarProps {
  reports: readonly WaitingReport[]
  onClose: () => void
}

/** What has just been signed and released: for a minute the release can be stopped. The signature stays in the history. */
export const ReleasedBar = ({ reports, onClose }: ReleasedBarProps) => {
  const save = useSave(reportRoutes.setLabQc, { isImmediate: true, isSilent: true })
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    const timer = setTimeout(onClose, stoppableMs)
    return () => clearTimeout(timer)
  }, [onClose])
  const stop = async () => {
    setBusy(true)
    try {
      for (const { reqId, reportId } of reports)
        await save({ params: { reqID: reqId, reportID: reportId }, body: { labQcStatusCode: 'HOLD' } })
      events.emit('notice', { type: 'info', message: 'Release stopped: on hold. The signature stays in the history' })
      onClose()
    } catch {
      // The notice says why.
      setBusy(false)
    }
  }
  const [one] = reports
  return (
    <Bar role="status">
      <span>Signed: {reports.length === 1 && one ? labelOf(one) : `${reports.length} reports`}</span>
      <ActionButton size="small" isBusy={isBusy} onClick={stop}>
        Undo release
      </ActionButton>
    </Bar>
  )
}
