import { roleTable } from '@lis/contract/access/roles.ts'
import { userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, use } from 'react'
import { formatTimestamp } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole, useSession } from '../../lib/session.ts'
import { RetryIcon } from '../../ui/icons.tsx'
import { Logo } from '../../ui/logo.tsx'
import { HeaderTools } from '../../ui/page-header.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { greetingAt } from './durations.ts'

const Bar = styled('header')(({ theme }) => ({
  flex: 'none',
  minHeight: 64,
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  padding: '8px 16px',
  background: 'var(--surface)',
  borderBottom: '1px solid var(--line)',
  '& .words': { flex: '1 1 auto', minWidth: 0 },
  '& h1': { fontSize: 11, lineHeight: '16px', fontWeight: 400, color: 'var(--text-3)' },
  '& .line': { display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: '0 10px' },
  '& .hello': { fontSize: 16, lineHeight: '24px', fontWeight: 600, color: 'var(--text-strong)' },
  '& p': { color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { flexWrap: 'wrap', padding: '8px 12px' },
}))
const Live = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  fontSize: 11,
  color: 'var(--text-3)',
  whiteSpace: 'nowrap',
  '&::before': { content: '""', width: 6, height: 6, borderRadius: '50%', background: 'var(--success)' },
  '&.lost': { color: 'var(--warning)' },
  '&.lost::before': { background: 'var(--warning-solid)' },
})

interface GreetingProps {
  /** The time of the last answer, and whether the next request failed. */
  asOf: string | undefined
  isLost: boolean
  actions?: ReactNode
}

/** The company's name and the person's, and how fresh the page is. */
export const Greeting = ({ asOf, isLost, actions }: GreetingProps) => {
  const id = useSession()?.access.userId ?? 0
  const zone = useZone()
  const code = useRole()
  const role = roleTable.find(({ userRoleCode }) => userRoleCode === code)
  const { data, isError, refetch } = useQuery(read(userRoutes.one, { params: { id } }))
  const user = data?.data
  const hello = greetingAt(new Date(), zone)
  return (
    <Bar>
      <Logo size={36} />
      <div className="words">
        <h1>Welcome to Lab Information System (LIS)</h1>
        <div className="line">
          <span className="hello">{user ? `${hello}, ${user.userFirstName}` : hello}</span>
          {isError ? (
            <p role="alert">
              Your name could not be loaded.
              <Button startIcon={<RetryIcon />} onClick={() => refetch()}>
                Retry
              </Button>
            </p>
          ) : (
            <p>
              {user ? (
                `${user.userFirstName} ${user.userLastName}`
              ) : (
                <Skeleton width={120} height={8} variant="rectangular" />
              )}
            </p>
          )}
          {role && <span style={{ color: 'var(--text-3)' }}>{role.userRoleDesc}</span>}
        </div>
      </div>
      {asOf && <Freshness asOf={asOf} isLost={isLost} zone={zone} />}
      {actions}
      {use(HeaderTools)}
    </Bar>
  )
}

const Freshness = ({ asOf, isLost, zone }: { asOf: string; isLost: boolean; zone: string }) => {
  const { text, zone: abbreviation } = formatTimestamp(asOf, zone)
  const [day, time] = text.split(' ')
  const moment = `${time} ${abbreviation}, ${day}`
  return (
    <Live className={isLost ? 'lost' : undefined}>{isLost ? `Not updated since ${moment}` : `Live, ${moment}`}</Live>
  )
}
