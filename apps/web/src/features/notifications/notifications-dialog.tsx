import { messages } from '@lis/contract/messages.ts'
import { type Notification, unreadCount } from '@lis/contract/notifications.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogTitle from '@mui/material/DialogTitle'
import IconButton from '@mui/material/IconButton'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { AlertList } from './alert-list.tsx'
import { NotificationItem } from './notification-item.tsx'
import { useMarkAllRead, useMarkRead, useNotifications } from './use-notifications.ts'

const Body = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  minHeight: 176,
  maxHeight: '60vh',
  overflow: 'auto',
  borderTop: '1px solid var(--line)',
})
const Title = styled(DialogTitle)({ display: 'flex', alignItems: 'center', '& > button': { marginLeft: 'auto' } })
const Row = styled('div')({ height: 44, padding: '18px 20px', borderBottom: '1px solid var(--line)' })

/** Requisitions with new or updated issues. Opening one marks it as read and opens its issues. */
export const NotificationsDialog = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const id = useId()
  return (
    <Dialog open={isOpen} onClose={onClose} aria-labelledby={id} slotProps={{ paper: { sx: { maxWidth: 660 } } }}>
      <Title id={id}>
        Notifications
        <IconButton aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </Title>
      <Body>
        <AlertList onOpen={onClose} />
        <NotificationList onOpen={onClose} />
      </Body>
      <DialogActions>
        <MarkAllRead />
        <Button onClick={onClose}>Cancel</Button>
      </DialogActions>
    </Dialog>
  )
}

const MarkAllRead = () => {
  const { data } = useNotifications()
  const markAllRead = useMarkAllRead()
  const [isBusy, whileBusy] = useBusy()
  const hasUnread = data?.data.some((notification) => unreadCount(notification) > 0) ?? false
  return (
    <ActionButton disabled={!hasUnread} isBusy={isBusy} onClick={() => whileBusy(markAllRead)}>
      Mark all as read
    </ActionButton>
  )
}

const NotificationList = ({ onOpen }: { onOpen: () => void }) => {
  const { data, error, refetch } = useNotifications()
  const markRead = useMarkRead()
  const open = ({ id }: Notification) => {
    markRead(id)
    onOpen()
  }
  if (error) return <ErrorState title={messages.listFailed} onRetry={() => refetch()} />
  if (!data) return <LoadingRows />
  if (data.data.length === 0)
    return <EmptyState title="No notifications">You are up to date: no issue waits for you.</EmptyState>
  return (
    <ul>
      {data.data.map((notification) => (
        <NotificationItem key={notification.id} notification={notification} onOpen={() => open(notification)} />
      ))}
    </ul>
  )
}

const LoadingRows = () => (
  <div role="status" aria-label="Data loading">
    {[280, 300, 260].map((width) => (
      <Row key={width}>
        <Skeleton variant="rectangular" width={width} height={8} />
      </Row>
    ))}
  </div>
)
