import type { Page } from '@playwright/test'

interface StoredSession {
  token: string
  userDepts: unknown[]
  access: { userId: number; userRoleCode: string; userName: string; userFirstName: string; userLastName: string }
  identity: { accessToken: string; refreshToken: string }
}

// As text: the code runs in the page, where the tests' own types do not reach.
const key = "'auth.v0.2'"

/** What the browser keeps of the session. */
export const storedSession = (page: Page) =>
  page.evaluate<StoredSession | null>(`JSON.parse(localStorage.getItem(${key}))`)

/** The same, where there must be one. */
export const currentSession = async (page: Page): Promise<StoredSession> => {
  const session = await storedSession(page)
  if (!session) throw new Error('Nobody is signed in')
  return session
}

export const storeSession = (page: Page, session: StoredSession) =>
  page.evaluate(`localStorage.setItem(${key}, ${JSON.stringify(JSON.stringify(session))})`)
