/** The page requested before sign-in, kept in the history entry of /login. */
export interface ReturnAddress {
  from: string
  /** Set when the page belongs to an ended session: no other user is sent there. */
  userId?: number
}

const isLocalPath = (path: unknown): path is string => typeof path === 'string' && /^\/(?![/\\])/.test(path)

export const returnAddressFor = (from: string, userId?: number): ReturnAddress => ({
  from,
  ...(userId === undefined ? {} : { userId }),
})

/** The page to open after sign-in: the requested one if it belongs to this user, otherwise the front page. */
export const pageAfterSignIn = (state: unknown, userId: number): string => {
  const { from, userId: owner } = (state ?? {}) as Partial<ReturnAddress>
  return isLocalPath(from) && (owner === undefined || owner === userId) ? from : '/'
}
