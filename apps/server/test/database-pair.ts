import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/db/embedded-postgres.ts'
import { openPool, type Pool } from '../src/platform/db/pool.ts'
import { prepareDatabase } from '../src/start.ts'

export interface DatabasePair {
  primary: EmbeddedPostgres
  /** A hot standby that streams from the primary. */
  standby: EmbeddedPostgres
  /** As owner of each. */
  pools: { primary: Pool; standby: Pool }
  /** A temporary folder, removed with both. */
  folder: string
  /** Makes the standby the primary. */
  promote: () => Promise<void>
  /** Waits until the standby has replayed what the primary has written. */
  untilReplayed: () => Promise<void>
  close: () => Promise<void>
}

const settings = { shared_buffers: '64MB', fsync: 'off', hot_standby: 'on', wal_level: 'replica' }

/** Two PostgreSQL clusters of our own binaries, one a replica of the other. */
export const openDatabasePair = async (): Promise<DatabasePair> => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-pair-'))
  mkdirSync(join(folder, 'data'))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const before = await startEmbeddedPostgres(first, { settings })
  await prepareDatabase(before.url)
  await before.stop()
  execFileSync('cp', ['-a', first, second])
  execFileSync('cp', ['-a', `${first}.password`, `${second}.password`])
  const primary = await startEmbeddedPostgres(first, { settings })
  const { port, password } = new URL(primary.url)
  writeFileSync(join(second, 'standby.signal'), '')
  appendFileSync(
    join(second, 'postgresql.conf'),
    `\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${password}'\n`,
  )
  const standby = await startEmbeddedPostgres(second, { settings })
  const pools = {
    primary: openPool(primary.url, { max: 2, name: 'test-primary' }),
    standby: openPool(standby.url, { max: 2, name: 'test-standby' }),
  }
  return {
    primary,
    standby,
    pools,
    folder: join(folder, 'data'),
    promote: async () => {
      await pools.standby.query('select pg_promote(true, 30)')
    },
    untilReplayed: async () => {
      const { rows } = await pools.primary.query('select pg_current_wal_lsn()::text as lsn')
      for (;;) {
        const { rows: replayed } = await pools.standby.query(
          'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_there',
          [rows[0].lsn],
        )
        if (replayed[0].is_there) return
        await new Promise((later) => setTimeout(later, 20))
      }
    },
    close: async () => {
      for (const pool of Object.values(pools)) await pool.end()
      await standby.stop()
      await primary.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
