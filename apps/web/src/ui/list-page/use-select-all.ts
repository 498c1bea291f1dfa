import { useQueryClient } from '@tanstack/react-query'
import { type ListAddress, toListQuery } from '../../lib/list-address.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useNotify } from '../notices.tsx'
import { loadFailureText } from '../table/load-failure-text.ts'
import { isCancelled, type ListRoute, type RouteParams, type RowId, readList } from '../table/read-list.ts'
import type { RowSelection } from '../table/table-model.ts'

/** As many as one bulk action does quickly, and as a person can answer for. */
const mostSelected = 1000
/** What the server gives at once. */
const atOnce = 500

interface SelectAllOf<Row> {
  route: ListRoute<Row>
  params: RouteParams | undefined
  address: ListAddress
  total: number | undefined
  selection: RowSelection<Row>
}

export interface SelectAll {
  /** 'Select all 312' */
  label: string
  isBusy: boolean
  run: () => void
}

/** Ticks what the list holds beyond this page, in the order shown; undefined where the page is all there is. */
export const useSelectAll = <Row extends { id: RowId }>(list: SelectAllOf<Row>): SelectAll | undefined => {
  const { route, params, address, total = 0, selection } = list
  const client = useQueryClient()
  const notify = useNotify()
  const [isBusy, whileBusy] = useBusy()
  if (total <= address.perPage) return undefined
  const count = Math.min(total, mostSelected)
  const run = () =>
    whileBusy(
      async () => {
        const found = new Map<RowId, Row>()
        for (let page = 1; page <= Math.ceil(count / atOnce); page++) {
          const query = { ...toListQuery(address), page, perPage: atOnce }
          const { data } = await client.fetchQuery({ ...readList(route, params, query), staleTime: 0, gcTime: 0 })
          for (const row of data) found.set(row.id, row)
        }
        selection.take([...found.values()].slice(0, mostSelected))
      },
      (error) => {
        if (!isCancelled(error)) notify.error(loadFailureText(error as Error))
      },
    )
  const name = count.toLocaleString('en-US')
  return { label: total > count ? `Select the first ${name}` : `Select all ${name}`, isBusy, run }
}
