import { type KeyboardEvent, useRef } from 'react'

const stops =
  'input:not([type=hidden], [type=file], :disabled), textarea:not(:disabled), [role="combobox"]:not([aria-disabled="true"])'

/** The fields of a form in order; elements beside them are skipped, and a radio group counts once. */
const fieldsIn = (form: HTMLElement) =>
  [...form.querySelectorAll<HTMLElement>(stops)].filter(
    (element) => element.tabIndex >= 0 && element.closest('aside') === null && isFirstOfGroup(element),
  )

const isFirstOfGroup = (element: HTMLElement) => {
  if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true
  const group = [...element.ownerDocument.querySelectorAll<HTMLInputElement>('input[type=radio]')].filter(
    ({ name }) => name === element.name,
  )
  return element === (group.find(({ checked }) => checked) ?? group[0])
}

const textOf = (element: HTMLElement) =>
  element instanceof HTMLInputElement ? element.value : (element.textContent ?? '').replace(/[\s\u200B]/g, '')

/** Enter passes over fields that another field fills. */
const isPassedOver = (element: HTMLElement) => {
  const preset = element.closest('[data-preset]')?.getAttribute('data-preset')
  return preset === 'always' || (preset === 'filled' && textOf(element) !== '')
}

/** Moves the focus to the field after this one, or to the form's button after the last. */
export const goOn = (from: Element | null, isByEnter = false) => {
  const form = from?.closest('form')
  if (!form || !from) return
  const after = fieldsIn(form).filter(
    (element) =>
      (from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 && !isSameGroup(from, element),
  )
  const next =
    after.find((element) => !isByEnter || !isPassedOver(element)) ?? form.querySelector<HTMLElement>('[type=submit]')
  next?.focus()
  if (next instanceof HTMLInputElement && next.type !== 'radio' && next.type !== 'checkbox') next.select()
}

const isSameGroup = (one: Element, other: Element) =>
  one instanceof HTMLInputElement &&
  other instanceof HTMLInputElement &&
  one.type === 'radio' &&
  one.name === other.name

/** A field that takes what was typed when it is left must take it before it is sent. */
const commit = (target: HTMLElement) => {
  target.blur()
  target.focus({ preventScroll: true })
}

/** Forms for fast data entry: Enter moves on and never submits, Ctrl+Enter saves, Ctrl+Shift+Enter saves and starts the next record. */
export const useFormKeys = ({ save, saveAndNext }: { save: () => unknown; saveAndNext?: () => unknown }) => {
  const newest = useRef({ save, saveAndNext })
  newest.current = { save, saveAndNext }
  return {
    'data-enter-goes-on': true,
    onKeyDownCapture: (event: KeyboardEvent<HTMLElement>) => {
      const { target, currentTarget } = event
      if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(target instanceof HTMLElement)) return
      // Lists and dialogs are elsewhere in the document.
      if (!currentTarget.contains(target)) return
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault()
        event.stopPropagation()
        commit(target)
        const run = event.shiftKey ? newest.current.saveAndNext : newest.current.save
        run?.()
        return
      }
      enterIn(target, event)
    },
  }
}

const enterIn = (target: HTMLElement, event: KeyboardEvent<HTMLElement>) => {
  if (target.matches('button, a, textarea, [type=submit], [type=file]')) return
  const isOpen = target.getAttribute('aria-expanded') === 'true'
  const isTextBox = target instanceof HTMLInputElement
  if (isOpen && !isTextBox) return
  event.preventDefault()
  if (isOpen && isTextBox) {
    // The highlighted option is chosen first; a multi-select stays open for the next one.
    if (target.getAttribute('aria-activedescendant') && !target.closest('[data-several]'))
      setTimeout(() => goOn(target, true))
    return
  }
  event.stopPropagation()
  goOn(target, true)
}

/** Until the fields that depend on the choice can be used. */
const choiceMs = 60

/** Enter was pressed while the list was still being searched: moves on once the option is chosen, where Enter does so. */
export const goOnAfterChoice = (input: HTMLElement | null) => {
  if (input?.closest('[data-enter-goes-on]')) setTimeout(() => goOn(input, true), choiceMs)
}
