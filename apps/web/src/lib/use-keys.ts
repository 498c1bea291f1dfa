import { useEffect, useRef } from 'react'
import { areLettersOff } from './letter-keys.ts'

/** By the key in lower case, or 'ctrl+enter'. */
type Keys = Partial<Record<string, () => void>>

/** A box that is ticked takes no letters. */
const typed = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
/** What Enter and Space work by themselves. */
const pressed = 'a, button, summary, input, [role=button]'

/** The keys of a page; letters do nothing while a field has the focus or the person has turned them off, and nothing does under a dialog. */
export const useKeys = (keys: Keys) => {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector('[role="dialog"]')) return
      const isEnter = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
      const isIn = (what: string) => event.target instanceof Element && event.target.closest(what) !== null
      const isTyping = isIn(typed) || ((event.key === ' ' || event.key === 'Enter') && isIn(pressed))
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      const name = isEnter ? 'ctrl+enter' : isPlain && !isTyping ? event.key.toLowerCase() : ''
      const run = latest.current[name]
      if (!run || (name.length === 1 && name !== ' ' && areLettersOff())) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
