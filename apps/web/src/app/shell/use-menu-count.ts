import { criticalCallRoutes, criticalTopic } from '@lis/contract/critical-calls.ts'
import { instrumentResultRoutes, reviewTopic } from '@lis/contract/instrument-results.ts'
import { interfaceMessageRoutes, interfaceTopic } from '@lis/contract/interfaces.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
import { readList } from '../../ui/table/read-list.ts'
import type { MenuCount } from '../routes.ts'

const toDecide = { page: 1, perPage: 1, filters: { state: ['HELD', 'FAILED'] }, sort: null }
const toCall = { page: 1, perPage: 1, filters: { state: ['OPEN', 'TAKEN'] }, sort: null }
const toReview = { page: 1, perPage: 1, filters: {}, sort: null }
const pauseMs = 2000

/** The routes that are read again when the server reports a change of a topic. */
const sources: Record<MenuCount, { topic: string; path: string }> = {
  heldMessages: { topic: interfaceTopic, path: interfaceMessageRoutes.list.path },
  criticalCalls: { topic: criticalTopic, path: criticalCallRoutes.list.path },
  review: { topic: reviewTopic, path: instrumentResultRoutes.review.path },
}

/** The count of a menu item, read again when the server reports a change. */
export const useMenuCount = (count: MenuCount | undefined): number => {
  const client = useQueryClient()
  const held = useQuery({
    ...readList(interfaceMessageRoutes.list, undefined, toDecide),
    enabled: count === 'heldMessages',
  })
  const calls = useQuery({
    ...readList(criticalCallRoutes.list, undefined, toCall),
    enabled: count === 'criticalCalls',
  })
  const review = useQuery({
    ...readList(instrumentResultRoutes.review, undefined, toReview),
    enabled: count === 'review',
  })
  useEffect(() => {
    if (!count) return
    const { topic, path } = sources[count]
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = serverEvents.on(topic, () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void client.invalidateQueries({ queryKey: [path] })
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [count, client])
  if (count === 'criticalCalls') return calls.data?.total ?? 0
  if (count === 'review') return review.data?.total ?? 0
  // Every item asks by the same key, so that an item without a count has the data too.
  return count === 'heldMessages' ? (held.data?.total ?? 0) : 0
}
