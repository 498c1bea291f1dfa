import { useRef, useState } from 'react'
import { logOut, sendUnsaved } from '../../lib/api.ts'
import { pageSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { LeaveQuestion } from './leave-question.tsx'

/** Logs out, and asks first, in `question`, when something would be lost that does not save itself. */
export const useLogOut = () => {
  const [isAsking, setAsking] = useState(false)
  const isBusy = useRef(false)
  const start = async () => {
    if (isBusy.current) return
    isBusy.current = true
    await sendUnsaved()
    // What has been saved says so once it is drawn.
    await new Promise((drawn) => setTimeout(drawn))
    // Where the session turned out to be over, the page asks for a new one.
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
  const question = <LeaveQuestion isOpen={isAsking} onLeave={leave} onCancel={() => setAsking(false)} />
  return { logOut: start, question }
}
