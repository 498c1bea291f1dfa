import type { Role } from '@lis/contract/access/roles.ts'
import { findView, type RequisitionView, viewFor } from '@lis/contract/requisitions/views.ts'
import { useEffect } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { useOpenView } from '../../ui/smart-views/use-open-view.ts'
import { useListSettings } from '../../ui/use-list-settings.ts'

/**
 * The tab that the address names. Without one, that of the view in the address, else the tab that was open last; it is then added to the
 * address. An address with filters and no tab, as links have it, is shown on the first tab: the rows may not be on the last one. A tab that the role does not have is removed from the address, and the first tab is shown. False while that is not known.
 */
export const useTabOfAddress = (role: Role): { view: RequisitionView; isReady: boolean } => {
  const [params, setParams] = useSearchParams()
  const { isReady, settings, save } = useListSettings('requisitions')
  const opened = useOpenView()
  const named = params.get('status')
  const isUnknown = named !== null && findView(named, role) === undefined
  const wasUnknown = (useLocation().state as { isTabUnknown?: boolean } | null)?.isTabUnknown === true
  useEffect(() => {
    if (!isUnknown) return
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete('status')
        return next
      },
      { replace: true, state: { isTabUnknown: true } },
    )
  }, [isUnknown, setParams])
  const last = params.has('smartFilter') ? undefined : settings?.tab
  const wanted =
    named !== null || wasUnknown || !isReady || opened.isLoading
      ? undefined
      : (findView(opened.view?.smartScreen.split('/')[1], role) ?? findView(last, role))
  const missing = wanted !== undefined && wanted !== viewFor(null, role) ? wanted : undefined
  useEffect(() => {
    if (missing === undefined) return
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('status', missing)
        return next
      },
      { replace: true },
    )
  }, [missing, setParams])
  const view = viewFor(named, role)
  const isKnown = isReady && (named !== null || (!opened.isLoading && missing === undefined))
  // A link to one view of another tab is not how the list was left.
  const isLeft = isKnown && findView(named, role) !== undefined && (settings?.tab ?? viewFor(null, role)) !== view
  useEffect(() => {
    if (isLeft) save({ tab: view })
  }, [isLeft, view, save])
  return { view, isReady: isKnown }
}
