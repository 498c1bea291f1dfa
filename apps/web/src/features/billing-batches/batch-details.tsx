import { can } from '@lis/contract/access/permissions.ts'
import { type BatchDetail, type BillingBatch, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { messages } from '@lis/contract/messages.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useNotify } from '../../ui/notices.tsx'
import { allRows, isCancelled, readList } from '../../ui/table/read-list.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { detailColumns } from './batch-columns.tsx'
import { FilesDialog } from './files-dialog.tsx'

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
