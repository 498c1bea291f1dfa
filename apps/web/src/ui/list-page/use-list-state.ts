import { formatSort, sortKeys, sortOf } from '@lis/contract/kit/list-query.ts'
import { type ListScreen, listColumns } from '@lis/contract/list-columns.ts'
import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useNavigationType, useSearchParams } from 'react-router'
import { type ChangeList, type ListAddress, type ListDefaults, useListAddress } from '../../lib/list-address.ts'
import { toEntries } from '../smart-views/smart-filter.ts'
import { useOpenView } from '../smart-views/use-open-view.ts'
import type { SavedView } from '../smart-views/use-saved-views.ts'
import { useListSettings } from '../use-list-settings.ts'
import { standardColumns } from './arrange-columns.ts'

export interface ListState {
  /** False until it is known how the user left the list. */
  isReady: boolean
  address: ListAddress
  change: ChangeList
  settings: ReturnType<typeof useListSettings>
  /** The view named by the address. */
  view: SavedView | undefined
  /** The filters are those of the view. */
  isAsSaved: boolean
  /** Columns of the open view that were changed since it was opened. */
  unsavedColumns: readonly ColumnSetting[] | null
  setUnsavedColumns: (columns: readonly ColumnSetting[] | null) => void
  /** Without an order of the user's own: 'Newest first' is offered. */
  isInStandardOrder: boolean
}

/**
 * The state of a list: the address, completed by the view that it names. A list opened without an order, a page size or a view gets those
 * it was left with, so that the address alone always says what is shown.
 */
export const useListState = (screen: ListScreen, defaults: ListDefaults): ListState => {
  const [raw, write] = useListAddress(defaults)
  const settings = useListSettings(screen)
  const { view, isLoading } = useOpenView()
  const isRestored = useRestoredAddress(settings)
  const hasOwnFilters = useSearchParams()[0].has('smartFilter')
  const address = useMemo(() => {
    if (!view) return raw
    const filters = hasOwnFilters ? raw.filters : toEntries(view.smartValues)
    return { ...raw, filters, sort: raw.sort ?? sortOf(view.sort ?? []) }
  }, [raw, view, hasOwnFilters])
  const [unsaved, setUnsaved] = useState<{ viewId: number; columns: readonly ColumnSetting[] } | null>(null)
  const { save } = settings
  const change: ChangeList = (wanted, options) => {
    // An open view keeps its own order; everything else is kept as the user's.
    if (wanted.sort !== undefined && !view && !options?.isCorrection && wanted.params?.view === undefined)
      save({ sort: sortKeys(wanted.sort) })
    if (wanted.perPage !== undefined) save({ perPage: wanted.perPage })
    // '0' is no view, not even the one that opens by default.
    const closesView = wanted.filters?.length === 0 && view !== undefined && wanted.params?.view === undefined
    write(closesView ? { ...wanted, params: { ...wanted.params, view: '0' } } : wanted, options)
  }
  return {
    isReady: settings.isReady && isRestored && !isLoading,
    address,
    change,
    settings,
    view,
    isAsSaved: view !== undefined && !hasOwnFilters,
    unsavedColumns: unsaved !== null && unsaved.viewId === view?.id ? unsaved.columns : null,
    setUnsavedColumns: (columns) => setUnsaved(columns && view ? { viewId: view.id, columns } : null),
    isInStandardOrder: address.sort === null && (settings.settings?.sort.length ?? 0) === 0,
  }
}

/** The columns of a list: those of the open view, the user's, or the standard ones. */
export const chosenColumns = (
  screen: ListScreen,
  { view, settings: { settings } }: ListState,
): readonly ColumnSetting[] => {
  if (view?.columns && view.columns.length > 0) return view.columns
  return settings && !settings.isStandard ? settings.columns : standardColumns(listColumns[screen])
}

/** Adds to the address of a list that has just been opened how the user left it. False until that is done. */
const useRestoredAddress = ({ isReady, settings, defaultView }: ListState['settings']): boolean => {
  const [params, setParams] = useSearchParams()
  const { key } = useLocation()
  const isBack = useNavigationType() === 'POP'
  const opened = useRef<string>(undefined)
  const isOpening = isReady && opened.current !== key && (opened.current === undefined || !isBack)
  const missing: Record<string, string> = {}
  if (isOpening) {
    const sort = formatSort(sortOf(settings?.sort ?? []))
    const hasView = params.has('view') || params.has('smartFilter')
    if (!params.has('view') && !params.has('sort') && sort) missing.sort = sort
    if (!params.has('perPage') && settings?.perPage) missing.perPage = String(settings.perPage)
    if (!hasView && defaultView !== undefined) missing.view = String(defaultView)
    if (missing.view) delete missing.sort
  }
  const added = JSON.stringify(missing)
  useEffect(() => {
    if (!isReady) return
    opened.current = key
    const wanted = Object.entries(JSON.parse(added) as Record<string, string>)
    if (wanted.length === 0) return
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, text] of wanted) next.set(name, text)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }, [isReady, key, added, setParams])
  return isReady && added === '{}'
}
