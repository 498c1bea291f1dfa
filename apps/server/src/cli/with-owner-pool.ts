import type { Config } from '../platform/config.ts'
import { openPool, type Pool } from '../platform/db/pool.ts'
import { openDatabaseForTool } from '../platform/open-database.ts'
import { prepareDatabase, runProgram } from '../start.ts'

/** Runs a tool on the database of this installation, as its owner, with or without a running server. */
export const withOwnerPool = (tool: (pool: Pool, config: Config) => Promise<void>) =>
  runProgram(async (config) => {
    const database = await openDatabaseForTool(config)
    try {
      await prepareDatabase(database.url)
      const pool = openPool(database.url, { max: 4, name: 'lis-tool' })
      try {
        await tool(pool, config)
      } finally {
        await pool.end()
      }
    } finally {
      await database.close()
    }
  })
