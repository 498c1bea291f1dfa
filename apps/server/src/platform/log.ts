import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

export type Log = Logger

/** JSON lines. Whatever could name a patient or open a door is removed by name, should it ever be passed along with something else. */
export const openLog = (level: string, destination?: DestinationStream): Log =>
  pino(
    {
      level,
      base: { service: 'lis' },
      serializers: { err: withoutValues },
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
    destination ?? pino.destination({ fd: 2, sync: false }),
  )

/** A fault of the database repeats what it was given between quotes; code, table and constraint stand beside it and say enough. */
const withoutValues = (error: Error) => {
  const shown = stdSerializers.err(error)
  if (!('severity' in error)) return shown
  const message = shown.message.replace(/"[^"]*"/g, '"…"')
  return { ...shown, message, stack: shown.stack.replace(shown.message, message) }
}
