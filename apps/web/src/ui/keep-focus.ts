/** Marks the element that `keepFocus` has focused. */
const keptFocusAttribute = 'data-kept-focus'

/** The focused element has left the page and the user has not focused another one. */
export const isFocusLost = () => {
  const { activeElement, body } = document
  return activeElement === null || activeElement === body || activeElement.hasAttribute(keptFocusAttribute)
}

/** Parts of a page with an accessible name. */
const named = 'section[aria-label], section[aria-labelledby], [role="dialog"], main'

/**
 * When the focused button is removed or disabled, the browser moves the focus to the top of the page. This moves it to the nearest
 * remaining part of the page instead: the card, the table, or what was focused before a dialog opened.
 */
export const keepFocus = () => {
  let focused: HTMLElement | null = null
  /** Ancestors of the focused element; after those inside its dialog, the ones of the previously focused element. */
  let places: readonly HTMLElement[] = []

  const restore = () => {
    if (!focused || (focused.isConnected && !focused.matches(':disabled'))) return
    // A disabled element loses the focus only at the next paint.
    if (isFocusLost() || document.activeElement === focused) places.some(tryFocus)
  }
  // Delayed, because a closing dialog or a form may set the focus itself.
  const observer = new MutationObserver(() => requestAnimationFrame(restore))

  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return
    focused = target
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
  // A click outside every control gives up the focus on purpose.
  const release = ({ target }: PointerEvent) => {
    if (!focused?.contains(target as Node)) focused = null
  }
  document.addEventListener('focusin', remember)
  document.addEventListener('pointerdown', release)
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', remember)
    document.removeEventListener('pointerdown', release)
  }
}

const ancestorsOf = ({ parentElement }: Element): HTMLElement[] =>
  parentElement ? [parentElement, ...ancestorsOf(parentElement)] : []

/** Focuses an element if it can be focused. */
const tryFocus = (place: HTMLElement): boolean => {
  if (place.matches(':disabled')) return false
  const isLent = place.matches(named) && !place.hasAttribute('tabindex')
  if (isLent) place.tabIndex = -1
  place.focus({ preventScroll: true })
  const isTaken = document.activeElement === place
  const giveBack = () => {
    place.removeAttribute(keptFocusAttribute)
    if (isLent) place.removeAttribute('tabindex')
  }
  if (isTaken) {
    place.setAttribute(keptFocusAttribute, '')
    place.addEventListener('blur', giveBack, { once: true })
  } else giveBack()
  return isTaken
}
