/** Somebody who has not touched mouse, keys or screen for this long counts as away. */
export const awayAfterMs = 60_000

/** Whether somebody is at this tab, judged by its input; who opens the page is there. */
export const createAttendance = (watchInput: (listener: () => void) => void, now: () => number) => {
  let lastInputAt = now()
  watchInput(() => {
    lastInputAt = now()
  })
  return { isAttended: () => now() - lastInputAt < awayAfterMs }
}

// `input` besides the keys: words that are dictated, or filled in by the browser.
const signsOfLife = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'input'] as const

const watchInput = (listener: () => void) => {
  for (const name of signsOfLife) window.addEventListener(name, listener, { capture: true, passive: true })
}

/** Of this tab. */
export const openAttendance = () => createAttendance(watchInput, Date.now)
