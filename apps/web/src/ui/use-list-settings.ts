import type { BodyIn } from '@lis/contract/kit/route.ts'
import type { SettingsScreen } from '@lis/contract/list-columns.ts'
import { type ListSettings, listSettingsRoutes } from '@lis/contract/list-settings.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../lib/api.ts'
import { read } from '../lib/query.ts'
import { isViewing } from '../lib/session.ts'
import { useNotify } from './notices.tsx'

/** All settings are read at once, so that a page knows them before it requests its rows. */
export const allListSettings = read(listSettingsRoutes.all)

/** The settings of a list; `columns` null means the standard. */
type ListSettingsChange = Partial<BodyIn<typeof listSettingsRoutes.save>>

/** The settings of a list, and a function to change them: applied at once and saved for all devices. */
export const useListSettings = (screen: SettingsScreen) => {
  const client = useQueryClient()
  const notify = useNotify()
  const { data, isError } = useQuery(allListSettings)
  const settings = data?.data.find((one) => one.screen === screen)
  const show = useCallback(
    (change: (before: ListSettings | undefined) => ListSettings | undefined) =>
      client.setQueryData(allListSettings.queryKey, (before) => {
        const known = before ?? { data: [], defaultViews: [], message: '' }
        const changed = change(known.data.find((one) => one.screen === screen))
        const others = known.data.filter((one) => one.screen !== screen)
        return { ...known, data: changed ? [...others, changed] : others }
      }),
    [client, screen],
  )
  const failed = useCallback(
    (error: unknown) => notify.warning('The list could not be saved as you left it', { cause: error }),
    [notify],
  )
  const save = useCallback(
    (change: ListSettingsChange) => {
      client.cancelQueries({ queryKey: allListSettings.queryKey })
      show((before) => ({
        ...empty(screen),
        ...before,
        ...(change as Partial<ListSettings>),
        ...(change.columns && { isStandard: false }),
      }))
      if (!isViewing()) call(listSettingsRoutes.save, { params: { screen }, body: change }).catch(failed)
    },
    [client, show, screen, failed],
  )
  const reset = useCallback(() => {
    show((before) => before && { ...before, columns: [], isStandard: true })
    if (!isViewing()) call(listSettingsRoutes.save, { params: { screen }, body: { columns: null } }).catch(failed)
  }, [show, screen, failed])
  const defaultView = data?.defaultViews.find((one) => one.screen === screen)?.id
  return { isReady: data !== undefined || isError, settings, defaultView, save, reset }
}

const empty = (screen: string): ListSettings => ({
  screen,
  columns: [],
  isStandard: true,
  sort: [],
  tab: null,
  isFilterOpen: null,
  perPage: null,
})
