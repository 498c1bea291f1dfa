import { useCallback, useState } from 'react'

const around = (element: Element | null) => element?.closest('[role="dialog"], main') ?? document.body

/** Where a list that floats belongs: in the window or page of its field, so that it lies above it and within the same landmark. */
export const useLayer = () => {
  const [layer, setLayer] = useState<Element | null>(null)
  const ref = useCallback((element: Element | null) => {
    if (element) setLayer(around(element))
  }, [])
  return { ref, layer }
}

/** The same for cells, of which there are hundreds: asked when the list opens, of the field that has the focus then. */
export const layerOfFocus = () => around(document.activeElement)
