import { notificationTopic } from '@lis/contract/notifications.ts'
import { type AlertNotice, viewAlertRoutes } from '@lis/contract/view-alerts.ts'
import { styled } from '@mui/material/styles'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { call } from '../../lib/api.ts'
import { serverEvents } from '../../lib/event-stream.ts'
import { read } from '../../lib/query.ts'
import { useSession } from '../../lib/session.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& a': {
    display: 'flex',
    alignItems: 'baseline',
    gap: 8,
    padding: '10px 20px',
    borderBottom: '1px solid var(--line)',
    color: 'var(--text)',
    textDecoration: 'none',
  },
  '& a:hover': { background: 'var(--n-50)' },
  '& span': { flex: '1 1 auto' },
  '& .unread': { fontWeight: 600, color: 'var(--text-strong)' },
})

/** Notifications of watched views; opening one marks it as read. */
export const AlertList = ({ onOpen }: { onOpen: () => void }) => {
  const userId = useSession()?.access.userId ?? 0
  const client = useQueryClient()
  const { data } = useQuery(read(viewAlertRoutes.list, { params: { userId } }))
  const refresh = () => client.invalidateQueries({ queryKey: [viewAlertRoutes.list.path] })
  useEffect(
    () =>
      serverEvents.on(
        notificationTopic,
        () => void client.invalidateQueries({ queryKey: [viewAlertRoutes.list.path] }),
      ),
    [client],
  )
  const open = ({ id, isRead }: AlertNotice) => {
    onOpen()
    if (!isRead) void call(viewAlertRoutes.markRead, { params: { userId, id } }).then(refresh, () => undefined)
  }
  const alerts = data?.data ?? []
  if (alerts.length === 0) return null
  return (
    <List aria-label="Alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <Link to={alert.link} onClick={() => open(alert)} className={alert.isRead ? undefined : 'unread'}>
            <span>
              {alert.smartName}: {alert.count} {alert.count === 1 ? 'requisition' : 'requisitions'}
            </span>
            <Timestamp at={alert.alertDate} />
          </Link>
        </li>
      ))}
    </List>
  )
}
