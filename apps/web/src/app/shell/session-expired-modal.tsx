import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { SignInFlow } from '../../features/sign-in/sign-in-flow.tsx'
import { pageSession, useHeldSession } from '../../lib/session.ts'
import { Dialog } from '../../ui/dialog.tsx'

const titleId = 'session-expired-title'

/** Signs in again in place, over a page with unsaved input. Pages without such input go to the login page instead. */
export const SessionExpiredModal = () => {
  const held = useHeldSession()
  if (!held) return null
  return (
    <Dialog open aria-labelledby={titleId} slotProps={{ paper: { sx: { maxWidth: 460 } } }}>
      <DialogTitle id={titleId}>{messages.sessionExpired}</DialogTitle>
      <DialogContent>
        <p style={{ margin: '0 0 20px', color: 'var(--text-2)' }}>
          What you typed is still here. It is sent, or can be sent, once you have signed in again.
        </p>
        <SignInFlow initial={{ name: 'login', userName: held.access.userName }} />
      </DialogContent>
      <DialogActions>
        <Button variant="text" onClick={() => pageSession.leave()}>
          Leave this page
        </Button>
      </DialogActions>
    </Dialog>
  )
}
