import { useEffect } from 'react'
import { pageSession, useHeldSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'

/** Nothing that one person typed, or had on screen, is left for the next who signs in, however that is done. */
export const useNextPerson = () => {
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
