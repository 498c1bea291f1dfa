import { type RefCallback, useCallback, useState } from 'react'

/**
 * True once the element has been visible. A table in a closed tab, or far down a page, sends no requests (TABLE-022). A table that is the
 * page itself (`isPage`) counts as visible at once.
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
