import { useRef, useState } from 'react'
import { logOut, sendUnsaved } from '../../lib/api.ts'
import { pageSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { LeaveDialog } from './leave-dialog.tsx'

/** Logs out, and asks first, in `question`, if input would be lost that is not saved automatically. */
export const useLogOut = () => {
  const [isAsking, setAsking] = useState(false)
  const isBusy = useRef(false)
  const start = async () => {
    if (isBusy.current) return
    isBusy.current = true
    await sendUnsaved()
    // Wait until the saved state is rendered.
    await new Promise((drawn) => setTimeout(drawn))
    // If the session turned out to be over, the page asks to sign in.
    if (!pageSession.held()) {
      if (unsaved.isLeft()) setAsking(true)
      else await logOut()
    }
    isBusy.current = false
  }
  const leave = () => {
    setAsking(false)
    void logOut()
  }
  const question = <LeaveDialog isOpen={isAsking} onLeave={leave} onCancel={() => setAsking(false)} />
  return { logOut: start, question }
}
