import { useDeferredValue } from 'react'

/**
 * Whether what has just come is to be drawn. Its first drawing is done in slices, so that a click is answered in between, and shown at
 * once at the end; what comes later takes the place of what stands there without delay.
 */
export const useInSlices = (isThere: boolean) => {
  const isDrawn = useDeferredValue(isThere)
  return isDrawn && isThere
}
