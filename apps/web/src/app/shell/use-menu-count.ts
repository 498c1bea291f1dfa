import { interfaceMessageRoutes, interfaceTopic } from '@lis/contract/interfaces.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
import { read } from '../../lib/query.ts'
import type { MenuCount } from '../routes.ts'

const waiting = { page: 1, perPage: -1, filters: { state: ['HELD', 'FAILED'] }, sort: null }
const pauseMs = 2000

/** What waits behind a menu item, read again when the server reports a change. */
export const useMenuCount = (count: MenuCount | undefined): number => {
  const isWanted = count === 'heldMessages'
  const client = useQueryClient()
  const { data } = useQuery({ ...read(interfaceMessageRoutes.stateCount, { query: waiting }), enabled: isWanted })
  useEffect(() => {
    if (!isWanted) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = serverEvents.on(interfaceTopic, () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void client.invalidateQueries({ queryKey: [interfaceMessageRoutes.stateCount.path] })
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [isWanted, client])
  return data?.data.reduce((sum, row) => sum + row.count, 0) ?? 0
}
