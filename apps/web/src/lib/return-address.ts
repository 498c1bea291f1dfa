/** Where a person wanted to go before signing in, kept in the history entry of /login. */
export interface ReturnAddress {
  from: string
  /** Set when the address belongs to the session that ended: nobody else is sent there. */
  userId?: number
}

const isOurs = (path: unknown): path is string => typeof path === 'string' && /^\/(?![/\\])/.test(path)

export const returnAddressFor = (from: string, userId?: number): ReturnAddress => ({
  from,
  ...(userId === undefined ? {} : { userId }),
})

/** The page to open after signing in: the one asked for, if it was this person's, else the front page. */
export const pageAfterSignIn = (state: unknown, userId: number): string => {
  const { from, userId: owner } = (state ?? {}) as Partial<ReturnAddress>
  return isOurs(from) && (owner === undefined || owner === userId) ? from : '/'
}
