import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadDemo } from '../apps/server/seeds/demo/load-demo.ts'
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { openPool } from '../apps/server/src/platform/db/pool.ts'
import { prepareDatabase } from '../apps/server/src/start.ts'

/** A laboratory with so many requisitions, made once and kept under .cache/bench for the next run. */
export const openBenchData = async (requisitions: number) => {
  const folder = join(import.meta.dirname, '../.cache/bench', String(requisitions))
  mkdirSync(folder, { recursive: true })
  for (const part of [folder, join(folder, '..'), join(folder, '../..')]) chmodSync(part, 0o755)
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'))
  await prepareDatabase(postgres.url)
  const done = join(folder, 'loaded')
  if (!existsSync(done)) {
    console.log(`Making ${requisitions.toLocaleString('en-US')} requisitions, once …`)
    const owner = openPool(postgres.url, { max: 2 })
    const { seconds } = await loadDemo(owner, {
      requisitions,
      passwordHash: 'none',
      reportFiles: async () => undefined,
      detail: 'lean',
    })
    await owner.query('vacuum analyze')
    await owner.end()
    console.log(`made in ${seconds.toFixed(0)} s`)
    writeFileSync(done, new Date().toISOString())
  }
  return { url: postgres.url, folder, close: () => postgres.stop() }
}
