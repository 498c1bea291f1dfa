import { type SignOutcome, signOutRoutes, type WaitingReportDetail } from '@lis/contract/sign-out.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { call } from '../../lib/api.ts'
import { events } from '../../lib/events.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ReportPage } from './report-page.tsx'
import type { SignTarget } from './sign-dialog.tsx'
import { labelOf } from './use-sign-out.ts'

const Box = styled('section')({
  flex: 'none',
  display: 'grid',
  gap: 8,
  maxHeight: '45%',
  overflow: 'auto',
  padding: '12px 16px',
  borderTop: '1px solid var(--line-strong)',
  '& h2': { margin: 0, fontSize: 13, fontWeight: 600 },
  '& p': { margin: 0, color: 'var(--text-2)', fontSize: 12 },
  '& .buttons': { display: 'flex', flexWrap: 'wrap', gap: 8 },
})

interface Checked {
  reports: WaitingReportDetail[]
  outcome: SignOutcome
}

interface BatchBoxProps {
  ids: readonly number[]
  onSign: (target: SignTarget) => void
  onUnmark: (ids: readonly number[], isChosen: false) => void
}

/** Signs several normal reports at once, after a dry run that shows which cannot be signed and why. */
export const BatchBox = ({ ids, onSign, onUnmark }: BatchBoxProps) => {
  const [checked, setChecked] = useState<(Checked & { of: string }) | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [page, setPage] = useState<number | null>(null)
  const key = ids.join()
  const current = checked?.of === key ? checked : null
  const check = async () => {
    setBusy(true)
    try {
      const reports: WaitingReportDetail[] = []
      for (const reportId of ids) reports.push((await call(signOutRoutes.one, { params: { reportId } })).data)
      const { data: outcome } = await call(signOutRoutes.sign, {
        body: { reports: reports.map(hashOf), meaningCode: 'APPROVE', dryRun: true },
      })
      setChecked({ of: key, reports, outcome })
    } catch (error) {
      events.emit('notice', { type: 'warning', message: (error as Error).message, cause: error })
    } finally {
      setBusy(false)
    }
  }
  if (!current)
    return (
      <Box aria-label="Sign together">
        <h2>{ids.length} chosen</h2>
        <p>A dry run says which of them can be signed, and changes nothing.</p>
        <div className="buttons">
          <ActionButton isBusy={isBusy} onClick={check}>
            Dry run
          </ActionButton>
        </div>
      </Box>
    )
  const { signed, refused } = current.outcome
  const signable = current.reports.filter(({ reportId }) => signed.includes(reportId))
  const open = page === null ? undefined : signable[page]
  return (
    <Box aria-label="Sign together">
      <h2>
        Dry run: {signed.length} can be signed, {refused.length} cannot
      </h2>
      {refused.map(({ id, label, reason }) => (
        <p key={id}>
          {label}: {reason}
        </p>
      ))}
      <div className="buttons">
        {signable.length > 0 && <Button onClick={() => setPage(0)}>Look at {signable.length} pages</Button>}
        {signable.length > 0 && (
          <Button
            variant="contained"
            onClick={() =>
              onSign({
                reports: signable.map(hashOf),
                label: `${signable.length} reports, every check passed`,
                meaningCodes: ['REVIEW', 'APPROVE', 'INTERPRET'],
                warnings: [],
                isCodeNeeded: signable.some(({ isCodeNeeded }) => isCodeNeeded === 1),
              })
            }
          >
            Sign {signable.length}…
          </Button>
        )}
        {refused.length > 0 && (
          <Button
            onClick={() =>
              onUnmark(
                refused.map(({ id }) => id),
                false,
              )
            }
          >
            Leave {refused.length} out
          </Button>
        )}
      </div>
      {open && page !== null && (
        <Dialog
          open
          onClose={() => setPage(null)}
          fullWidth
          slotProps={{ paper: { sx: { maxWidth: 860, height: '90vh' } } }}
        >
          <DialogTitle>
            {labelOf(open)}, {page + 1} of {signable.length}
          </DialogTitle>
          <DialogContent sx={{ display: 'flex', flexDirection: 'column' }}>
            <ReportPage key={open.reportId} url={open.url} label={`Report of ${labelOf(open)}`} />
          </DialogContent>
          <DialogActions>
            <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button disabled={page + 1 >= signable.length} onClick={() => setPage(page + 1)}>
              Next
            </Button>
            <Button variant="contained" onClick={() => setPage(null)}>
              Close
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Box>
  )
}

const hashOf = ({ reportId, contentSha256 }: WaitingReportDetail) => ({ id: reportId, contentSha256 })
