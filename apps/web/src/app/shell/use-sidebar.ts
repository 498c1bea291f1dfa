import { useState } from 'react'

const key = 'lis.sidebar'

/** Collapsed until opened; remembered in the browser. */
export const useSidebar = () => {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(key) === 'open')
  return {
    isOpen,
    toggle: () => {
      localStorage.setItem(key, isOpen ? 'closed' : 'open')
      setOpen(!isOpen)
    },
  }
}
