const modifiers = ['Shift', 'CapsLock', 'Control', 'Alt', 'Meta']

/**
 * The letters of a scanned code are no shortcuts: the action of a letter waits until no other key has followed as fast
 * as from a scanner. If one has, both are ignored.
 */
export const createHeldKeys = (waitMs: number) => {
  let held: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY
  let isBurst = false
  const run = () => {
    const actions = held
    held = []
    for (const one of actions) one()
  }
  return {
    /** Called with every key, `at` in milliseconds; a second call with the same key has no effect. */
    press: ({ key, at }: { key: string; at: number }) => {
      if (at === last || modifiers.includes(key)) return
      isBurst = at - last < waitMs
      last = at
      clearTimeout(timer)
      if (isBurst) held = []
      // A busy page may be late with the timer: what was pressed first is done first.
      else run()
    },
    /** The action of the last key. */
    hold: (act: () => void) => {
      if (isBurst) return
      held.push(act)
      clearTimeout(timer)
      timer = setTimeout(run, waitMs)
    },
  }
}

/** Longer than the time between two keys of a scanner, shorter than between two of a person. */
export const heldKeys = createHeldKeys(60)
