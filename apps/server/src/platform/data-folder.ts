import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './start-error.ts'

/** While a tool uses the folder, no other process may use its database, which may be incomplete. */
export type FolderUse = 'server' | 'tool'

/** Two servers on one folder would destroy each other's database, so the folder belongs to one process at a time. */
export const lockDataFolder = (folder: string, use: FolderUse): (() => void) => {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be made: ${(error as Error).message}. Choose another with LIS_DATA_DIR.`,
    )
  }
  const file = join(folder, 'server.lock')
  const ownLock = `${process.pid} ${startTimeOf(process.pid)} ${use}`
  for (;;) {
    try {
      writeFileSync(file, ownLock, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new StartError(
          `The data folder ${folder} cannot be written: ${(error as Error).message}. Choose another with LIS_DATA_DIR.`,
        )
      }
    }
    const holder = findHolder(file)
    if (holder) {
      throw new StartError(
        `The data folder ${folder} is in use by process ${holder.pid}. Stop that one, or set LIS_DATA_DIR to another folder.`,
      )
    }
    rmSync(file, { force: true })
  }
}

interface Holder {
  pid: number
  use: FolderUse
}

/** The process that uses the folder now, if any. */
export const findDataFolderHolder = (folder: string): Holder | null => {
  const file = join(folder, 'server.lock')
  return existsSync(file) ? findHolder(file) : null
}

const findHolder = (file: string): Holder | null => {
  const [pid, start, use] = readFileSync(file, 'utf8').split(' ')
  const alive = isAlive(Number(pid)) && startTimeOf(Number(pid)) === start
  // Earlier versions did not write the use.
  return alive ? { pid: Number(pid), use: use === 'tool' ? 'tool' : 'server' } : null
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The start time of a process, to recognize a process id that was reused. Linux only; elsewhere ''. */
const startTimeOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
