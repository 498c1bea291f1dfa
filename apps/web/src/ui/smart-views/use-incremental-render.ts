import { startTransition, useEffect, useState } from 'react'

/**
 * How many of `count` items to render: none at first, then some more after each render. A long form is rendered in short steps, between
 * which the browser handles input.
 */
export const useIncrementalRender = (count: number, size: number, isImmediate: boolean): number => {
  const [rendered, setDrawn] = useState(isImmediate ? Number.POSITIVE_INFINITY : 0)
  useEffect(() => {
    if (rendered < count)
      startTransition(() => setDrawn(rendered + size < count ? rendered + size : Number.POSITIVE_INFINITY))
  }, [rendered, count, size])
  return rendered
}
