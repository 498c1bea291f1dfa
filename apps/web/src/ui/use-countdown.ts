import { useEffect, useRef } from 'react'

/** Calls `onEnd` once after `durationMs`; pauses while `isHeld`, and restarts for each new `turn`. */
export const useCountdown = (durationMs: number, isHeld: boolean, onEnd: () => void, turn = 0) => {
  const left = useRef({ ms: durationMs, turn })
  useEffect(() => {
    if (left.current.turn !== turn) left.current = { ms: durationMs, turn }
    if (isHeld) return
    const startedAt = performance.now()
    const timer = setTimeout(onEnd, left.current.ms)
    return () => {
      clearTimeout(timer)
      left.current.ms -= performance.now() - startedAt
    }
  }, [durationMs, isHeld, onEnd, turn])
}
