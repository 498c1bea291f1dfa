import {
  type Delivery,
  type DeliveryState,
  deliveryRoutes,
  deliveryStates,
  deliveryLabels as label,
} from '@lis/contract/deliveries.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { useSave } from '../../lib/use-save.ts'
import type { Column } from '../../ui/table/column.ts'
import { Moment } from '../../ui/table/moment.tsx'

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
  FAILED: 'error',
}

const StateTag = ({ state }: { state: DeliveryState }) => (
  <Tag style={{ color: `var(--${tones[state]})`, background: `var(--${tones[state]}-bg)` }}>
    {deliveryStates[state]}
  </Tag>
)

/** Again, or 'printed'; nothing while it is on its way by itself. */
const DeliveryAction = ({ row }: { row: Delivery }) => {
  const resend = useSave(deliveryRoutes.resend)
  const confirm = useSave(deliveryRoutes.confirm)
  const [isBusy, setBusy] = useState(false)
  const isPrint = row.transmitMethodCode === 'PRINT' && row.deliveryState === 'QUEUED'
  if (!isPrint && (row.deliveryState === 'QUEUED' || row.deliveryState === 'RETRYING')) return null
  const run = async () => {
    setBusy(true)
    try {
      await (isPrint ? confirm : resend)({ params: { id: row.id }, body: {} })
    } catch {
      // The notice says why.
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      size="small"
      disabled={isBusy}
      aria-label={`${isPrint ? 'Mark as printed' : 'Resend'} ${row.reportOriginalFileName} to ${row.recipient}`}
      onClick={run}
    >
      {isPrint ? 'Printed' : 'Resend'}
    </Button>
  )
}

const report: Column<Delivery> = {
  key: 'report',
  header: label.reportOriginalFileName,
  width: 170,
  cell: (row) => `${row.reportOriginalFileName}${row.versionNo > 1 ? ` (version ${row.versionNo})` : ''}`,
}
const rest: Column<Delivery>[] = [
  {
    key: 'to',
    header: label.recipient,
    width: 220,
    card: 'title',
    cell: (row) =>
      row.recipientName && row.recipientName !== row.recipient
        ? `${row.recipientName}, ${row.recipient}`
        : row.recipient,
  },
  {
    key: 'transmitMethodCode',
    header: label.transmitMethodCode,
    width: 120,
    sort: 'transmitMethodCode',
    cell: (row) => row.transmitMethodDesc,
  },
  {
    key: 'deliveryState',
    header: label.deliveryState,
    width: 110,
    sort: 'deliveryState',
    card: 'head',
    cell: (row) => <StateTag state={row.deliveryState} />,
  },
  // Beside the status: why it failed is what a person comes for.
  { key: 'answer', header: label.answer, width: 220, cell: (row) => row.answer },
  {
    key: 'requestedDate',
    header: label.requestedDate,
    width: 130,
    sort: 'requestedDate',
    cell: (row) => <Moment at={row.requestedDate} />,
  },
  { key: 'requestedByName', header: label.requestedByName, width: 130, cell: (row) => row.requestedByName },
  {
    key: 'sentDate',
    header: label.sentDate,
    width: 130,
    cell: (row) => {
      const at = row.openedDate ?? row.confirmedDate ?? row.sentDate
      return at && <Moment at={at} />
    },
  },
  {
    key: 'sha256',
    header: label.sha256,
    width: 116,
    // The first digits tell files apart; a pointer sees all of them.
    cell: (row) => row.sha256 && <code title={`SHA-256 ${row.sha256}`}>{row.sha256.slice(0, 12)}</code>,
  },
  { key: 'action', header: 'Action', width: 84, isSticky: 'right', cell: (row) => <DeliveryAction row={row} /> },
]

const unsorted = ({ sort: _, ...column }: Column<Delivery>): Column<Delivery> => column

/** On the requisition's own page. */
export const ledgerColumns: Column<Delivery>[] = [report, ...rest.map(unsorted)]

/** On the work list, which is about many requisitions; nothing there has been sent. */
export const lateColumns: Column<Delivery>[] = [
  { key: 'reqId', header: 'Req ID', width: 90, sort: 'reqId', isSticky: true, cell: (row) => `#${row.reqId}` },
  { key: 'patientName', header: 'Patient Name', width: 150, sort: 'patientName', cell: (row) => row.patientName },
  { key: 'clientName', header: 'Client', width: 170, sort: 'clientName', cell: (row) => row.clientName },
  ...rest.filter(({ key }) => !['sentDate', 'sha256', 'action'].includes(key)),
  report,
  ...rest.filter(({ key }) => key === 'action'),
]
