import { can } from '@lis/contract/access/permissions.ts'
import { criticalTopic } from '@lis/contract/critical-calls.ts'
import { homeRoutes, homeTopic, type MenuQueue } from '@lis/contract/home.ts'
import { reviewTopic } from '@lis/contract/instrument-results.ts'
import { interfaceTopic } from '@lis/contract/interfaces.ts'
import { qcTopic } from '@lis/contract/quality-control.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'

/** How soon after a change of a topic the numbers are read again. Home changes with every requisition. */
const pauses: Record<string, number> = {
  [criticalTopic]: 2000,
  [reviewTopic]: 2000,
  [interfaceTopic]: 2000,
  [qcTopic]: 2000,
  [homeTopic]: 15_000,
}
/** Limits pass without any change on the server. */
const refreshMs = 60_000

/** The numbers beside the items of the menu. */
export const useMenuCounts = () => {
  const isEnabled = can(useRole(), homeRoutes.counts.access)
  const { data } = useQuery({ ...read(homeRoutes.counts), enabled: isEnabled, refetchInterval: refreshMs })
  return data?.data
}

export const useMenuCount = (code: MenuQueue | undefined) => {
  const found = useMenuCounts()?.queues.find((queue) => queue.code === code)
  return { count: found?.count ?? 0, isLate: found?.state === 'LATE' }
}

/** Keeps the numbers up to date; used once. */
export const useLiveMenuCounts = () => {
  const client = useQueryClient()
  useEffect(() => {
    const timers = new Map<string, ReturnType<typeof setTimeout>>()
    const readAgain = (topic: string) => {
      timers.delete(topic)
      void client.invalidateQueries({ queryKey: [homeRoutes.counts.path] })
    }
    const stops = Object.entries(pauses).map(([topic, pauseMs]) =>
      serverEvents.on(topic, () => {
        if (!timers.has(topic))
          timers.set(
            topic,
            setTimeout(() => readAgain(topic), pauseMs),
          )
      }),
    )
    return () => {
      for (const stop of stops) stop()
      for (const timer of timers.values()) clearTimeout(timer)
    }
  }, [client])
}
