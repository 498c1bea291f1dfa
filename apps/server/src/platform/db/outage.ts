const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** Read-only (the primary has become a standby), too many connections, shutting down, starting, or a broken connection. */
const stateCodes = /^(25006|53300|57P0[123]|08...)$/
const brokenOff = /^Connection terminated|connection error and is not queryable|^timeout expired$/

/** The message for users, or null: whether no database takes the work just now. */
export const outageMessage = ({ code, message }: { code?: string; message?: string }): string | null => {
  if (code === '25006') return 'The database does not accept changes at the moment, please try again'
  if (code === '53300') return 'The database has no free connection, please try again'
  if (code === '57P03') return 'The database is starting, please try again'
  if (code?.startsWith('57P')) return stateCodes.test(code) ? 'The database is restarting, please try again' : null
  if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ECONNABORTED')
    return 'The database connection was lost, please try again'
  return (code && (socketCodes.has(code) || stateCodes.test(code))) || brokenOff.test(message ?? '')
    ? 'The database cannot be reached, please try again'
    : null
}

/** Notes on an error of a connection which host it was; other parts of the product have connections too. */
export const markHost = <E extends Error>(error: E, databaseHost: string): E => Object.assign(error, { databaseHost })

/** The host whose absence an error reports; `fallback` where it does not name one. Null for every other error. */
export const absentHost = (error: unknown, fallback: string): string | null => {
  if (!(error instanceof Error) || outageMessage(error) === null) return null
  const { databaseHost } = error as { databaseHost?: string }
  if (databaseHost) return databaseHost
  return 'severity' in error || brokenOff.test(error.message) ? fallback : null
}
