import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** By address of the list, as long as the page is not loaded again. */
const positions = new Map<string, number>()
/** Rows are mounted some frames after they were read. */
const longestWaitFrames = 60

/** Restores the scroll position of a list after Back. */
export const useKeptScroll = (isOn: boolean, hasRows: boolean) => {
  const { pathname, search } = useLocation()
  const address = pathname + search
  const [isReturn] = useState(useNavigationType() === 'POP')
  const ref = useRef<HTMLElement>(null)
  const isDone = useRef(!isReturn)
  useEffect(() => {
    const frame = ref.current
    if (!isOn || !frame) return
    const keep = () => positions.set(address, frame.scrollTop)
    frame.addEventListener('scroll', keep, { passive: true })
    return () => frame.removeEventListener('scroll', keep)
  }, [isOn, address])
  useEffect(() => {
    const top = positions.get(address) ?? 0
    if (!isOn || !hasRows || isDone.current || top === 0) return
    isDone.current = true
    let frames = 0
    let next = requestAnimationFrame(function restore() {
      const frame = ref.current
      if (!frame) return
      if (frame.scrollHeight - frame.clientHeight >= top || ++frames > longestWaitFrames) frame.scrollTop = top
      else next = requestAnimationFrame(restore)
    })
    return () => cancelAnimationFrame(next)
  }, [isOn, hasRows, address])
  return ref
}
