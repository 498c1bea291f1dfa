import { access, constants, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../db/pool.ts'
import type { Draining } from '../draining.ts'
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
    pending ??= Promise.all([pool, unrestricted, system].map(requireWritable)).finally(() => {
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

const requireWritable = async (pool: Pool) => {
  const { rows } = await pool.query<{ isReadOnly: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  )
  if (rows[0]?.isReadOnly) throwUnavailable('The database does not accept changes at the moment, please try again')
}

/**
 * `/livez`: the process works. `/readyz`: reads and writes are answered, and no stop is pending. `/healthz`: the same with
 * regard to everything but a stop that has been ordered.
 */
export const registerHealth = (app: FastifyInstance, health: Health, draining: Draining) => {
  const ok = { status: 'ok', version }
  const check = async () => {
    await health.check().catch((error) => {
      logOnce(error)
      throw error
    })
    return ok
  }
  const logOnce = oncePerMinute((error) => app.log.warn({ err: error }, 'not ready'))
  // Asked every few seconds, so the log does not repeat why.
  const options = { logLevel: 'silent' } as const
  app.get('/livez', options, async () => ok)
  app.get('/readyz', options, async () => {
    if (draining.isDraining) throwUnavailable('The server is being stopped')
    return check()
  })
  app.get('/healthz', options, check)
  app.addHook('onSend', async (_, reply) => {
    if (draining.isDraining) reply.header('connection', 'close')
  })
}

const oncePerMinute = (log: (error: Error) => void) => {
  let last = { message: '', at: 0 }
  return (error: Error) => {
    const now = Date.now()
    if (error.message === last.message && now - last.at < 60_000) return
    last = { message: error.message, at: now }
    log(error)
  }
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
