import type { KeyValueStorage, StoredSession, WatchStorage } from '../src/lib/session-store.ts'

/** One browser's storage and its tabs: as in a browser, every tab but the writing one is notified of a write. */
export const openBrowser = () => {
  const values = new Map<string, string>()
  const tabs: Set<(key: string | null) => void>[] = []
  const openTab = (): { storage: KeyValueStorage; watch: WatchStorage } => {
    const mine = new Set<(key: string | null) => void>()
    tabs.push(mine)
    const tellOthers = (key: string) => {
      for (const tab of tabs) if (tab !== mine) for (const listener of tab) listener(key)
    }
    return {
      storage: {
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => {
          values.set(key, value)
          tellOthers(key)
        },
        removeItem: (key) => {
          if (values.delete(key)) tellOthers(key)
        },
      },
      watch: (listener) => {
        mine.add(listener)
        return () => {
          mine.delete(listener)
        }
      },
    }
  }
  return { values, openTab }
}

export const aSession = (overrides: Partial<StoredSession> = {}): StoredSession => ({
  token: 'token-1',
  userDepts: [{ deptId: 1, deptCode: 'LAB', deptName: 'Laboratory' }],
  access: {
    userId: 7,
    userRoleCode: 'STF',
    userName: 'staff',
    userFirstName: 'Sam',
    userLastName: 'Taff',
    entityId: null,
  },
  identity: { accessToken: 'access-1', idToken: 'id-1', refreshToken: 'refresh-1' },
  ...overrides,
})

export const tick = (ms = 0) => new Promise<void>((resolve) => setTimeout(resolve, ms))
