import { can } from '@lis/contract/access/permissions.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useState } from 'react'
import { useRole, useSession } from '../../lib/session.ts'

/** Open until closed, and remembered per person; on phones, where it hides the whole list, only when it is asked for. */
export const useSmartPanel = () => {
  const mayUse = can(useRole(), 'smartFilter.button')
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const key = `lis.smartPanel.${useSession()?.access.userId ?? 0}`
  const [isRemembered, setRemembered] = useState(() => localStorage.getItem(key) !== 'closed')
  const [isOpenOnPhone, setOpenOnPhone] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const isOpen = mayUse && (isPhone ? isOpenOnPhone : isRemembered)
  const setOpen = (open: boolean) => {
    setAsked(true)
    if (isPhone) return setOpenOnPhone(open)
    localStorage.setItem(key, open ? 'open' : 'closed')
    setRemembered(open)
  }
  return { isOpen, isAsked, isPhone, toggle: () => setOpen(!isOpen), close: () => setOpen(false) }
}
