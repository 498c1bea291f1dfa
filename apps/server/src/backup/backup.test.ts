import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../seeds/demo/load-demo.ts'
import { openTestApp } from '../../test/app.ts'
import { signInAt } from '../../test/remote.ts'
import { runServer, untilReady } from '../../test/server-process.ts'
import { sendToStore, tinyPdf } from '../../test/uploads.ts'
import { demoPassword } from '../demo.ts'
import { auditFolder } from '../platform/audit/external-record.ts'
import { appRole, openPool, scopeRoles } from '../platform/db/pool.ts'
import { hashPassword } from '../platform/identity/pool/passwords.ts'
import { queueSchemaVersion } from '../platform/jobs/boss.ts'
import { openDiskStore } from '../platform/storage/disk-store.ts'
import { checkBackup } from './check-backup.ts'
import { makeBackup } from './make-backup.ts'
import { type Manifest, objectFile, tableFile } from './manifest.ts'
import { requireCompatibleBackup, restoreBackup } from './restore-backup.ts'

const test = openTestApp()
const timeout = 600_000

/** A second, empty database, whose owner has only the rights that docs/operations.md requires, and a separate store. */
const emptyPlace = async () => {
  const name = `restored_${randomUUID().replaceAll('-', '')}`
  const { owner } = test.database
  await owner.query(`create role ${name} login createrole password '${name}'`)
  await owner.query(`grant ${[appRole, ...new Set(Object.values(scopeRoles))].join(', ')} to ${name} with admin option`)
  await owner.query(`create database ${name} owner ${name} template template0`)
  const address = new URL(test.database.url)
  Object.assign(address, { pathname: `/${name}`, username: name, password: name })
  const pool = openPool(address.href, { max: 3, name: 'test-restored' })
  const dataDir = join(test.database.folder, name)
  const store = openDiskStore({
    folder: join(dataDir, 'files'),
    secret: test.services.config.secret,
    publicUrl: () => '',
  })
  places.push(async () => {
    await pool.end()
    await owner.query(`drop database ${name} with (force)`)
    await owner.query(`drop role ${name}`)
  })
  const secret = test.services.config.secret
  return {
    pool,
    databaseUrl: address.href,
    store,
    disk: store,
    dataDir,
    auditFolder: auditFolder(dataDir),
    secret,
    recordYears: 10,
  }
}
const places: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const remove of places) await remove()
})

const backUp = () =>
  makeBackup({
    pool: test.database.owner,
    store: test.services.store,
    disk: test.services.disk,
    secret: test.services.config.secret,
    into: join(test.database.folder, 'backups'),
  })

/** What a table holds, whatever the order. */
const contentOf = async (pool: Pool, { schema, name, columns }: Manifest['tables'][number]) => {
  const list = columns.map((column) => `"${column}"`).join(', ')
  const { rows } = await pool.query(
    `select count(*) as n, md5(coalesce(string_agg(r::text, e'\\n' order by r::text), '')) as hash from (select ${list} from "${schema}"."${name}") r`,
  )
  return rows[0]
}

beforeAll(async () => {
  mkdirSync(join(test.database.folder, 'backups'))
  await loadDemo(test.database.owner, {
    requisitions: 120,
    passwordHash: await hashPassword(demoPassword),
    reportFiles: (key, pdf) => test.services.store.put(key, pdf, 'application/pdf'),
  })
}, timeout)

/** Tables that users and maintenance write while the backup runs; all others must be equal on both sides afterwards. */
const written = [
  'access_log',
  'app_user',
  'audit_chain_end',
  'audit_entry',
  'document',
  'idempotency_key',
  'rate_limit',
  'session',
  'stored_file',
  'upload_slot',
]

/** Four users who upload and register documents until they are stopped. */
const writing = async () => {
  const staff = await test.as('ADM')
  const { rows } = await test.database.owner.query<{ id: number }>('select min(id) as id from requisition')
  const id = rows[0]?.id as number
  const answered: string[] = []
  const isOver = new AbortController()
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver.signal.aborted) {
      const text = randomUUID()
      const slot = (await staff.post(`requisitions/${id}/upload`, { fileName: 'scan.pdf', docTypeCode: 'SCANREQ' }))
        .body.data
      await sendToStore(test, slot.fields, tinyPdf + text)
      const file = { originalFileName: `${text}.pdf`, fileName: slot.newFileName }
      if ((await staff.post(`requisitions/${id}/scanreqs`, file)).status === 200) answered.push(file.originalFileName)
    }
  })
  await expect.poll(() => answered.length).toBeGreaterThan(10)
  const stop = async () => {
    isOver.abort()
    await Promise.all(writers)
  }
  return { id, answered, stop }
}

