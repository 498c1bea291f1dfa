import { type OwnSession, userRoutes } from '@lis/contract/users.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { useLogOut } from '../../ui/form/use-log-out.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { deviceName } from './device-name.ts'

const List = styled('ul')({
  margin: -12,
  '& > li': { display: 'flex', alignItems: 'center', gap: 8, padding: '8px 12px' },
  '& > li + li': { borderTop: '1px solid var(--line)' },
  '& button': { flex: 'none' },
  '& strong': { fontWeight: 600, color: 'var(--text-strong)' },
})
const About = styled('div')({ flex: '1 1 auto', minWidth: 0, '& small': { fontSize: 11, color: 'var(--text-3)' } })

/** The user's sessions, with a button to end each of them. */
export const SessionsCard = () => (
  <Card title="Where You Are Signed In">
    <Loaded query={useQuery(read(userRoutes.ownSessions))}>
      {({ data }) => (
        <List>
          {data.map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </List>
      )}
    </Loaded>
  </Card>
)

const SessionItem = ({ session }: { session: OwnSession }) => {
  const [isBusy, whileBusy] = useBusy()
  const end = useSave(userRoutes.endOwnSession, { failure: 'error' })
  const { logOut, question } = useLogOut()
  const isCurrent = session.isCurrent === 1
  const signOut = () =>
    whileBusy(async () => {
      if (isCurrent) await logOut()
      else await end({ params: { sessionId: session.id } })
    })
  return (
    <li>
      <About>
        <strong>{deviceName(session.device)}</strong>
        {isCurrent && ', this device'}
        <br />
        <small>
          {session.ip && `${session.ip}, `}last used <Timestamp at={session.lastSeenDate} />
        </small>
      </About>
      <ActionButton isBusy={isBusy} onClick={signOut}>
        Sign out this device
      </ActionButton>
      {question}
    </li>
  )
}
