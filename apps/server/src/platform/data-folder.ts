import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './start-error.ts'

/** A tool has the folder for its own work: nobody is to join its database, which may be half made. */
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
  const mine = `${process.pid} ${startOf(process.pid)} ${use}`
  for (;;) {
    try {
      writeFileSync(file, mine, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new StartError(
          `The data folder ${folder} cannot be written: ${(error as Error).message}. Choose another with LIS_DATA_DIR.`,
        )
      }
    }
    const holder = holderOf(file)
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

/** The process that has the folder now, if any. */
export const findDataFolderHolder = (folder: string): Holder | null => {
  const file = join(folder, 'server.lock')
  return existsSync(file) ? holderOf(file) : null
}

const holderOf = (file: string): Holder | null => {
  const [pid, start, use] = readFileSync(file, 'utf8').split(' ')
  const alive = isAlive(Number(pid)) && startOf(Number(pid)) === start
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

/** When a process began, so that a number that was given to another process later does not look like ours. Linux only; elsewhere ''. */
const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
