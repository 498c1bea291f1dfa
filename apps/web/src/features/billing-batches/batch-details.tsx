import { can } from '@lis/contract/access/permissions.ts'
import { type BatchDetail, type BillingBatch, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useState } from 'react'
import { DocumentsSubTable } from '../../domain/documents/documents-sub-table.tsx'
import { ReleasedReportsSubTable } from '../../domain/released-reports-sub-table.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useRole } from '../../lib/session.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { allRows, isCancelled, readList } from '../../ui/table/read-list.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { detailColumns } from './batch-columns.tsx'

const idOf = ({ reqId }: BatchDetail) => String(reqId)
const hrefOf = ({ reqId }: BatchDetail) => `/requisitions/${reqId}/show/billing`

const noteOf = (rows: readonly BatchDetail[]) => {
  const kept = rows.filter(({ missing }) => missing !== null).length
  return `${rows.length} requisition(s)${kept > 0 ? `, ${kept} cannot be billed yet` : ''}`
}

/** The requisitions of a batch; an empty or failed result is announced too. */
export const BatchDetails = ({ batch }: { batch: BillingBatch }) => {
  const role = useRole()
  const notify = useNotify()
  const params = { id: batch.id }
  const isSent = batch.sendStatusCode === 'SENT'
  const { data, error } = useQuery(readList(billingBatchRoutes.details, params, allRows))
  const [opened, setOpened] = useState<BatchDetail | null>(null)
  const columns = useMemo(() => detailColumns(isSent, setOpened), [isSent])
  const isEmpty = data?.data.length === 0
  const failure = error && !isCancelled(error) ? error.message : null
  useEffect(() => {
    if (isEmpty) notify.warning(messages.batchDetailsMissing)
    if (failure !== null) notify.error(`${messages.batchDetailsFailed}: ${failure}`)
  }, [isEmpty, failure, notify])
  return (
    <>
      <SubTable
        level={2}
        title={`Requisitions of batch ${batch.id}`}
        note={noteOf}
        columns={columns}
        route={billingBatchRoutes.details}
        params={params}
        rowId={idOf}
        {...(can(role, 'requisitions.link') && { rowHref: hrefOf })}
      />
      {opened && <FilesDialog row={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

/** The requisition's documents and released reports, for billing users, who cannot open its page (DOC-G8). */
const FilesDialog = ({ row, onClose }: { row: BatchDetail; onClose: () => void }) => {
  const id = useId()
  const { reqId } = row
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} slotProps={{ paper: { sx: { maxWidth: 900 } } }}>
      <DialogTitle id={id}>{requisitionTitle({ ...row, id: reqId })}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        <DocumentsSubTable requisitionId={reqId} />
        <ReleasedReportsSubTable requisitionId={reqId} />
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
