import { useEffect } from 'react'
import { pageSession, useHeldSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'

/** Clears typed input and cached data when another user signs in. */
export const useResetOnUserSwitch = () => {
  const held = useHeldSession()
  useEffect(() => {
    if (!held) return
    pageSession.whenSettled().then((outcome) => {
      if (outcome !== 'otherUser') return
      unsaved.clear()
      window.location.assign('/')
    })
  }, [held])
}
