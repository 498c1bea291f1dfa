import type { HomeQueue } from '@lis/contract/home.ts'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { events } from '../../lib/events.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { letterOf } from './queue-looks.tsx'

const pauseMs = 1500

/** G and a letter open a queue, the arrows move among the queues, and / searches. */
export const useQueueKeys = (queues: readonly HomeQueue[]) => {
  const navigate = useNavigate()
  const pressedG = useRef(0)
  const open = ({ link, count }: HomeQueue) => {
    const isSecond = Date.now() - pressedG.current < pauseMs
    pressedG.current = 0
    if (isSecond && count) navigate(link)
  }
  useKeys({
    ...Object.fromEntries(queues.map((queue) => [letterOf(queue.code) ?? queue.code, () => open(queue)])),
    g: () => {
      pressedG.current = Date.now()
    },
    arrowdown: () => focusQueue(1),
    arrowup: () => focusQueue(-1),
    '/': () => events.emit('quickJump', null),
  })
}

const focusQueue = (step: 1 | -1) => {
  const links = [...document.querySelectorAll<HTMLElement>('[data-queues] a')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = at < 0 ? (step === 1 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + step))
  links[next]?.focus()
}
