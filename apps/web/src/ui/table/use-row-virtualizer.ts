import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useState } from 'react'

/** Tables with more rows are virtualized. */
export const maxPlainRows = 100

interface RowVirtualizerOptions {
  count: number
  rowHeight: number
  scrollRef: RefObject<HTMLElement | null>
  keyOf: (index: number) => string | number
}

/** The visible rows of a long table. */
export const useRowVirtualizer = ({ count, rowHeight, scrollRef, keyOf }: RowVirtualizerOptions) => {
  // The frame is a parent, whose ref is set only after the children's effects: render a second time.
  const [, setRendered] = useState(false)
  useEffect(() => setRendered(true), [])
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
