import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

export type Log = Logger

/** JSON lines. Fields that could contain patient data or credentials are removed by name, in case they are ever logged. */
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

/** Database errors quote values in their message; code, table and constraint are logged separately and say enough. */
const withoutValues = (error: Error) => {
  const shown = stdSerializers.err(error)
  if (!('severity' in error)) return shown
  const message = shown.message.replace(/"[^"]*"/g, '"…"')
  return { ...shown, message, stack: shown.stack.replace(shown.message, message) }
}
