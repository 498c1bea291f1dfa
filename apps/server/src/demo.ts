import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { demoSetting, readSetting, writeSetting } from '../seeds/settings.ts'
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

/**
 * Demo mode shows every code to everyone and sends nothing. A real installation that loses LIS_DEMO=0 would start in it, so demo mode starts only
 * on an empty database or on one with the demo setting. Demos of earlier versions do not have the setting, but their first accounts are the
 * published ones, in the same order.
 */
export const refuseDemoOfRealData = async (owner: Pool) => {
  if ((await readSetting(owner, demoSetting)) === true) return
  const { rows } = await owner.query<{ names: string[] | null }>(
    'select array_agg(user_name::text order by id) as names from (select id, user_name from app_user order by id limit $1) first',
    [demoAccounts.length],
  )
  const names = rows[0]?.names
  if (!names) return
  if (names.join() !== demoAccounts.join()) throw new StartError(notADemo)
  await writeSetting(owner, demoSetting, true)
}

const notADemo =
  'This is not a demo: set LIS_DEMO=0. In demo mode everybody could read its codes and links, and nothing that it sends would leave.'

/** Fills an empty database with the demo laboratory, once. */
export const ensureDemoData = async (system: Pool) => {
  const { rowCount } = await system.query('select 1 from app_user limit 1')
  if (!rowCount) await runScript('apps/server/src/cli/load-demo.ts', 'The demo laboratory could not be made')
}

/** Builds the web app when its sources have changed. A container image ships the build and not the build script. */
export const ensureWebApp = () => runScript('scripts/build-web.ts', 'The web app could not be built')

const root = join(import.meta.dirname, '../../..')

/** Runs in a child process, so that its memory is freed afterwards. */
const runScript = async (file: string, failure: string) => {
  if (!existsSync(join(root, file))) return
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, file)], {
    cwd: root,
    stdio: 'inherit',
  })
  const code = await new Promise<number | null>((done, fail) => child.once('error', fail).once('exit', done))
  if (code !== 0) throw new StartError(`${failure}; the lines above say why.`)
}
