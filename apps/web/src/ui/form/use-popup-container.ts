import { useCallback, useState } from 'react'

const containerOf = (element: Element | null) => element?.closest('[role="dialog"], main') ?? document.body

/** Container for floating lists: the dialog or page of the field, so that they are above it and within the same landmark. */
export const usePopupContainer = () => {
  const [layer, setLayer] = useState<Element | null>(null)
  const ref = useCallback((element: Element | null) => {
    if (element) setLayer(containerOf(element))
  }, [])
  return { ref, layer }
}

/** The same for table cells, of which there are hundreds: determined when the list opens. */
export const focusedPopupContainer = () => containerOf(document.activeElement)
