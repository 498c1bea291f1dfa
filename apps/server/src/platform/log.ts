import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino'
import { absentHost } from './db/outage.ts'

export type Log = Logger

const outageLineMs = 60_000

/** Without a database every call and every maintenance round fails: one line a minute says so, with the host. */
const oneLinePerOutage = (database: string): LoggerOptions['hooks'] => {
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    logMethod(args, method) {
      const [fields] = args as unknown[]
      const error = (fields as { err?: unknown } | null | undefined)?.err
      const host = absentHost(error, database)
      if (host === null) return method.apply(this, args)
      if (Date.now() - loggedAt < outageLineMs) return
      loggedAt = Date.now()
      const { code, message } = error as Error & { code?: string }
      // Without `err`, so this line does not come back here.
      this.error({ host, code, reason: message }, 'the database is not available; calls answer 503')
    },
  }
}

/** JSON lines. Fields that could contain patient data or credentials are removed by name, in case they are ever logged. */
export const openLog = (level: string, destination?: DestinationStream, database = 'the embedded database'): Log =>
  pino(
    {
      level,
      base: { service: 'lis' },
      serializers: { err: withoutValues },
      hooks: oneLinePerOutage(database),
      redact: {
        paths: [
          'req',
          'res',
          '*.authorization',
          '*.password',
          '*.pwd',
          '*.newPwd',
          '*.currentPwd',
          '*.token',
          '*.accessToken',
          '*.ssn',
          '*.body',
          '*.parameters',
          'err.detail',
          'err.where',
          'err.hint',
          'err.parameters',
        ],
        remove: true,
      },
    },
    destination ?? openStderr(),
  )

const maxUnwrittenBytes = 16 * 2 ** 20

/** A log that cannot be written, because its disk is full, must not end the process, hold up its end, or fill its memory: lines are lost. */
const openStderr = () => {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: maxUnwrittenBytes })
  let isFailing = false
  destination.on('error', () => {
    isFailing = true
  })
  destination.on('write', () => {
    isFailing = false
  })
  // At the end of the process it would try until it succeeds.
  const flushSync = destination.flushSync.bind(destination)
  destination.flushSync = () => {
    if (!isFailing) flushSync()
  }
  return destination
}

/** Database errors quote values in their message; code, table and constraint are logged separately and say enough. */
const withoutValues = (error: Error) => {
  const shown = stdSerializers.err(error)
  if (!('severity' in error)) return shown
  const message = shown.message.replace(/"[^"]*"/g, '"…"')
  return { ...shown, message, stack: shown.stack.replace(shown.message, message) }
}
