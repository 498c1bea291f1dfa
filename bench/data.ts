import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadBulk } from '../apps/server/seeds/bulk/load-bulk.ts'
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { openPool } from '../apps/server/src/platform/db/pool.ts'
import { prepareDatabase } from '../apps/server/src/start.ts'

const defaultFolder = join(import.meta.dirname, '../.cache/bench')

/** A laboratory with this many requisitions, created once and kept for the next run under .cache/bench or BENCH_DATA_DIR. */
export const openBenchData = async (requisitions: number) => {
  const folder = join(process.env.BENCH_DATA_DIR ?? defaultFolder, String(requisitions))
  mkdirSync(folder, { recursive: true })
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'))
  await prepareDatabase(postgres.url)
  const owner = openPool(postgres.url, { max: 4 })
  const done = join(folder, 'loaded')
  if (!existsSync(done)) {
    console.log(`Creating ${requisitions.toLocaleString('en-US')} requisitions, once …`)
    const { seconds } = await loadBulk(owner, {
      requisitions,
      passwordHash: 'none',
      reportFiles: async () => undefined,
    })
    await owner.query('vacuum analyze')
    console.log(`made in ${seconds.toFixed(0)} s`)
    writeFileSync(done, new Date().toISOString())
  }
  const close = async () => {
    await owner.end()
    await postgres.stop()
  }
  return { url: postgres.url, owner, folder, close }
}
