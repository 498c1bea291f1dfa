import { type Delivery, deliveryRoutes, type Sending } from '@lis/contract/deliveries.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { BellIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { DeliverReleasedDialog } from './deliver-released-dialog.tsx'
import { ledgerColumns, notificationColumns } from './delivery-columns.tsx'

const idOf = ({ id }: { id: number }) => String(id)
const fileOf = ({ reportOriginalFileName }: Delivery) => reportOriginalFileName
const recipientOf = ({ recipient }: Sending) => recipient

/** While a delivery is in progress it is polled often; while it waits for its next attempt, less often. */
const activePollMs = 3000
const waitingPollMs = 30_000
const pollIntervalOf = (rows: readonly Sending[] | undefined) => {
  const isIn = (state: Sending['deliveryState']) => rows?.some(({ deliveryState }) => deliveryState === state)
  return isIn('QUEUED') ? activePollMs : isIn('RETRYING') && waitingPollMs
}

/** Deliveries change the requisition, its reports and their history too: when the last one is done, everything is read again. */
const useRefetchWhenDelivered = (rows: readonly Sending[] | undefined) => {
  const client = useQueryClient()
  const isMoving = pollIntervalOf(rows) === activePollMs
  const wasMoving = useRef(false)
  useEffect(() => {
    if (wasMoving.current && !isMoving) void client.invalidateQueries()
    wasMoving.current = isMoving
  }, [isMoving, client])
}

/** The ledger: who was sent which version, and the outcome. */
export const DeliveryCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id, isDownloadable } = requisition
  const query = useQuery({
    ...readList(deliveryRoutes.ledger, { id }, allRows),
    refetchInterval: ({ state }) => pollIntervalOf(state.data?.data),
  })
  useRefetchWhenDelivered(query.data?.data)
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <CardTable
        title="Delivery"
        columns={ledgerColumns}
        query={query}
        rowId={idOf}
        rowName={fileOf}
        empty="No report of this requisition has been sent yet."
        actions={
          <>
            <Link to="/deliveries" style={{ color: 'var(--link)' }}>
              What has not arrived
            </Link>
            <Button disabled={isDownloadable === 0} onClick={() => setAsking(true)}>
              Deliver released reports
            </Button>
          </>
        }
      />
      {isAsking && <DeliverReleasedDialog requisition={requisition} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Whether the patient was notified of results. */
export const NotificationsCard = ({ requisition: { id, isDownloadable } }: { requisition: RequisitionDetail }) => {
  const query = useQuery({
    ...readList(deliveryRoutes.notifications, { id }, allRows),
    refetchInterval: ({ state }) => pollIntervalOf(state.data?.data),
  })
  useRefetchWhenDelivered(query.data?.data)
  const send = useSave(deliveryRoutes.notifyMany, { isSilent: true })
  const notify = useNotify()
  const [isBusy, whileBusy] = useBusy()
  const run = () =>
    whileBusy(async () => {
      const { data, message } = await send({ body: { reqIds: [id] } })
      const [refused] = data.refused
      if (refused) notify.warning(refused.reason)
      else notify.info(message)
    })
  return (
    <CardTable
      title="Patient Notification"
      columns={notificationColumns}
      query={query}
      rowId={idOf}
      rowName={recipientOf}
      empty="The patient has not been told that results are ready."
      actions={
        <ActionButton isBusy={isBusy} disabled={isDownloadable === 0} startIcon={<BellIcon />} onClick={run}>
          Send notification
        </ActionButton>
      }
    />
  )
}
