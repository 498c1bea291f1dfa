import { startTransition, useEffect, useState } from 'react'

/**
 * How many of `count` parts to draw: none at first, then some more each time those before are there. A long form so comes in short steps
 * between which the browser answers keys and clicks, and the page around it need not wait.
 */
export const useSlices = (count: number, size: number, isAtOnce: boolean): number => {
  const [drawn, setDrawn] = useState(isAtOnce ? Number.POSITIVE_INFINITY : 0)
  useEffect(() => {
    if (drawn < count) startTransition(() => setDrawn(drawn + size < count ? drawn + size : Number.POSITIVE_INFINITY))
  }, [drawn, count, size])
  return drawn
}
