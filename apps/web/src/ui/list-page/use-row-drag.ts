import { type PointerEvent, useState } from 'react'

interface Target {
  name: string
  isAfter: boolean
}

/** Moves an item of a list by its handle, with mouse, pen or finger; items are marked by `data-column`. */
export const useRowDrag = (onDrop: (name: string, target: Target) => void) => {
  const [moving, setMoving] = useState<string | null>(null)
  const [target, setTarget] = useState<Target | null>(null)
  const start = (event: PointerEvent<HTMLElement>, name: string) => {
    const handle = event.currentTarget
    const list = handle.closest('ul')
    if (!list || event.button !== 0) return
    event.preventDefault()
    handle.setPointerCapture(event.pointerId)
    setMoving(name)
    let last: Target | null = null
    const follow = ({ clientY }: globalThis.PointerEvent) => {
      const items = [...list.querySelectorAll<HTMLElement>('[data-column]')]
      const over = items.findLast((item) => item.getBoundingClientRect().top <= clientY) ?? items[0]
      const box = over?.getBoundingClientRect()
      last = over && box ? { name: over.dataset.column ?? '', isAfter: clientY > box.top + box.height / 2 } : null
      setTarget(last)
    }
    const stop = (isDropped: boolean) => () => {
      handle.removeEventListener('pointermove', follow)
      handle.removeEventListener('pointerup', drop)
      handle.removeEventListener('pointercancel', cancel)
      setMoving(null)
      setTarget(null)
      if (isDropped && last && last.name !== name) onDrop(name, last)
    }
    const drop = stop(true)
    const cancel = stop(false)
    handle.addEventListener('pointermove', follow)
    handle.addEventListener('pointerup', drop)
    handle.addEventListener('pointercancel', cancel)
  }
  const classOf = (name: string) =>
    moving === name ? 'moving' : target?.name === name ? (target.isAfter ? 'drop-after' : 'drop-before') : undefined
  return { start, classOf }
}
