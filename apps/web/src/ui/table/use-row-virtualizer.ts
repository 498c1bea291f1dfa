import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useState } from 'react'

/** More rows than this are drawn only where they can be seen. */
export const virtualFrom = 100

interface RowVirtualizerOptions {
  count: number
  rowHeight: number
  scrollRef: RefObject<HTMLElement | null>
  keyOf: (index: number) => string | number
}

/** The rows of a long table that are in view. */
export const useRowVirtualizer = ({ count, rowHeight, scrollRef, keyOf }: RowVirtualizerOptions) => {
  // The frame is a parent, and React hands out its element only after the children's own effects: look a second time.
  const [, setLooked] = useState(false)
  useEffect(() => setLooked(true), [])
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 12,
  })
  const items = virtualizer.getVirtualItems()
  return {
    items,
    before: items[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
    measure: virtualizer.measureElement,
  }
}
