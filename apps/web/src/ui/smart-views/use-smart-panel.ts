import { can } from '@lis/contract/access/permissions.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useRef, useState } from 'react'
import { useRole, useSession } from '../../lib/session.ts'
import type { FilterDraft } from './sort-and-filter.tsx'

/**
 * Open by default, and remembered per user; on phones, where it covers the list, only on demand. Unapplied input is kept when a phone is
 * rotated.
 */
export const useSmartPanel = () => {
  const mayUse = can(useRole(), 'smartFilter.button')
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const key = `lis.smartPanel.${useSession()?.access.userId ?? 0}`
  const [isRemembered, setRemembered] = useState(() => localStorage.getItem(key) !== 'closed')
  const [isOpenOnPhone, setOpenOnPhone] = useState(false)
  const [isImmediate, setAsked] = useState(false)
  // Not state: typing must not re-render the list.
  const unapplied = useRef<FilterDraft>(null)
  const [wasPhone, setWasPhone] = useState(isPhone)
  if (isPhone !== wasPhone) {
    setWasPhone(isPhone)
    if (isPhone) setOpenOnPhone(unapplied.current !== null)
    else if (unapplied.current) setRemembered(true)
  }
  const isOpen = mayUse && (isPhone ? isOpenOnPhone : isRemembered)
  const setOpen = (open: boolean) => {
    unapplied.current = null
    setAsked(true)
    if (isPhone) return setOpenOnPhone(open)
    localStorage.setItem(key, open ? 'open' : 'closed')
    setRemembered(open)
  }
  return { isOpen, unapplied, isImmediate, isPhone, toggle: () => setOpen(!isOpen), close: () => setOpen(false) }
}
