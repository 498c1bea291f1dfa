import { access, constants, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'

const longestMs = 4000
const faultMs = 30_000
/** Below it a database cannot be relied upon to write, nor an upload to fit. */
const leastBytes = 32 * 2 ** 20

export interface Health {
  /** A call has failed for want of something that others need too: until it is known better, the service is not well. */
  note: (message: string) => void
  /** Throws what is wrong. */
  check: () => Promise<void>
}

/** Whether calls can be served: through the pools that they use, on the disks that they write to, and as they have just found it. */
export const watchHealth = ({ config, pool, unrestricted, system, disk }: Services): Health => {
  const folders = [
    ...(disk ? [{ name: 'the file store', path: join(config.dataDir, 'files') }] : []),
    ...(config.DATABASE_URL ? [] : [{ name: 'the database', path: join(config.dataDir, 'postgres') }]),
  ]
  let fault = { message: '', until: 0 }
  // There is never a second question open: a database that has gone without a word leaves one open for minutes.
  let asked: Promise<unknown> | null = null
  const askPools = async () => {
    asked ??= Promise.all([pool, unrestricted, system].map((one) => one.query('select 1'))).finally(() => {
      asked = null
    })
    const late = wait(longestMs, undefined, { ref: false }).then(() => unwell('The database does not answer'))
    await Promise.race([asked, late])
  }
  return {
    note: (message) => {
      fault = { message, until: Date.now() + faultMs }
    },
    check: async () => {
      if (Date.now() < fault.until) unwell(fault.message)
      for (const { name, path } of folders) {
        const found = await folderFault(path)
        if (found) unwell(`The disk of ${name} ${found}`)
      }
      await askPools()
    },
  }
}

const unwell = (message: string): never => {
  throw new AppError('unavailable', message)
}

/** Why nothing can be written to a folder, or null. One that is not there yet is made when it is needed. */
export const folderFault = async (path: string, least = leastBytes): Promise<string | null> => {
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
