import { formatListQuery } from '@lis/contract/kit/list-query.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import IconButton from '@mui/material/IconButton'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useMutation } from '@tanstack/react-query'
import { events } from '../../lib/events.ts'
import { type ListAddress, toListQuery } from '../../lib/list-address.ts'
import { ActionButton } from '../action-button.tsx'
import { DownloadIcon } from '../icons.tsx'
import { Spinner } from '../spinner.tsx'
import { callRoute, isCancelled, type RouteParams } from '../table/read-list.ts'
import { type DownloadOutcome, exportFailure, exportOutcome } from './download-outcome.ts'

/** Starts the download and shows a notice with a link in case it does not start, or the reason why there is no file. */
export const finishDownload = ({ type, message, url, remark, cause }: DownloadOutcome) => {
  if (url === undefined) return events.emit('notice', { type, message, cause })
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
  events.emit('notice', { type, message, downloadUrl: url })
  if (remark !== undefined) events.emit('notice', { type: 'warning', message: remark })
}

interface ExportAllProps {
  route: Route
  params?: RouteParams | undefined
  address: ListAddress
  /** How filters are sent beside `filterActive`: in one parameter `filter`, or each as its own. */
  filters?: ExportFilters | undefined
}

export type ExportFilters = 'together' | 'apart'

const queryOf = (address: ListAddress, filters: ExportFilters): Record<string, string | undefined> => {
  const query = toListQuery(address)
  const { filter, sort } = formatListQuery(query)
  if (filters === 'together') return { filter, sort, filterActive: 'true' }
  return {
    ...Object.fromEntries(Object.entries(query.filters).map(([name, value]) => [name, String(value)])),
    sort,
    filterActive: 'true',
  }
}

/** Downloads all rows that match the filter, in the order shown. */
export const ExportAll = ({ route, params, address, filters = 'together' }: ExportAllProps) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const { mutate, isPending } = useMutation({
    mutationFn: () => callRoute(route, { params, query: queryOf(address, filters) }),
    onSuccess: (reply) => finishDownload(exportOutcome(reply)),
    onError: (error) => isCancelled(error) || finishDownload(exportFailure(error)),
  })
  const start = () => !isPending && mutate()
  if (isSmall) {
    return (
      <IconButton aria-label="Export All" aria-busy={isPending} onClick={start}>
        {isPending ? <Spinner /> : <DownloadIcon />}
      </IconButton>
    )
  }
  return (
    <ActionButton startIcon={<DownloadIcon />} isBusy={isPending} onClick={start}>
      Export All
    </ActionButton>
  )
}
