import { useQueryClient } from '@tanstack/react-query'
import { type ListAddress, toListQuery } from '../../lib/list-address.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useNotify } from '../notices.tsx'
import { loadFailureText } from '../table/load-failure-text.ts'
import { isCancelled, type ListRoute, type RouteParams, type RowId, readList } from '../table/read-list.ts'
import type { RowSelection } from '../table/table-model.ts'

/** Limit of a bulk action. */
const maxSelected = 1000
/** Rows per request. */
const pageSize = 500

interface SelectAllOptions<Row> {
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

/** Selects all rows of the list in the order shown, up to the limit; undefined if there is only one page. */
export const useSelectAll = <Row extends { id: RowId }>(list: SelectAllOptions<Row>): SelectAll | undefined => {
  const { route, params, address, total = 0, selection } = list
  const client = useQueryClient()
  const notify = useNotify()
  const [isBusy, whileBusy] = useBusy()
  if (total <= address.perPage) return undefined
  const count = Math.min(total, maxSelected)
  const run = () =>
    whileBusy(
      async () => {
        const found = new Map<RowId, Row>()
        for (let page = 1; page <= Math.ceil(count / pageSize); page++) {
          const query = { ...toListQuery(address), page, perPage: pageSize }
          const { data } = await client.fetchQuery({ ...readList(route, params, query), staleTime: 0, gcTime: 0 })
          for (const row of data) found.set(row.id, row)
        }
        selection.take([...found.values()].slice(0, maxSelected))
      },
      (error) => {
        if (!isCancelled(error)) notify.error(loadFailureText(error as Error))
      },
    )
  const name = count.toLocaleString('en-US')
  return { label: total > count ? `Select the first ${name}` : `Select all ${name}`, isBusy, run }
}
