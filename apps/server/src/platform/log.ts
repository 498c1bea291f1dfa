import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/** JSON lines. Whatever could name a patient or open a door is removed by name, should it ever be passed along with something else. */
export const openLog = (level: string, destination?: DestinationStream): Log =>
  pino(
    {
      level,
      base: { service: 'lis' },
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
          'err.parameters',
        ],
        remove: true,
      },
    },
    destination ?? pino.destination({ fd: 2, sync: false }),
  )
