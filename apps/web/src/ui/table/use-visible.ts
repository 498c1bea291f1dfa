import { type RefCallback, useCallback, useState } from 'react'

/**
 * True once the element has been seen. A table in a closed tab, or far down a page, asks the server for nothing (TABLE-022). What is
 * the page itself (`isPage`) is seen as soon as the page is.
 */
export const useVisible = <T extends Element>(isPage = false): [RefCallback<T>, boolean] => {
  const [isVisible, setVisible] = useState(() => isPage && document.visibilityState === 'visible')
  const watch = useCallback((element: T | null) => {
    if (!element) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      setVisible(true)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [watch, isVisible]
}
