import { useEffect, useRef } from 'react'
import { heldKeys } from './held-keys.ts'
import { hasLetterKeys } from './key-setting.ts'

/** By the key in lower case, or 'ctrl+enter'. */
type Keys = Partial<Record<string, () => void>>

/** A checkbox accepts no letters. */
const typed = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
/** Elements that handle Enter and Space themselves. */
const pressed = 'a, button, summary, input, [role=button]'

/**
 * The keyboard shortcuts of a page. Letters are ignored while a field has the focus, all keys under a dialog, and users can turn letters off
 * in their profile.
 */
export const useKeys = (keys: Keys) => {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const isUnderDialog = () => document.querySelector('[role="dialog"]') !== null
    const onKey = (event: KeyboardEvent) => {
      heldKeys.press({ key: event.key, at: event.timeStamp })
      if (isUnderDialog()) return
      const isEnter = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
      const isIn = (what: string) => event.target instanceof Element && event.target.closest(what) !== null
      const isTyping = isIn(typed) || ((event.key === ' ' || event.key === 'Enter') && isIn(pressed))
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      const name = isEnter ? 'ctrl+enter' : isPlain && !isTyping ? event.key.toLowerCase() : ''
      const isLetter = name.length === 1 && name !== ' '
      if (!latest.current[name] || (isLetter && !hasLetterKeys())) return
      event.preventDefault()
      const run = () => !isUnderDialog() && latest.current[name]?.()
      // A scanner never repeats a key.
      if (isLetter && !event.repeat) heldKeys.hold(run)
      else run()
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
      latest.current = {}
    }
  }, [])
}
