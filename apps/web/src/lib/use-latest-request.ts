import { useCallback, useEffect, useRef } from 'react'

/**
 * For answers that navigate: each request is begun, and later asked whether it is still the newest. It is not when another has begun since,
 * or the component is unmounted: after scanning the next tube, the user must not be sent back to the previous one.
 */
export const useLatestRequest = () => {
  const count = useRef(0)
  const begin = useCallback(() => {
    count.current += 1
    const mine = count.current
    return () => mine === count.current
  }, [])
  useEffect(() => () => void begin(), [begin])
  return begin
}