describe('a restore drill', () => {
  it(
    'a backup taken during writes is a consistent snapshot and is restored completely: every row, every file, and users sign in',
    async () => {
      const work = await writing()
      const before = [...work.answered]
      const { folder, manifest, faults } = await backUp()
      const after = work.answered.length
      await work.stop()
      expect(faults).toEqual([])
      expect(after).toBeGreaterThan(before.length)
      expect(manifest.tables.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(5000)

      const backup = await checkBackup(folder)
      const place = await emptyPlace()
      expect(await restoreBackup({ backup, ...place })).toEqual([])
      const quiet = manifest.tables.filter(({ schema, name }) => schema === 'public' && !written.includes(name))
      for (const table of quiet)
        expect([table.name, await contentOf(place.pool, table)]).toEqual([
          table.name,
          await contentOf(test.database.owner, table),
        ])

      // Writes answered before it began are there, and none is there in part.
      const { rows } = await place.pool.query<{ name: string; key: string }>(
        'select f.original_name as name, f.object_key as key from document d join stored_file f on f.id = d.file_id where d.requisition_id = $1',
        [work.id],
      )
      const names = rows.map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(before))
      expect(new Set(names).size).toBe(names.length)
      for (const { name, key } of rows)
        expect(readFileSync(join(place.dataDir, objectFile(key)), 'utf8')).toBe(tinyPdf + name.replace('.pdf', ''))
      expect(backup.files.length).toBeGreaterThan(20 + rows.length)
      for (const { key } of backup.files)
        expect(readFileSync(join(place.dataDir, objectFile(key)))).toEqual(
          readFileSync(join(test.database.folder, objectFile(key))),
        )

      const env = { DATABASE_URL: place.databaseUrl, LIS_DATA_DIR: place.dataDir, LIS_SECRET: place.secret }
      const server = await untilReady(await runServer(env))
      try {
        const admin = await signInAt(server.url, place.pool, 'admin', demoPassword)
        // Numbers go on where they were, references and triggers hold again.
        const id = await idOf(place.pool, 'admin')
        const change = { userFirstName: 'After', userLastName: 'Restore' }
        expect((await admin.call('PUT', `mfa/profile/${id}`, change)).status).toBe(200)
        await expect(place.pool.query('delete from audit_entry')).rejects.toThrow('append-only')
      } finally {
        await server.stop()
      }
    },
    timeout,
  )
})

