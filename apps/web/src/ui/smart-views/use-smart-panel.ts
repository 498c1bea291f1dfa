import { can } from '@lis/contract/access/permissions.ts'
import type { ListScreen } from '@lis/contract/list-columns.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useRef, useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useListSettings } from '../use-list-settings.ts'
import type { FilterDraft } from './sort-and-filter.tsx'

/**
 * Open by default, and remembered per user and list; on phones, where it covers the list, only on demand. Unapplied input is kept when a phone is
 * rotated.
 */
export const useSmartPanel = (screen: ListScreen) => {
  const mayUse = can(useRole(), 'smartFilter.button')
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  // The tabs of a screen share it.
  const { isReady, settings, save } = useListSettings(screen.startsWith('requisitions/') ? 'requisitions' : screen)
  const isRemembered = isReady && settings?.isFilterOpen !== false
  const [isOpenOnPhone, setOpenOnPhone] = useState(false)
  const [isImmediate, setAsked] = useState(false)
  // Not state: typing must not re-render the list.
  const unapplied = useRef<FilterDraft>(null)
  const [wasPhone, setWasPhone] = useState(isPhone)
  if (isPhone !== wasPhone) {
    setWasPhone(isPhone)
    if (isPhone) setOpenOnPhone(unapplied.current !== null)
    else if (unapplied.current && !isRemembered) save({ isFilterOpen: true })
  }
  const isOpen = mayUse && (isPhone ? isOpenOnPhone : isRemembered)
  const setOpen = (open: boolean) => {
    unapplied.current = null
    setAsked(true)
    if (isPhone) return setOpenOnPhone(open)
    save({ isFilterOpen: open })
  }
  return { isOpen, unapplied, isImmediate, isPhone, toggle: () => setOpen(!isOpen), close: () => setOpen(false) }
}
