import { can } from '@lis/contract/access/permissions.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { Link } from 'react-router'
import { useRole, useSession } from '../lib/session.ts'
import { useLogOut } from '../ui/form/use-log-out.tsx'
import { StatusPage } from './status-page.tsx'

const HomeLink = () => (
  <Button component={Link} to="/">
    Go to the front page
  </Button>
)

const LogOutButton = () => {
  const { logOut, question } = useLogOut()
  return (
    <>
      <Button onClick={() => void logOut()}>Log-out</Button>
      {question}
    </>
  )
}

/** Guests may not open the front page: it would lead back here. */
const useIsGuest = () => {
  const role = useRole()
  return useSession() !== null && !can(role, 'home.open')
}

export const ForbiddenPage = () =>
  useIsGuest() ? (
    <StatusPage title={messages.forbiddenPage} action={<LogOutButton />}>
      Your account has no role yet, so there is nothing it can open. Ask an administrator to give you one.
    </StatusPage>
  ) : (
    <StatusPage title={messages.forbiddenPage} action={<HomeLink />}>
      Your role may not open this page. If you need it for your work, ask an administrator.
    </StatusPage>
  )

export const NotFoundPage = () => (
  <StatusPage title={messages.notFoundPage} action={useIsGuest() ? <LogOutButton /> : <HomeLink />}>
    There is no page at this address. It may have been mistyped, or the record is gone.
  </StatusPage>
)
