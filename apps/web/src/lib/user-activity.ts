/** Without input for this long, the user counts as away. */
export const idleAfterMs = 60_000

/** Whether the user is active in this tab, judged by input; opening the page counts as input. */
export const createActivityTracker = (watchInput: (listener: () => void) => void, now: () => number) => {
  let lastInputAt = now()
  watchInput(() => {
    lastInputAt = now()
  })
  return { isUserActive: () => now() - lastInputAt < idleAfterMs }
}

// `input` besides `keydown`: dictated text, or text filled in by the browser.
const inputEvents = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'input'] as const

const watchInput = (listener: () => void) => {
  for (const name of inputEvents) window.addEventListener(name, listener, { capture: true, passive: true })
}

export const trackActivity = () => createActivityTracker(watchInput, Date.now)
