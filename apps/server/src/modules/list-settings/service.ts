import { columnsOfScreen, type ListColumns } from '@lis/contract/list-columns.ts'
import type { ColumnSetting, ListSettings, ListSettingsInput } from '@lis/contract/list-settings.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import {
  findStoredSettings,
  listStoredSettings,
  lockSettings,
  removeStoredSettings,
  type StoredSettings,
  saveStoredSettings,
} from './queries.ts'

export const listSettings = async (db: Db, userId: number): Promise<ListSettings[]> => {
  const stored = await listStoredSettings(db, userId)
  // A list of an older version may no longer exist.
  return stored.filter(({ screen }) => columnsOfScreen(screen) !== undefined).map(settingsOf)
}

export const getListSettings = async (db: Db, userId: number, screen: string): Promise<ListSettings> => {
  requireScreen(screen)
  return settingsOf((await findStoredSettings(db, userId, screen)) ?? empty(screen))
}

/** Saves the fields that are sent and keeps the others. Unknown names are dropped and returned. */
export const saveListSettings = async (
  { db, actor }: WriteCall,
  screen: string,
  sent: ListSettingsInput,
): Promise<ListSettings & { dropped: string[] }> => {
  const list = requireScreen(screen)
  const columns = sent.columns && knownColumns(list, sent.columns)
  const sort = sent.sort && knownSorts(list, sent.sort)
  await lockSettings(db, actor.userId, screen)
  const before = (await findStoredSettings(db, actor.userId, screen)) ?? empty(screen)
  const after: StoredSettings = {
    ...before,
    ...(sent.columns !== undefined && { columns: columns?.known ?? null }),
    ...(sort && { sort: sort.known }),
    ...(sent.tab !== undefined && { tab: sent.tab }),
    ...(sent.isFilterOpen !== undefined && { isFilterOpen: sent.isFilterOpen }),
    ...(sent.perPage !== undefined && { perPage: sent.perPage }),
  }
  await saveStoredSettings(db, actor.userId, after)
  return { ...settingsOf(after), dropped: [...(columns?.dropped ?? []), ...(sort?.dropped ?? [])] }
}

export const resetListSettings = async ({ db, actor }: WriteCall, screen: string) => {
  requireScreen(screen)
  await removeStoredSettings(db, actor.userId, screen)
}

const empty = (screen: string): StoredSettings => ({
  screen,
  columns: null,
  sort: [],
  tab: null,
  isFilterOpen: null,
  perPage: null,
})

const requireScreen = (screen: string): ListColumns => {
  const list = columnsOfScreen(screen)
  if (!list) throw notFound('List')
  return list
}

const standardColumns = ({ columns, hidden = [], pinned = [] }: ListColumns): ColumnSetting[] =>
  columns.map((name) => ({ name, isVisible: !hidden.includes(name), width: null, isPinned: pinned.includes(name) }))

/** Columns added since the settings were saved come last, as in the standard order. */
const settingsOf = (stored: StoredSettings): ListSettings => {
  const list = requireScreen(stored.screen)
  const standard = standardColumns(list)
  const saved = (stored.columns ?? []).filter(({ name }) => list.columns.includes(name))
  const others = standard.filter(({ name }) => !saved.some((column) => column.name === name))
  return { ...stored, columns: [...saved, ...others], isStandard: stored.columns === null }
}

const knownColumns = (list: ListColumns, sent: readonly ColumnSetting[]) => {
  const hidden = sent.find(({ name, isVisible }) => !isVisible && list.required.includes(name))
  if (hidden) throw invalid('columns', `The column "${hidden.name}" cannot be hidden`)
  const repeated = sent.find(({ name }, index) => sent.findIndex((other) => other.name === name) < index)
  if (repeated) throw invalid('columns', `The column "${repeated.name}" is given twice`)
  const isKnown = ({ name }: ColumnSetting) => list.columns.includes(name)
  return { known: sent.filter(isKnown), dropped: sent.filter((column) => !isKnown(column)).map(({ name }) => name) }
}

const knownSorts = (list: ListColumns, sent: ListSettings['sort']) => {
  const names = ['id', ...list.columns, ...(list.sorts ?? [])]
  const isKnown = ({ field }: { field: string }) => names.includes(field)
  return { known: sent.filter(isKnown), dropped: sent.filter((key) => !isKnown(key)).map(({ field }) => field) }
}
