import { useCallback, useState } from 'react'

/** Where a list that floats belongs: in the window or page of its field, so that it lies above it and within the same landmark. */
export const useLayer = () => {
  const [layer, setLayer] = useState<Element | null>(null)
  const ref = useCallback((element: Element | null) => {
    if (element) setLayer(element.closest('[role="dialog"], main') ?? document.body)
  }, [])
  return { ref, layer }
}
