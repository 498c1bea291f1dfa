import { useEffect, useRef, useState } from 'react'

/**
 * A value that changes in bursts: the first change counts at once, those that follow within the pause count when it has passed. One
 * click answers immediately; ten quick ones on 'next page' ask the server twice, not ten times (TABLE-023).
 */
export const useSettled = <T>(value: T, pauseMs = 500): T => {
  const [settled, setSettled] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, settled)) return
    const now = performance.now()
    const isFirst = now - changedAt.current >= pauseMs
    changedAt.current = now
    const timer = setTimeout(() => setSettled(value), isFirst ? 0 : pauseMs)
    return () => clearTimeout(timer)
  }, [value, settled, pauseMs])
  return settled
}
