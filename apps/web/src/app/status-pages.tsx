import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { Link } from 'react-router'
import { StatusPage } from './status-page.tsx'

const toHome = (
  <Button component={Link} to="/">
    Go to the front page
  </Button>
)

export const ForbiddenPage = () => (
  <StatusPage title={messages.forbiddenPage} action={toHome}>
    Your role may not open this page. If you need it for your work, ask an administrator.
  </StatusPage>
)

export const NotFoundPage = () => (
  <StatusPage title={messages.notFoundPage} action={toHome}>
    There is no page at this address. It may have been mistyped, or the record is gone.
  </StatusPage>
)
