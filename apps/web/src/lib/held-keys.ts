const modifiers = ['Shift', 'CapsLock', 'Control', 'Alt', 'Meta']

/**
 * The letters of a scanned code are not meant for the page: what a letter does waits until it is sure that no other key follows as fast as
 * from a scanner. Of keys that do, none does anything.
 */
export const createHeldKeys = (waitMs: number) => {
  let held: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY
  let isBurst = false
  return {
    /** Every key, `at` in milliseconds; called again for the same one it changes nothing. */
    press: ({ key, at }: { key: string; at: number }) => {
      if (at === last || modifiers.includes(key)) return
      isBurst = at - last < waitMs
      last = at
      if (!isBurst) return
      clearTimeout(timer)
      held = []
    },
    /** What the key that was pressed last does. */
    hold: (act: () => void) => {
      if (isBurst) return
      held.push(act)
      clearTimeout(timer)
      timer = setTimeout(() => {
        const actions = held
        held = []
        for (const one of actions) one()
      }, waitMs)
    },
  }
}

/** Longer than the time between two keys of a scanner, shorter than between two of a person. */
export const heldKeys = createHeldKeys(60)