describe('a restore rejects', () => {
  it(
    'connected servers, a database that is not empty, another secret, a newer program, damaged parts; a failure leaves it empty',
    async () => {
      const { folder } = await backUp()
      const backup = await checkBackup(folder)
      const { secret, config } = { secret: test.services.config.secret, config: test.database }
      const filled = {
        pool: config.owner,
        databaseUrl: config.url,
        store: test.services.store,
        auditFolder: '',
        secret,
        recordYears: 10,
      }
      await expect(restoreBackup({ backup, ...filled })).rejects.toThrow('are connected to this database')
      const place = await emptyPlace()
      await place.pool.query('create table something (id int)')
      await expect(restoreBackup({ backup, ...place })).rejects.toThrow('The database is not empty')
      await expect(restoreBackup({ backup, ...place, secret: 'x'.repeat(40) })).rejects.toThrow('another secret')
      const newer = [...backup.manifest.migrations, { name: '9999-later', hash: 'x' }]
      await expect(
        restoreBackup({ backup: { ...backup, manifest: { ...backup.manifest, migrations: newer } }, ...place }),
      ).rejects.toThrow('9999-later')
      expect((await place.pool.query('select * from something')).rowCount).toBe(0)

      const tables = backup.manifest.tables.map((table, index) => (index === 1 ? { ...table, sha256: 'no' } : table))
      const odd = { ...backup, manifest: { ...backup.manifest, tables } }
      await expect(restoreBackup({ backup: odd, ...place, replace: true })).rejects.toThrow('reads back differently')
      // Empty again, so the next attempt needs no permission to replace. The old secret is lost this time.
      expect(await restoreBackup({ backup, ...place, secret: 'x'.repeat(40), newSecret: true })).toEqual([])
      const { rows } = await place.pool.query(
        `select (select count(*) from identity_signing_key where retired_at is null) as keys, to_regclass('something') as old`,
      )
      expect(rows).toEqual([{ keys: 0, old: null }])

      // SOUT-15: a report of after the backup would be lost. The restored database has reports that are older than the backup only.
      const earlier = { ...backup, manifest: { ...backup.manifest, madeAt: '2001-01-01T00:00:00.000Z' } }
      await expect(restoreBackup({ backup: earlier, ...place, replace: true })).rejects.toThrow(
        'have to be kept for 10 years',
      )

      const table = backup.manifest.tables.find(({ name }) => name === 'patient')
      if (table) appendFileSync(join(folder, tableFile(table)), 'x')
      appendFileSync(join(folder, objectFile(backup.files[0]?.key ?? '')), 'x')
      const damaged = await checkBackup(folder)
      expect(damaged.faults).toHaveLength(2)
      await expect(restoreBackup({ backup: damaged, ...place })).rejects.toThrow('The backup is damaged')
      appendFileSync(join(folder, 'manifest.json'), ' ')
      await expect(checkBackup(folder)).rejects.toThrow('manifest.json does not fit its checksum')
    },
    timeout,
  )
})

