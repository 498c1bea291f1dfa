import { useDeferredValue } from 'react'

/**
 * Whether content that has just arrived should be rendered. The first render is interruptible, so that clicks are handled in between; later
 * updates are rendered at once.
 */
export const useDeferredMount = (isReady: boolean) => {
  const isMounted = useDeferredValue(isReady)
  return isMounted && isReady
}
