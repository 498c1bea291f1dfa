import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from './platform/db/pool.ts'
import { StartError } from './platform/start-error.ts'

export const demoPassword = 'Demo-Password-2026!'
export const demoAccounts = [
  'admin',
  'management',
  'staff',
  'collaborator',
  'client',
  'physician',
  'sales',
  'billing',
] as const

/** Fills an empty database with the demo laboratory, once. */
export const ensureDemoData = async (system: Pool) => {
  const { rowCount } = await system.query('select 1 from app_user limit 1')
  if (!rowCount) await runBeside('apps/server/src/cli/load-demo.ts', 'The demo laboratory could not be made')
}

/** Builds the web app when its sources have changed. An image that brings the build along has nothing to build it with. */
export const ensureWebApp = () => runBeside('scripts/build-web.ts', 'The web app could not be built')

const root = join(import.meta.dirname, '../../..')

/** What is needed once at the first start runs in a process of its own: its memory goes with it, and the server stays small. */
const runBeside = async (file: string, failure: string) => {
  if (!existsSync(join(root, file))) return
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, file)], {
    cwd: root,
    stdio: 'inherit',
  })
  const code = await new Promise<number | null>((done) => child.once('exit', done))
  if (code !== 0) throw new StartError(`${failure}; the lines above say why.`)
}