describe('restore --replace', () => {
  it(
    'removes neither files nor rows before everything has been checked',
    async () => {
      const { folder } = await backUp()
      const place = await emptyPlace()
      await place.pool.query('create table something (id int)')
      await place.store.put('reports/one.pdf', Buffer.from(tinyPdf), 'application/pdf')
      const run = async () => {
        const env = { DATABASE_URL: place.databaseUrl, LIS_DATA_DIR: place.dataDir, LIS_SECRET: place.secret }
        const restore = await runServer(env, 'cli/restore.ts', [folder, '--replace'])
        return { code: await restore.exited, said: restore.output() }
      }
      const server = openPool(place.databaseUrl, { max: 1, name: 'lis-all' })
      try {
        // Held, because a pool closes idle connections, and the tool may take longer to start.
        const connection = await server.connect()
        const refused = await run().finally(() => connection.release())
        expect(refused.said).toContain('are connected to this database. Stop them first.')
        expect(refused.code).toBe(1)
      } finally {
        await server.end()
      }
      expect(readdirSync(place.dataDir)).toEqual(['files'])
      expect((await place.store.stat('reports/one.pdf'))?.size).toBe(tinyPdf.length)
      expect((await place.pool.query('select * from something')).rowCount).toBe(0)

      const done = await run()
      expect(done.said).toContain('0 faults')
      expect(done.code).toBe(0)
      const [aside = ''] = readdirSync(place.dataDir).filter((name) => name.startsWith('replaced-'))
      expect(existsSync(join(place.dataDir, aside, 'files/reports/one.pdf'))).toBe(true)
    },
    timeout,
  )

  it(
    'that fails after the files were set aside says where they are',
    async () => {
      const { folder } = await backUp()
      const place = await emptyPlace()
      await place.pool.query('create table something (id int)')
      await place.store.put('reports/one.pdf', Buffer.from(tinyPdf), 'application/pdf')
      const env = { DATABASE_URL: place.databaseUrl, LIS_DATA_DIR: place.dataDir, LIS_SECRET: place.secret }
      const reader = await place.pool.connect()
      await reader.query('begin; lock table something in access share mode')
      const restore = await runServer(env, 'cli/restore.ts', [folder, '--replace'])
      // It waits for the reader's lock to empty the database, and is cancelled.
      const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'lis-restore' and wait_event_type = 'Lock'`
      await expect.poll(async () => (await place.pool.query(cancel)).rowCount).toBe(1)
      expect(await restore.exited).toBe(1)
      await reader.query('rollback')
      reader.release()
      const [aside = ''] = readdirSync(place.dataDir).filter((name) => name.startsWith('replaced-'))
      expect(restore.output()).toContain(
        `canceling statement due to user request\nWhat was there before is in ${join(place.dataDir, aside)}.`,
      )
      expect(existsSync(join(place.dataDir, aside, 'files/reports/one.pdf'))).toBe(true)
    },
    timeout,
  )

  it('knows the schema version of the queue without a database, and rejects another before anything is changed', async () => {
    const backup = await checkBackup((await backUp()).folder)
    expect(queueSchemaVersion).toBe(backup.manifest.queueVersion)
    const manifest = { ...backup.manifest, queueVersion: 1 }
    const input = { backup: { ...backup, manifest }, secret: test.services.config.secret }
    expect(() => requireCompatibleBackup(input)).toThrow('has another shape')
  })

  it(
    'that fails after the rows were loaded leaves the database empty, and says where the files are',
    async () => {
      const backup = await checkBackup((await backUp()).folder)
      const place = await emptyPlace()
      const full = { ...place.store, put: () => Promise.reject(new Error('No space left on device')) }
      await expect(restoreBackup({ backup, ...place, store: full })).rejects.toThrow(
        /No space left on device\nNothing was restored, and the database is empty again/,
      )
      expect(await restoreBackup({ backup, ...place })).toEqual([])
    },
    timeout,
  )
})

const idOf = async (pool: Pool, userName: string): Promise<number> =>
  (await pool.query('select id from app_user where user_name = $1', [userName])).rows[0].id

it('with an external store a backup lists the objects, reports missing ones, and copies them on request', async () => {
  const { config, store } = test.services
  const outside = { pool: test.database.owner, store, disk: null, bucket: 'lis-files', secret: config.secret }
  const into = join(test.database.folder, 'outside')
  const { folder, manifest } = await makeBackup({ ...outside, into })
  expect(manifest.files).toMatchObject({ place: 'lis-files', isIncluded: false })
  expect(manifest.files.count).toBeGreaterThan(20)
  const { files, faults } = await checkBackup(folder)
  expect(faults).toEqual([])
  const gone = files[0]?.key ?? ''
  const holed = { ...store, stat: async (key: string) => (key === gone ? null : store.stat(key)) }
  const whole = await makeBackup({ ...outside, store: holed, into: join(into, 'whole'), withObjects: true })
  expect(whole.faults).toEqual([gone])
  expect(whole.manifest.files).toMatchObject({ isIncluded: true, count: files.length - 1 })
  expect((await checkBackup(whole.folder)).faults).toEqual([])
})

it('an unfinished backup never looks like a complete one', async () => {
  const into = join(test.database.folder, 'interrupted')
  const broken = { ...test.services.store, get: () => Promise.reject(new Error('The disk is gone')) }
  await expect(
    makeBackup({ pool: test.database.owner, store: broken, disk: test.services.disk, secret: 's'.repeat(40), into }),
  ).rejects.toThrow('The disk is gone')
  expect(existsSync(into) ? readdirSync(into) : []).toEqual([])
})

it('a backup ended by a signal leaves nothing, and the next one removes what a power cut has left', async () => {
  const into = join(test.database.folder, 'cut-short')
  const old = join(into, 'lis-2026-01-01T00-00-00Z.partial')
  const young = join(into, 'lis-2026-01-02T00-00-00Z.partial')
  for (const folder of [old, young]) mkdirSync(join(folder, 'tables'), { recursive: true })
  utimesSync(old, new Date(), new Date(Date.now() - 13 * 3_600_000))
  // It waits for this lock in the middle of its work.
  const blocker = await test.database.owner.connect()
  try {
    await blocker.query('begin; lock table patient in access exclusive mode')
    const { config } = test.services
    const env = { DATABASE_URL: test.database.url, LIS_DATA_DIR: config.dataDir, LIS_SECRET: config.secret }
    const backup = await runServer(env, 'cli/backup.ts', [into])
    await expect
      .poll(() => readdirSync(into).filter((name) => !name.startsWith('lis-2026-01')))
      .toEqual([expect.stringMatching(/\.partial$/)])
    expect(await backup.stop('SIGTERM')).toBe(1)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
  expect(readdirSync(into)).toEqual(['lis-2026-01-02T00-00-00Z.partial'])
})
