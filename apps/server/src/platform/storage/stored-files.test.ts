import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type DiskStore, openDiskStore } from './disk-store.ts'
import { cleanUploads, createUploadSlot, registerTemporaryObject, requireOwnUpload } from './slots.ts'
import { sniff } from './sniff.ts'
import { registerFile, storeFile } from './stored-files.ts'

const sessionId = randomUUID()
let database: TestDatabase
let store: DiskStore

beforeAll(async () => {
  database = await openTestDatabase()
  store = openDiskStore({
    folder: join(database.folder, 'files'),
    secret: 'x'.repeat(40),
    publicUrl: () => 'http://localhost',
  })
})
afterAll(() => database.close())

const uploaded = async (bytes: Buffer | string) => {
  const key = `up/${randomUUID()}`
  await database.db
    .transaction()
    .execute((trx) => createUploadSlot(trx, store, { sessionId, purpose: 'DOCUMENT', key }))
  await store.put(key, Buffer.from(bytes), 'application/octet-stream')
  return key
}
const register = (key: string, accept: Parameters<typeof registerFile>[2]['accept'], originalName = 'a.pdf') =>
  database.db.transaction().execute((trx) => registerFile(trx, store, { key, originalName, accept, createdBy: null }))

describe('registerFile', () => {
  it('stores the size, the hash and the type by its bytes', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 7)])
    const file = await register(await uploaded(bytes), ['pdf', 'png'], '../../C:\\docs\\Bericht\u0000.pdf')
    const { rows } = await database.pool.query('select * from stored_file where id = $1', [file.id])
    expect(rows[0]).toMatchObject({
      original_name: 'Bericht.pdf',
      content_type: 'application/pdf',
      byte_size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest(),
    })
  })

  it('rejects and removes a file of another type, whatever its name', async () => {
    const key = await uploaded('<script>alert(1)</script>')
    await expect(register(key, ['pdf', 'png', 'jpeg'])).rejects.toMatchObject({
      code: 'invalid',
      message: 'The file is not a PDF, a PNG, or a JPEG',
      errors: [{ field: 'file', message: 'The file is not a PDF, a PNG, or a JPEG' }],
    })
    expect(await store.stat(key)).toBeNull()
  })

  it('rejects an upload that never arrived, and one that was already used', async () => {
    await expect(register('up/never', ['pdf'])).rejects.toMatchObject({ message: 'The file has not been uploaded' })
    const key = await uploaded('%PDF-1.4')
    await register(key, ['pdf'])
    await expect(register(key, ['pdf'])).rejects.toMatchObject({ message: 'This upload has been used before' })
  })
})

describe('requireOwnUpload', () => {
  it('accepts only the session and purpose of the slot', async () => {
    const key = await uploaded('%PDF-1.4')
    await requireOwnUpload(database.db, { key, sessionId, purpose: 'DOCUMENT' })
    for (const wrong of [{ sessionId: randomUUID() }, { purpose: 'REPORT' }, { key: 'up/other' }]) {
      await expect(
        requireOwnUpload(database.db, { key, sessionId, purpose: 'DOCUMENT', ...wrong }),
      ).rejects.toMatchObject({
        code: 'invalid',
      })
    }
  })
})

describe('cleanUploads', () => {
  const isAwaited = () => sql<boolean>`false`

  it('removes expired slots with their orphans, and keeps what was registered or is still open', async () => {
    const [orphan, taken, open] = [await uploaded('%PDF-1'), await uploaded('%PDF-1'), await uploaded('%PDF-1')]
    await register(taken, ['pdf'])
    const temporary = `export/${randomUUID()}.csv`
    await store.put(temporary, Buffer.from('a,b'), 'text/csv')
    await database.db
      .transaction()
      .execute((trx) => registerTemporaryObject(trx, { key: temporary, sessionId, purpose: 'EXPORT', seconds: 60 }))
    await database.pool.query(
      `update upload_slot set expires_at = now() - interval '2 hours' where object_key = any($1)`,
      [[orphan, taken, temporary]],
    )
    expect(await cleanUploads(database.db, store, { isAwaited })).toBe(3)
    expect(await Promise.all([orphan, taken, open, temporary].map((key) => store.stat(key)))).toEqual([
      null,
      { size: 6 },
      { size: 6 },
      null,
    ])
    expect(await cleanUploads(database.db, store, { isAwaited })).toBe(0)
  })
})

it('keeps a temporary file for its time from its creation, however long its transaction has been running', async () => {
  const key = `export/${randomUUID()}.csv`
  const { rows } = await database.db.transaction().execute(async (trx) => {
    await sql`select pg_sleep(0.3)`.execute(trx)
    await registerTemporaryObject(trx, { key, sessionId, purpose: 'EXPORT', seconds: 60 })
    return sql<{ isWhole: boolean }>`
      select expires_at > now() + interval '60.2 seconds' as "isWhole" from upload_slot where object_key = ${key}`.execute(
      trx,
    )
  })
  expect(rows).toEqual([{ isWhole: true }])
})

it('stores a file that we made ourselves', async () => {
  const file = {
    key: 'made/one.pdf',
    body: Buffer.from('%PDF-1.7'),
    originalName: 'one.pdf',
    contentType: 'application/pdf',
    createdBy: null,
  }
  const { id } = await database.db.transaction().execute((trx) => storeFile(trx, store, file))
  const { rows } = await database.pool.query('select object_key, byte_size from stored_file where id = $1', [id])
  expect(rows).toEqual([{ object_key: 'made/one.pdf', byte_size: 8 }])
})

describe('sniff', () => {
  it.each([
    ['pdf', Buffer.from('%PDF-1.7')],
    ['pdf', Buffer.from('\ufeff\r\n%PDF-2.0')],
    ['png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
    ['jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['tiff', Buffer.from('49492a0008000000', 'hex')],
    ['tiff', Buffer.from('4d4d002a00000008', 'hex')],
    ['zip', Buffer.from('504b030414000000', 'hex')],
    ['csv', Buffer.from('\ufeffreqId,patient\r\n1,"Müller, Ä"\r\n')],
    ['csv', Buffer.from('name;city\nM\xfcller;K\xf6ln', 'latin1')],
    [null, Buffer.alloc(0)],
    [null, Buffer.from('a\u0000b')],
    [null, Buffer.from('7f454c46', 'hex')],
    ['csv', Buffer.from('fffe61000a00', 'hex')],
    ['csv', Buffer.from('feff0061000a', 'hex')],
    [null, Buffer.from('fffe61000000', 'hex')],
  ])('calls it %s', (kind, bytes) => expect(sniff(bytes)).toBe(kind))

  it('does not mistake text that mentions a PDF for one', () => expect(sniff(Buffer.from('see %PDF-1.7'))).toBe('csv'))
})
