import { formatListQuery } from '@lis/contract/kit/list-query.ts'
import { smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useNotify } from '../notices.tsx'
import type { SavedView } from './use-saved-views.ts'

const idOf = (text: string | null) => (/^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined)

const readView = (id: number) =>
  read(smartFilterRoutes.list, {
    query: formatListQuery({ page: 1, perPage: 1, filters: { id: String(id) }, sort: null }),
  })

/** The view that the address names (`?view=12`): one's own or a shared one. One that has ended is reported and left out. */
export const useOpenView = (): { view: SavedView | undefined; isLoading: boolean } => {
  const [params, setParams] = useSearchParams()
  const notify = useNotify()
  const id = idOf(params.get('view'))
  const { data, error } = useQuery({ ...readView(id ?? 0), enabled: id !== undefined })
  const view = id === undefined ? undefined : data?.data[0]
  const hasEnded = id !== undefined && (error !== null || (data !== undefined && view === undefined))
  useEffect(() => {
    if (!hasEnded) return
    notify.warning(
      'This view has ended: its owner has deleted it or no longer shares it. The list is shown without it. Choose another under Smart Views.',
    )
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('view', '0')
        return next
      },
      { replace: true },
    )
  }, [hasEnded, notify, setParams])
  return { view, isLoading: id !== undefined && view === undefined }
}
