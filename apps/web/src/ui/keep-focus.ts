/** On what `keepFocus` has given the focus to. */
const kept = 'data-kept-focus'

/** What had the focus has left the page, and nothing that a person chose has it. Where they have put it meanwhile, it stays. */
export const isFocusLost = () => {
  const { activeElement, body } = document
  return activeElement === null || activeElement === body || activeElement.hasAttribute(kept)
}

/** Parts of a page that are read out by a name. */
const named = 'section[aria-label], section[aria-labelledby], [role="dialog"], main'

/**
 * A button that goes away or is switched off under the finger takes the focus with it, and a keyboard would start again at the top of
 * the page. The nearest part of the page that is left takes it: the card, the table, or what had it before a window was opened.
 */
export const keepFocus = () => {
  let holder: HTMLElement | null = null
  /** From the holder outwards; beyond its window, what had the focus before. */
  let places: readonly HTMLElement[] = []

  const restore = () => {
    if (!holder || (holder.isConnected && !holder.matches(':disabled'))) return
    // What is switched off loses the focus only when the page is drawn.
    if (isFocusLost() || document.activeElement === holder) places.some(take)
  }
  // Not at once: a window that closes, or a form, may have a better place.
  const observer = new MutationObserver(() => requestAnimationFrame(restore))

  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return
    holder = target
    const ancestors = ancestorsOf(target)
    const part = target.closest<HTMLElement>('[role="dialog"], main') ?? target
    places = [
      target,
      ...ancestors.filter((place) => part.contains(place)),
      ...places.filter((place) => place.isConnected && !part.contains(place)),
    ]
    observer.disconnect()
    observer.observe(target, { attributeFilter: ['disabled'] })
    for (const ancestor of ancestors) observer.observe(ancestor, { childList: true })
  }
  // Whoever clicks beside everything has let go.
  const letGo = ({ target }: PointerEvent) => {
    if (!holder?.contains(target as Node)) holder = null
  }
  document.addEventListener('focusin', remember)
  document.addEventListener('pointerdown', letGo)
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', remember)
    document.removeEventListener('pointerdown', letGo)
  }
}

const ancestorsOf = ({ parentElement }: Element): HTMLElement[] =>
  parentElement ? [parentElement, ...ancestorsOf(parentElement)] : []

/** Gives the focus to a place if it can have it. */
const take = (place: HTMLElement): boolean => {
  if (place.matches(':disabled')) return false
  const isLent = place.matches(named) && !place.hasAttribute('tabindex')
  if (isLent) place.tabIndex = -1
  place.focus({ preventScroll: true })
  const isTaken = document.activeElement === place
  const giveBack = () => {
    place.removeAttribute(kept)
    if (isLent) place.removeAttribute('tabindex')
  }
  if (isTaken) {
    place.setAttribute(kept, '')
    place.addEventListener('blur', giveBack, { once: true })
  } else giveBack()
  return isTaken
}
