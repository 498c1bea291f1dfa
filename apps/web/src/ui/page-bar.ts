import { createContext, useContext, useEffect } from 'react'
import type { Icon } from './icons.tsx'

/** An action of the page: a link or a function. */
export interface PageAction {
  label: string
  icon: Icon
  to?: string
  run?: () => void
}

/** What a nested page shows in the top bar of small screens. */
export interface PageBar {
  title: string
  back: { to: string; label: string }
  actions: readonly PageAction[]
}

/** Sets the shell's top bar. */
export const PageBarContext = createContext<(bar: PageBar | null) => void>(() => undefined)

/**
 * On small screens, replaces the hamburger button by a back link and the page title, and puts the page's actions and the menu under 'More'.
 * Pass the same object while nothing in it changes.
 */
export const usePageBar = (bar: PageBar) => {
  const show = useContext(PageBarContext)
  useEffect(() => {
    show(bar)
    return () => show(null)
  }, [show, bar])
}
