import {
  type Delivery,
  type DeliveryState,
  deliveryRoutes,
  deliveryStates,
  deliveryLabels as label,
  type Sending,
} from '@lis/contract/deliveries.ts'
import { styled } from '@mui/material/styles'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const Tag = styled('span')({
  display: 'inline-flex',
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  lineHeight: '18px',
  fontWeight: 600,
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, currentColor 14%, transparent)',
})
const tones: Record<DeliveryState, string> = {
  QUEUED: 'info',
  RETRYING: 'warning',
  SENT: 'success',
  CONFIRMED: 'success',
  OPENED: 'success',
  REFUSED: 'error',
  FAILED: 'error',
}

/** The state, and the time of the next automatic attempt. */
const StateCell = ({ row: { deliveryState: state, nextAttemptDate } }: { row: Sending }) => (
  <>
    <Tag style={{ color: `var(--${tones[state]})`, background: `var(--${tones[state]}-bg)` }}>
      {deliveryStates[state]}
    </Tag>{' '}
    {nextAttemptDate && <Timestamp at={nextAttemptDate} />}
  </>
)

/** The action of a delivery. An older version is never sent again: the current one is sent instead, and the button says so. */
const actionOf = ({ transmitMethodCode, deliveryState, versionNo, currentVersionNo }: Delivery) => {
  if (transmitMethodCode === 'PRINT' && deliveryState === 'QUEUED') return 'Printed'
  if (versionNo < currentVersionNo) return `Send version ${currentVersionNo}`
  return deliveryState === 'RETRYING' ? 'Try now' : 'Resend'
}

/** Resend, send now, or 'Printed'; nothing while it is in progress. */
const DeliveryAction = ({ row }: { row: Delivery }) => {
  const resend = useSave(deliveryRoutes.resend)
  const confirm = useSave(deliveryRoutes.confirm)
  const [isBusy, whileBusy] = useBusy()
  const name = actionOf(row)
  const isPrint = name === 'Printed'
  if (!isPrint && row.deliveryState === 'QUEUED') return null
  const run = () =>
    whileBusy(async () => {
      await (isPrint ? confirm : resend)({ params: { id: row.id }, body: {} })
    })
  return (
    <ActionButton
      size="small"
      isBusy={isBusy}
      aria-label={`${isPrint ? 'Mark as printed' : name} ${row.reportOriginalFileName} to ${row.recipient}`}
      onClick={run}
    >
      {name}
    </ActionButton>
  )
}

const report: Column<Delivery> = {
  key: 'report',
  header: label.reportOriginalFileName,
  width: 116,
  cell: (row) => row.reportOriginalFileName,
}
const versionNo: Column<Delivery> = {
  key: 'versionNo',
  header: label.versionNo,
  width: 60,
  cell: (row) => row.versionNo,
}
const recipient: Column<Sending> = {
  key: 'to',
  header: label.recipient,
  width: 176,
  card: 'title',
  cell: (row) =>
    row.recipientName && row.recipientName !== row.recipient ? `${row.recipientName}, ${row.recipient}` : row.recipient,
}
const method: Column<Sending> = {
  key: 'transmitMethodCode',
  header: label.transmitMethodCode,
  width: 108,
  cell: (row) => row.transmitMethodDesc,
}
const state: Column<Sending> = {
  key: 'deliveryState',
  header: label.deliveryState,
  width: 190,
  card: 'head',
  cell: (row) => <StateCell row={row} />,
}
// Beside the status: why it failed is the most important information.
const answer: Column<Sending> = { key: 'answer', header: label.answer, width: 172, cell: (row) => row.answer }
const requested: Column<Sending> = {
  key: 'requestedDate',
  header: label.requestedDate,
  width: 140,
  cell: (row) => <Timestamp at={row.requestedDate} />,
}
const requester: Column<Sending> = {
  key: 'requestedByName',
  header: label.requestedByName,
  width: 104,
  cell: (row) => row.requestedByName,
}
const sent: Column<Sending> = {
  key: 'sentDate',
  header: label.sentDate,
  width: 140,
  cell: (row) => row.sentDate && <Timestamp at={row.sentDate} />,
}
const hash: Column<Delivery> = {
  key: 'sha256',
  header: label.sha256,
  width: 80,
  // The first digits distinguish files; the tooltip shows all of them.
  cell: (row) => row.sha256 && <code title={`SHA-256 ${row.sha256}`}>{row.sha256.slice(0, 8)}</code>,
}
const action: Column<Delivery> = {
  key: 'action',
  header: 'Action',
  width: 132,
  isSticky: 'right',
  cell: (row) => <DeliveryAction row={row} />,
}

/** On the requisition's own page; the date is that of the latest event. */
export const ledgerColumns: Column<Delivery>[] = [
  report,
  versionNo,
  recipient,
  method,
  state,
  answer,
  requested,
  requester,
  {
    ...sent,
    cell: (row) => {
      const at = row.openedDate ?? row.confirmedDate ?? row.sentDate
      return at && <Timestamp at={at} />
    },
  },
  hash,
  action,
]

export const notificationColumns: Column<Sending>[] = [recipient, method, state, answer, requested, requester, sent]

const sorted = (column: Column<Sending>): Column<Delivery> => ({ ...column, sort: column.key })

/** On the work list, which covers many requisitions; nothing there has been sent. */
export const lateColumns: Column<Delivery>[] = [
  { key: 'reqId', header: 'Req ID', width: 90, sort: 'reqId', isSticky: true, cell: (row) => `#${row.reqId}` },
  { key: 'patientName', header: 'Patient Name', width: 150, sort: 'patientName', cell: (row) => row.patientName },
  { key: 'clientName', header: 'Client', width: 170, sort: 'clientName', cell: (row) => row.clientName },
  recipient,
  sorted(method),
  sorted(state),
  answer,
  sorted(requested),
  requester,
  report,
  versionNo,
  action,
]
