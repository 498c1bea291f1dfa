import { access, constants, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import { version } from '../version.ts'

const longestMs = 4000
const faultMs = 30_000
/** With less free space the database may fail to write and an upload may not fit. */
const leastFreeBytes = 32 * 2 ** 20

export interface Health {
  /** A call has failed because of something that other calls need too: the service counts as unavailable for a while. */
  reportFault: (message: string) => void
  /** Throws when calls cannot be served. */
  check: () => Promise<void>
}

/** Whether calls can be served: by their connection pools, the disks they write to, and the faults that calls have just met. */
export const watchHealth = ({ config, pool, unrestricted, system, disk }: Services): Health => {
  const folders = [
    ...(disk ? [{ name: 'the file store', path: join(config.dataDir, 'files') }] : []),
    ...(config.DATABASE_URL ? [] : [{ name: 'the database', path: join(config.dataDir, 'postgres') }]),
  ]
  let fault = { message: '', until: 0 }
  // At most one query is pending: a database that disappears without closing its connections leaves it pending for minutes.
  let pending: Promise<unknown> | null = null
  const queryPools = async () => {
    pending ??= Promise.all([pool, unrestricted, system].map((one) => one.query('select 1'))).finally(() => {
      pending = null
    })
    const late = wait(longestMs, undefined, { ref: false }).then(() => throwUnavailable('The database does not answer'))
    await Promise.race([pending, late])
  }
  return {
    reportFault: (message) => {
      fault = { message, until: Date.now() + faultMs }
    },
    check: async () => {
      if (Date.now() < fault.until) throwUnavailable(fault.message)
      for (const { name, path } of folders) {
        const found = await folderFault(path)
        if (found) throwUnavailable(`The disk of ${name} ${found}`)
      }
      await queryPools()
    },
  }
}

export const registerHealth = (app: FastifyInstance, health: Health) => {
  app.get('/healthz', async () => {
    await health.check()
    return { status: 'ok', version }
  })
}

const throwUnavailable = (message: string): never => {
  throw new AppError('unavailable', message)
}

/** Why nothing can be written to a folder, or null. A folder that does not exist yet is created when it is needed. */
export const folderFault = async (path: string, least = leastFreeBytes): Promise<string | null> => {
  try {
    if (!(await stat(path)).isDirectory()) return 'is not a folder'
    const { bavail, bsize } = await statfs(path)
    if (bavail * bsize < least) return 'is full'
    await access(path, constants.W_OK)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    return code === 'EROFS' ? 'is read-only' : 'cannot be written by the server'
  }
}
