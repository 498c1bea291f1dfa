import { useEffect, useRef, useState } from 'react'

/**
 * Throttles a value: the first change applies at once, further ones within `pauseMs` apply when it has passed. Ten quick clicks on 'next
 * page' send two requests, not ten (TABLE-023).
 */
export const useThrottled = <T>(value: T, pauseMs = 500): T => {
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
