import { type Notification, unreadCount } from '@lis/contract/notifications.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { Timestamp } from '../../ui/timestamp.tsx'

const Row = styled(Link)(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  minHeight: 44,
  padding: '6px 20px',
  borderBottom: '1px solid var(--line)',
  color: 'var(--text-3)',
  textDecoration: 'none',
  '&:hover': { background: 'var(--n-50)' },
  '&:focus-visible': { boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& span': { flex: '1 1 auto', minWidth: 0 },
  '& small': { display: 'block', fontWeight: 400, fontSize: 12, color: 'var(--text-2)', overflowWrap: 'anywhere' },
  '& time': { flex: 'none', fontSize: 11, color: 'var(--text-3)' },
  '&.unread > span': { fontWeight: 600, color: 'var(--text-strong)' },
  [theme.breakpoints.down('sm')]: {
    flexWrap: 'wrap',
    '& > span': { flexBasis: 'calc(100% - 16px)' },
    '& time': { flexBasis: '100%', paddingLeft: 16 },
  },
}))
const Dot = styled('i')({
  flex: 'none',
  width: 6,
  height: 6,
  borderRadius: '50%',
  '.unread > &': { background: 'var(--error-solid)' },
})

/** One requisition; dimmed once everything in it has been read. */
export const NotificationItem = ({ notification, onOpen }: { notification: Notification; onOpen: () => void }) => {
  const { id, issueDate } = notification
  const unread = unreadCount(notification)
  return (
    <li>
      <Row to={`/requisitions/${id}/show/issues`} className={unread > 0 ? 'unread' : ''} onClick={onOpen}>
        <Dot />
        <span>
          Requisition #{id} has {unread} new/updated issues.
          <small>{notification.patientName}</small>
          {notification.issues.map((issue) => (
            <small key={issue.id}>
              {issue.issueDesc}
              {issue.reason && `: ${issue.reason}`}
            </small>
          ))}
        </span>
        <Timestamp at={issueDate} />
      </Row>
    </li>
  )
}
