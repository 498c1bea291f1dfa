import {
  type BatchDetail,
  type BillingBatch,
  batchDetailLabels,
  batchLabels as label,
} from '@lis/contract/billing-batches.ts'
import { formatMoney } from '@lis/contract/money.ts'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { formatLongDate } from '../../lib/formats.ts'
import { ArrowRightIcon, CloseIcon, DownloadIcon, MoreIcon, RequisitionsIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

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
  onCancel: (batch: BillingBatch) => void
  onDownload: (batch: BillingBatch) => void
}

const Buttons = styled('span')({ display: 'flex', justifyContent: 'flex-end', gap: 4 })

export const batchColumns = ({ onSend, onCancel, onDownload }: RowActions): readonly Column<BillingBatch>[] => [
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
    cell: ({ billSendDate }) => (billSendDate === null ? 'Not sent yet' : <Timestamp at={billSendDate} />),
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
    key: 'totals',
    header: label.totals,
    width: 130,
    align: 'right',
    cell: ({ totals }) => totals.map(formatMoney).join(', '),
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
    key: 'open',
    header: 'Send and cancel',
    HeaderIcon: MoreIcon,
    width: 88,
    isSticky: 'right',
    visibleTo: 'billingBatches.run',
    cell: (batch) =>
      batch.sendStatusCode !== 'SENT' && (
        <Buttons>
          <IconButton size="small" aria-label={`Send batch ${batch.id}`} onClick={() => onSend(batch)}>
            <ArrowRightIcon />
          </IconButton>
          <IconButton size="small" aria-label={`Cancel batch ${batch.id}`} onClick={() => onCancel(batch)}>
            <CloseIcon />
          </IconButton>
        </Buttons>
      ),
  },
  {
    key: 'download',
    header: 'Download',
    HeaderIcon: DownloadIcon,
    width: 52,
    isSticky: 'right',
    cell: (batch) => (
      <IconButton size="small" aria-label={`Download batch ${batch.id}`} onClick={() => onDownload(batch)}>
        <DownloadIcon />
      </IconButton>
    ),
  },
]

/** Everything but the patient is truncated, so that amount and reason stay visible on a small screen. */
const Truncated = styled('span')({
  display: 'block',
  maxWidth: 'min(180px, 8.5vw)',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  '@media (max-width: 599.95px)': { maxWidth: 160 },
})
const truncated = (text: string) => <Truncated title={text}>{text}</Truncated>

const Missing = styled('span')({ color: 'var(--error)', fontWeight: 600 })

/** A batch that was sent excludes nothing any more: what could not be billed was removed. */
export const detailColumns = (isSent: boolean, onFiles: (row: BatchDetail) => void): readonly Column<BatchDetail>[] =>
  allDetailColumns(onFiles).filter(({ key }) => !(isSent && key === 'missing'))

const allDetailColumns = (onFiles: (row: BatchDetail) => void): readonly Column<BatchDetail>[] => [
  { key: 'reqId', header: batchDetailLabels.reqId, cell: ({ reqId }) => reqId },
  {
    key: 'files',
    header: batchDetailLabels.files,
    visibleTo: 'documents.section',
    cell: (row) => (
      <IconButton
        size="small"
        aria-label={`Documents and reports of requisition ${row.reqId}`}
        onClick={() => onFiles(row)}
      >
        <RequisitionsIcon />
      </IconButton>
    ),
  },
  {
    key: 'patientName',
    header: batchDetailLabels.patientName,
    cell: ({ patientLastName, patientFirstName }) => `${patientLastName}, ${patientFirstName}`,
  },
  { key: 'patientDob', header: batchDetailLabels.patientDob, cell: ({ patientDob }) => formatLongDate(patientDob) },
  { key: 'clientName', header: batchDetailLabels.clientName, cell: ({ clientName }) => truncated(clientName) },
  {
    key: 'physician',
    header: batchDetailLabels.physician,
    cell: ({ physLastName, physFirstName }) => truncated(`${physLastName}, ${physFirstName}`),
  },
  {
    key: 'testCodes',
    header: batchDetailLabels.testCodes,
    cell: ({ testCodes }) => truncated(testCodes.replaceAll(',', ', ')),
  },
  { key: 'reqBillTypeDesc', header: batchDetailLabels.reqBillTypeDesc, cell: ({ reqBillTypeDesc }) => reqBillTypeDesc },
  {
    key: 'amount',
    header: batchDetailLabels.amount,
    align: 'right',
    cell: ({ amount, currencyCode }) =>
      amount === null ? '–' : formatMoney({ amount, currencyCode: currencyCode ?? 'USD' }),
  },
  {
    key: 'missing',
    header: batchDetailLabels.missing,
    cell: ({ missing }) => missing !== null && <Missing>{truncated(missing)}</Missing>,
  },
]
