import { heldKeys } from './held-keys.ts'

/** A scanner types faster than anybody, and ends with Enter or Tab. */
const fastestTypingMs = 50
const shortestCode = 4

interface Key {
  key: string
  /** When it was pressed, in milliseconds. */
  at: number
}

/** Tells scans from typing by the times between the keys. */
export class ScanReader {
  #text = ''
  #last = Number.NEGATIVE_INFINITY

  /** The code, if this key ends a scan. */
  press({ key, at }: Key): string | null {
    const isFast = at - this.#last < fastestTypingMs
    if (key === 'Enter' || key === 'Tab') {
      const code = isFast && this.#text.length >= shortestCode ? this.#text : null
      this.reset()
      return code
    }
    // Capitals and symbols come with a modifier key of their own.
    if (key === 'Shift' || key === 'CapsLock') return null
    if (key.length !== 1) {
      this.reset()
      return null
    }
    this.#text = isFast ? this.#text + key : key
    this.#last = at
    return null
  }

  /** Whether the next key begins a new text. */
  isFirst(at: number): boolean {
    return this.#text === '' || at - this.#last >= fastestTypingMs
  }

  reset() {
    this.#text = ''
    this.#last = Number.NEGATIVE_INFINITY
  }
}

interface FieldBefore {
  field: HTMLInputElement | HTMLTextAreaElement
  value: string
  selection: readonly [number | null, number | null]
}

/** Marks fields that handle scans themselves. */
export const ownScans = { 'data-scans': 'own' } as const

/**
 * Listens to a scanner on every page. A scan never submits a form, and a text field that had the focus is as it was before. Returns a
 * function that stops it.
 */
export const listenToScanner = (onScan: (code: string) => void): (() => void) => {
  const reader = new ScanReader()
  let before: FieldBefore | null = null
  const onKey = (event: KeyboardEvent) => {
    const { target, key, timeStamp: at } = event
    heldKeys.press({ key, at })
    const isOwn = target instanceof Element && target.closest('[data-scans="own"]') !== null
    if (isOwn || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return reader.reset()
    if (reader.isFirst(at) && key.length === 1) before = fieldOf(target)
    const code = reader.press({ key, at })
    if (code === null) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (before) restore(before)
    onScan(code)
  }
  window.addEventListener('keydown', onKey, { capture: true })
  return () => window.removeEventListener('keydown', onKey, { capture: true })
}

const fieldOf = (target: EventTarget | null): FieldBefore | null => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return null
  return { field: target, value: target.value, selection: [target.selectionStart, target.selectionEnd] }
}

/** Through the setter of the element, so that React learns of it. */
const restore = ({ field, value, selection: [start, end] }: FieldBefore) => {
  if (field.value === value) return
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  if (start !== null && end !== null) field.setSelectionRange(start, end)
}
