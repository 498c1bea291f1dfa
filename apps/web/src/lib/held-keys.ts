/**
 * The letters of a scanned code are not meant for the page: what a letter does waits until no other key follows as fast as from a scanner,
 * and is dropped when a scan has been read.
 */
export const createHeldKeys = (waitMs: number) => {
  let held: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const runAll = () => {
    clearTimeout(timer)
    const actions = held
    held = []
    for (const act of actions) act()
  }
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(runAll, waitMs)
  }
  return {
    hold: (act: () => void) => {
      held.push(act)
      wait()
    },
    /** Another key was pressed. */
    keepWaiting: () => {
      if (held.length > 0) wait()
    },
    runAll,
    drop: () => {
      clearTimeout(timer)
      held = []
    },
  }
}

/** Longer than the time between two keys of a scanner. */
export const heldKeys = createHeldKeys(80)
