import { withOwnerPool } from './with-owner-pool.ts'

// Opening the database migrates it; this command exists to do so before the servers of a release start.
await withOwnerPool(async (pool) => {
  const { rows } = await pool.query<{ name: string }>('select name from schema_migration order by name desc limit 1')
  console.log(`The database is up to date (${rows[0]?.name}).`)
})
