import { createContext, useContext, useEffect } from 'react'
import type { Icon } from './icons.tsx'

/** Something that can be done on the page: an address to go to, or a function. */
export interface PageAction {
  label: string
  icon: Icon
  to?: string
  run?: () => void
}

/** How a page inside another stands in the top bar of small screens. */
export interface PageBar {
  title: string
  back: { to: string; label: string }
  actions: readonly PageAction[]
}

/** Where the shell hears of it. */
export const PageBarContext = createContext<(bar: PageBar | null) => void>(() => undefined)

/**
 * Gives the top bar of small screens the way back and the page's name in place of the hamburger button, and puts the page's actions and
 * the menu behind 'More'. The bar must be the same object as long as nothing in it changes.
 */
export const usePageBar = (bar: PageBar) => {
  const show = useContext(PageBarContext)
  useEffect(() => {
    show(bar)
    return () => show(null)
  }, [show, bar])
}
