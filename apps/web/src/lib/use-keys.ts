import { useEffect, useRef } from 'react'

/** By the key in lower case, or 'ctrl+enter'. */
type Keys = Partial<Record<string, () => void>>

/** The keys of a page; letters do nothing while a field has the focus, and nothing does under a dialog. */
export const useKeys = (keys: Keys) => {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector('[role="dialog"]')) return
      const isEnter = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      const name = isEnter ? 'ctrl+enter' : isPlain && !isTyping ? event.key.toLowerCase() : ''
      const run = latest.current[name]
      if (!run) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
