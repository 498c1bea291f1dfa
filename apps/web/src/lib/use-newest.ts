import { useCallback, useEffect, useRef } from 'react'

/**
 * For answers that lead somewhere: each wait is begun, and later asked whether it still counts. It does not when another has begun after
 * it, or when the place that asked is gone: who has scanned the next tube must not be led back to the one before.
 */
export const useNewest = () => {
  const count = useRef(0)
  const begin = useCallback(() => {
    count.current += 1
    const mine = count.current
    return () => mine === count.current
  }, [])
  useEffect(() => () => void begin(), [begin])
  return begin
}
