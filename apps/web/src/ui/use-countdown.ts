import { useEffect, useRef } from 'react'

/** Calls `onEnd` once when the time has run; while held, time stands still. */
export const useCountdown = (durationMs: number, isHeld: boolean, onEnd: () => void) => {
  const left = useRef(durationMs)
  useEffect(() => {
    if (isHeld) return
    const startedAt = performance.now()
    const timer = setTimeout(onEnd, left.current)
    return () => {
      clearTimeout(timer)
      left.current -= performance.now() - startedAt
    }
  }, [isHeld, onEnd])
}
