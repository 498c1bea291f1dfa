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

  /** Whether keys have come that may be the beginning of a scan. */
  get isReading(): boolean {
    return this.#text !== ''
  }

  reset() {
    this.#text = ''
    this.#last = Number.NEGATIVE_INFINITY
  }
}

/** What the keys of a possible scan have changed on the page, and how it is taken back. */
let changes: (() => void)[] = []

/** For what a key changes beside the text of a field: how to take it back if the key turns out to be part of a scan. */
export const takeBackAfterScan = (takeBack: () => void) => {
  changes.push(takeBack)
}

/** Marks fields that handle scans themselves. */
export const ownScans = { 'data-scans': 'own' } as const

/**
 * Listens to a scanner on every page. A scan never submits a form, and a text field that had the focus is as it was before. Returns a
 * function that stops it.
 */
export const listenToScanner = (onScan: (code: string) => void): (() => void) => {
  const reader = new ScanReader()
  let focused: Element | null = null
  const onKey = (event: KeyboardEvent) => {
    const { target, key, timeStamp: at } = event
    heldKeys.press({ key, at })
    const isOwn = target instanceof Element && target.closest('[data-scans="own"]') !== null
    if (isOwn || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return reader.reset()
    if (reader.isFirst(at) && key.length === 1) {
      focused = document.activeElement
      changes = []
      remember(focused)
    }
    const code = reader.press({ key, at })
    if (code === null) return
    event.preventDefault()
    event.stopImmediatePropagation()
    for (const takeBack of changes.splice(0).reverse()) takeBack()
    focusAgain(focused)
    onScan(code)
  }
  // A field that is full passes the focus on: the rest of the code is typed into its neighbours.
  const onFocus = ({ target }: FocusEvent) => {
    if (reader.isReading) remember(target)
  }
  window.addEventListener('keydown', onKey, { capture: true })
  window.addEventListener('focusin', onFocus, { capture: true })
  return () => {
    window.removeEventListener('keydown', onKey, { capture: true })
    window.removeEventListener('focusin', onFocus, { capture: true })
  }
}

/** How a text field was before the first key that reached it. */
const remember = (field: EventTarget | null) => {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  const { value, selectionStart: start, selectionEnd: end } = field
  takeBackAfterScan(() => {
    if (field.value !== value) write(field, value)
    if (start !== null && end !== null) field.setSelectionRange(start, end)
  })
}

/** Through the setter of the element, so that React learns of it. */
const write = (field: HTMLInputElement | HTMLTextAreaElement, value: string) => {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

const focusAgain = (element: Element | null) => {
  if (element instanceof HTMLElement && element !== document.activeElement && element.isConnected)
    element.focus({ preventScroll: true })
}
