import {
  type BatchDetail,
  type BillingBatch,
  batchDetailLabels,
  batchLabels as label,
} from '@lis/contract/billing-batches.ts'
import { showMoney } from '@lis/contract/money.ts'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { formatLongDay } from '../../lib/formats.ts'
import { ArrowRightIcon, DownloadIcon, MoreIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Moment } from '../../ui/table/moment.tsx'

const Tag = styled('span')({
  display: 'inline-block',
  padding: '0 8px',
  borderRadius: 'var(--r-full)',
  fontSize: 11,
  lineHeight: '18px',
  fontWeight: 600,
  background: 'var(--info-bg)',
  color: 'var(--info)',
  '&.SENT': { background: 'var(--success-bg)', color: 'var(--success)' },
  '&.FAILED': { background: 'var(--error-bg)', color: 'var(--error)' },
})

interface RowActions {
  onSend: (batch: BillingBatch) => void
  onDownload: (batch: BillingBatch) => void
}

export const batchColumns = ({ onSend, onDownload }: RowActions): readonly Column<BillingBatch>[] => [
  {
    key: 'id',
    header: label.id,
    width: 110,
    sort: 'id',
    card: 'head',
    isSticky: true,
    cell: ({ id }) => <strong>{id}</strong>,
  },
  {
    key: 'billSendDate',
    header: label.billSendDate,
    width: 200,
    sort: 'billSendDate',
    card: 'title',
    cell: ({ billSendDate }) => (billSendDate === null ? 'Not sent yet' : <Moment at={billSendDate} />),
  },
  {
    key: 'recordCount',
    header: label.recordCount,
    width: 110,
    align: 'right',
    sort: 'recordCount',
    cell: ({ recordCount }) => recordCount,
  },
  {
    key: 'sendStatusDesc',
    header: label.sendStatusDesc,
    width: 130,
    sort: 'sendStatusDesc',
    cell: ({ sendStatusCode, sendStatusDesc }) => <Tag className={sendStatusCode}>{sendStatusDesc}</Tag>,
  },
  { key: 'createByName', header: 'Created By', width: 160, cell: ({ createByName }) => createByName },
  {
    key: 'send',
    header: 'Send',
    HeaderIcon: ArrowRightIcon,
    width: 52,
    isSticky: 'right',
    visibleTo: 'billingBatches.run',
    cell: (batch) =>
      batch.sendStatusCode !== 'SENT' && (
        <IconButton size="small" aria-label={`Send batch ${batch.id}`} onClick={() => onSend(batch)}>
          <ArrowRightIcon />
        </IconButton>
      ),
  },
  {
    key: 'actions',
    header: 'Download',
    HeaderIcon: MoreIcon,
    width: 52,
    isSticky: 'right',
    cell: (batch) => (
      <IconButton size="small" aria-label={`Download batch ${batch.id}`} onClick={() => onDownload(batch)}>
        <DownloadIcon />
      </IconButton>
    ),
  },
]

const Missing = styled('span')({ color: 'var(--error)', fontWeight: 600 })

export const detailColumns: readonly Column<BatchDetail>[] = [
  { key: 'reqId', header: batchDetailLabels.reqId, cell: ({ reqId }) => reqId },
  {
    key: 'patientName',
    header: batchDetailLabels.patientName,
    cell: ({ patientLastName, patientFirstName }) => `${patientLastName}, ${patientFirstName}`,
  },
  { key: 'patientDob', header: batchDetailLabels.patientDob, cell: ({ patientDob }) => formatLongDay(patientDob) },
  { key: 'clientName', header: batchDetailLabels.clientName, cell: ({ clientName }) => clientName },
  {
    key: 'physician',
    header: batchDetailLabels.physician,
    cell: ({ physLastName, physFirstName }) => `${physLastName}, ${physFirstName}`,
  },
  { key: 'testCodes', header: batchDetailLabels.testCodes, cell: ({ testCodes }) => testCodes },
  { key: 'reqBillTypeDesc', header: batchDetailLabels.reqBillTypeDesc, cell: ({ reqBillTypeDesc }) => reqBillTypeDesc },
  {
    key: 'amount',
    header: batchDetailLabels.amount,
    align: 'right',
    cell: ({ amount, currencyCode }) =>
      amount === null ? '–' : showMoney({ amount, currencyCode: currencyCode ?? 'USD' }),
  },
  {
    key: 'missing',
    header: batchDetailLabels.missing,
    cell: ({ missing }) => missing !== null && <Missing>{missing}</Missing>,
  },
]
