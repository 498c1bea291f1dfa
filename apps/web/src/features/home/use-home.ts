import { homeRoutes, homeTopic } from '@lis/contract/home.ts'
import { homePracticeRoutes } from '@lis/contract/home-practice.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
import { read } from '../../lib/query.ts'

/** Changes are shown within two seconds; the random part prevents many screens from asking at the same time. */
const minDelayMs = 300
const spreadMs = 900
/** Ages increase without any change on the server. */
const refreshMs = 60_000

const { newResults, wanted, clients } = homePracticeRoutes
/** Home, and the list that it may show in full. */
const routes = [homeRoutes.read, newResults, wanted, clients]

/** Home as it is now: read again when the server reports a change by anybody, and every minute. */
export const useHome = () => {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = () => {
      timer = undefined
      for (const { path } of routes) void client.invalidateQueries({ queryKey: [path] })
    }
    const stop = serverEvents.on(homeTopic, () => {
      timer ??= setTimeout(readAgain, minDelayMs + Math.random() * spreadMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
  return useQuery({ ...read(homeRoutes.read), staleTime: 0, refetchInterval: refreshMs })
}
