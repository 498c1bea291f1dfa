import { can } from '@lis/contract/access/permissions.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useRef, useState } from 'react'
import { useRole, useSession } from '../../lib/session.ts'
import type { FilterDraft } from './sort-and-filter.tsx'

/**
 * Open until closed, and remembered per person; on phones, where it hides the whole list, only when it is asked for. What is typed and
 * not applied yet stays in view when a phone is turned.
 */
export const useSmartPanel = () => {
  const mayUse = can(useRole(), 'smartFilter.button')
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const key = `lis.smartPanel.${useSession()?.access.userId ?? 0}`
  const [isRemembered, setRemembered] = useState(() => localStorage.getItem(key) !== 'closed')
  const [isOpenOnPhone, setOpenOnPhone] = useState(false)
  const [isAsked, setAsked] = useState(false)
  // Not state: the list need not be drawn again at each key.
  const typed = useRef<FilterDraft>(null)
  const [wasPhone, setWasPhone] = useState(isPhone)
  if (isPhone !== wasPhone) {
    setWasPhone(isPhone)
    if (isPhone) setOpenOnPhone(typed.current !== null)
    else if (typed.current) setRemembered(true)
  }
  const isOpen = mayUse && (isPhone ? isOpenOnPhone : isRemembered)
  const setOpen = (open: boolean) => {
    typed.current = null
    setAsked(true)
    if (isPhone) return setOpenOnPhone(open)
    localStorage.setItem(key, open ? 'open' : 'closed')
    setRemembered(open)
  }
  return { isOpen, typed, isAsked, isPhone, toggle: () => setOpen(!isOpen), close: () => setOpen(false) }
}
