import {
  deskTabStates,
  type InterfaceMessage,
  interfaceMessageRoutes,
  interfaceRoutes,
  interfaceTopic,
  type MessageState,
} from '@lis/contract/interfaces.ts'
import { type Filters, formatListQuery } from '@lis/contract/kit/list-query.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
import { read } from '../../lib/query.ts'
import { useAddressParams } from '../../lib/use-address-params.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'

/** The selection, from the address. */
export interface DeskAddress {
  show: DeskTab
  direction: '' | 'IN' | 'OUT'
  interfaceId: string
  search: string
  messageId: number | null
}
type Change = Partial<Record<'show' | 'direction' | 'interfaceId' | 'search' | 'message', string>>

export type DeskTab = keyof typeof deskTabStates
export const deskTabs: readonly (readonly [DeskTab, string])[] = [
  ['all', 'All'],
  ['waiting', 'To decide'],
  ['HELD', 'Held'],
  ['FAILED', 'Failed'],
  ['RETRYING', 'Retrying'],
  ['ACCEPTED', 'Accepted'],
  ['REJECTED', 'Rejected'],
]

export const useDeskAddress = () => {
  const [params, change] = useAddressParams()
  const text = (name: string) => params.get(name) ?? ''
  const address: DeskAddress = {
    show: Object.hasOwn(deskTabStates, text('show')) ? (text('show') as DeskTab) : 'all',
    direction: ['IN', 'OUT'].includes(text('direction')) ? (text('direction') as 'IN' | 'OUT') : '',
    interfaceId: /^\d{1,9}$/.test(text('interfaceId')) ? text('interfaceId') : '',
    search: text('search'),
    messageId: /^\d{1,15}$/.test(text('message')) ? Number(text('message')) : null,
  }
  return { address, change: (wanted: Change) => change(wanted) }
}

const filtersOf = ({ direction, interfaceId, search }: DeskAddress, states: readonly string[]): Filters => ({
  ...(states.length > 0 && { state: [...states] }),
  ...(direction && { direction }),
  ...(interfaceId && { interfaceId }),
  ...(search && { search }),
})

/** Messages that need a decision, or are still being processed. */
const openStates: readonly MessageState[] = ['HELD', 'FAILED', 'RETRYING', 'RECEIVED']
const settledStates: readonly MessageState[] = ['ACCEPTED', 'SENT', 'REJECTED', 'DISMISSED']
const mostRows = 100
const refreshMs = 60_000

/** The messages of a tab; those that need a decision come first. */
export const useDesk = (address: DeskAddress) => {
  const isAll = address.show === 'all'
  const rowsOf = (states: readonly string[]) =>
    readList(interfaceMessageRoutes.list, undefined, {
      ...allRows,
      perPage: mostRows,
      filters: filtersOf(address, states),
    })
  const open = useQuery({ ...rowsOf(isAll ? openStates : deskTabStates[address.show]), refetchInterval: refreshMs })
  const settled = useQuery({ ...rowsOf(settledStates), enabled: isAll, refetchInterval: refreshMs })
  const counts = useQuery(
    read(interfaceMessageRoutes.stateCount, {
      query: formatListQuery({ ...allRows, filters: filtersOf(address, []) }) as never,
    }),
  )
  useLiveDesk()
  const first = [...(open.data?.data ?? [])].sort((one, other) => rank(one) - rank(other))
  const messages = [...first, ...(isAll ? (settled.data?.data ?? []) : [])]
  return {
    messages,
    /** Undefined until they have come. */
    counts: counts.data?.data,
    total: (open.data?.total ?? 0) + (isAll ? (settled.data?.total ?? 0) : 0),
    isLoading: open.isPending || (isAll && settled.isPending),
    error: open.error ?? (isAll ? settled.error : null),
    readAt: open.dataUpdatedAt,
    retry: () => Promise.all([open.refetch(), settled.refetch()]),
  }
}

const rank = ({ state }: InterfaceMessage) => openStates.indexOf(state)

export const countOf = (counts: readonly { state: string; count: number }[], tab: DeskTab): number => {
  const states: readonly string[] = deskTabStates[tab]
  return counts.reduce(
    (sum, { state, count }) => (states.length === 0 || states.includes(state) ? sum + count : sum),
    0,
  )
}

const pauseMs = 500

/** Reads again what is listed when the server reports a change; the open message stays as it is until it is chosen again. */
const useLiveDesk = () => {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = serverEvents.on(interfaceTopic, () => {
      timer ??= setTimeout(() => {
        timer = undefined
        for (const route of [interfaceMessageRoutes.list, interfaceMessageRoutes.stateCount, interfaceRoutes.list])
          void client.invalidateQueries({ queryKey: [route.path] })
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
}

/** A row of the list: outgoing messages of a partner with the same fault are one. */
export interface MessageGroup {
  first: InterfaceMessage
  count: number
}

export const groupMessages = (messages: readonly InterfaceMessage[]): MessageGroup[] => {
  const groups = new Map<string, MessageGroup>()
  for (const message of messages) {
    const { id, direction, state, interfaceId, reason } = message
    const isSameFault = direction === 'OUT' && (state === 'RETRYING' || state === 'FAILED')
    const key = isSameFault ? `${state}|${interfaceId}|${reason}` : String(id)
    const group = groups.get(key)
    if (group) group.count++
    else groups.set(key, { first: message, count: 1 })
  }
  return [...groups.values()]
}
