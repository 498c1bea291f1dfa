import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fastify from 'fastify'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { AppError } from '../errors.ts'
import { storageRoutes } from '../http/disk-routes.ts'
import { toAppError } from '../http/error-handler.ts'
import { openDiskStore } from './disk-store.ts'
import { contentDisposition, fileNameOf, findUpload, isObjectKey, type ObjectStore } from './object-store.ts'
import { requireListPermission } from './open-object-store.ts'
import { openS3Store } from './s3-store.ts'
import { createUploadSlot } from './slots.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const changed: string[] = []
const onChanged = async (key: string) => {
  changed.push(key)
}

interface Opened {
  store: ObjectStore
  close: () => Promise<void>
}

const openDisk = async (): Promise<Opened> => {
  const app = fastify({ forceCloseConnections: true }) // a download may still be ending when the test is over
  let url = ''
  const folder = join(database.folder, 'files')
  const store = openDiskStore({ folder, secret: 's'.repeat(40), publicUrl: () => url, onChanged })
  await storageRoutes(app, { store, db: database.db })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { store, close: () => app.close() }
}

const openS3 = async (): Promise<Opened & { endpoint: string }> => {
  const directory = mkdtempSync(join(tmpdir(), 'lis-s3-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'lis' }],
  })
  const { port } = await server.run()
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const endpoint = `http://127.0.0.1:${port}`
  const options = { bucket: 'lis', region: 'us-east-1', endpoint, ...keys, forcePathStyle: true }
  const store = openS3Store({ ...options, onChanged })
  const close = async () => {
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { store, close, endpoint }
}

const sessionId = '00000000-0000-4000-8000-000000000001'
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe.each([
  ['disk', openDisk],
  ['S3', openS3],
])('the object store on %s', (name, open) => {
  let store: ObjectStore
  let close: () => Promise<void>
  beforeAll(async () => ({ store, close } = await open()))
  afterAll(() => close())
  const key = (file: string) => `contract/${name}/${file}`

  it('returns what was put as a buffer', async () => {
    await store.put(key('a.txt'), Buffer.from('Grüße'), 'text/plain')
    expect((await buffer(await store.get(key('a.txt')))).toString()).toBe('Grüße')
    expect(await store.stat(key('a.txt'))).toEqual({ size: 7 })
  })

  it('returns what was put as a stream longer than one part', async () => {
    const bytes = randomBytes(17 * 1024 * 1024 + 3)
    const chunks = Array.from({ length: 18 }, (_, index) =>
      bytes.subarray(index * 1024 * 1024, (index + 1) * 1024 * 1024),
    )
    await store.put(key('long.bin'), Readable.from(chunks), 'application/octet-stream')
    expect(hash(await buffer(await store.get(key('long.bin'))))).toBe(hash(bytes))
  })

  it('replaces an object atomically', async () => {
    await store.put(key('b.txt'), Buffer.from('first and longer'), 'text/plain')
    await store.put(key('b.txt'), Buffer.from('second'), 'text/plain')
    expect((await buffer(await store.get(key('b.txt')))).toString()).toBe('second')
  })

  it('stores nothing when the stream fails', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        throw new Error('gone')
      })(),
    )
    await expect(store.put(key('broken'), broken, 'text/plain')).rejects.toThrow('gone')
    expect(await store.stat(key('broken'))).toBeNull()
  })

  it('rejects with the failure of a stream that fails before it is read', async () => {
    const aborted = addAbortSignal(AbortSignal.abort(new Error('gone')), Readable.from([Buffer.from('x')]))
    await expect(store.put(key('aborted'), aborted, 'text/plain')).rejects.toMatchObject({ code: 'ABORT_ERR' })
    expect(await store.stat(key('aborted'))).toBeNull()
  })

  it('reports a missing object, and removes it twice without an error', async () => {
    await store.put(key('c.txt'), Buffer.from('x'), 'text/plain')
    await store.remove(key('c.txt'))
    await store.remove(key('c.txt'))
    expect(await store.stat(key('c.txt'))).toBeNull()
    await expect(store.get(key('c.txt'))).rejects.toMatchObject({ code: 'notFound' })
  })

  it('rejects keys that leave the folder', async () => {
    for (const bad of ['../x', '/etc/passwd', 'a/../../b', 'a//b', '.incoming/x', 'a/.b', 'a b', 'a\\b', '', 'a/']) {
      await expect(async () => store.put(bad, Buffer.from('x'), 'text/plain')).rejects.toThrow('Not an object key')
      await expect(async () => store.get(bad)).rejects.toThrow('Not an object key')
    }
  })

  it('takes an upload from a signed form and answers 204', async () => {
    const slot = await database.db
      .transaction()
      .execute((trx) =>
        createUploadSlot(trx, store, { sessionId, purpose: 'TEST', key: key('up.txt'), maxBytes: 2_000_000 }),
      )
    expect(Object.keys(slot.fields)).toEqual(
      expect.arrayContaining(['key', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'policy', 'x-amz-signature']),
    )
    const form = new FormData()
    for (const [field, value] of Object.entries(slot.fields)) form.append(field, value)
    const bytes = randomBytes(1_500_000)
    form.append('file', new Blob([bytes]), 'name.pdf')
    const reply = await fetch(slot.url, { method: 'POST', body: form })
    expect(reply.status).toBe(204)
    const kept = await store.settle(key('up.txt'))
    expect(await store.settle(key('up.txt'))).toBe(kept)
    expect(await findUpload(store, key('up.txt'))).toEqual({ key: kept, size: bytes.length })
    expect(hash(await buffer(await store.get(kept)))).toBe(hash(bytes))
  })

  it('cannot settle what was never uploaded', async () => {
    expect(await findUpload(store, key('never'))).toBeNull()
    await expect(store.settle(key('never'))).rejects.toMatchObject({ code: 'notFound' })
  })

  it('returns the hash of what it has written, and neither reads nor signs an object that has changed since', async () => {
    const place = key('swapped.pdf')
    const { sha256 } = await store.put(
      place,
      Readable.from([Buffer.from('Ann'), Buffer.from(' Lee')]),
      'application/pdf',
    )
    expect(sha256).toBe(hash(Buffer.from('Ann Lee')))
    expect((await buffer(await store.read(place, sha256))).toString()).toBe('Ann Lee')
    const begun = await store.read(place, sha256)
    changed.length = 0
    await store.put(place, Buffer.from('Bea Moss'), 'application/pdf')
    const refusal = { name: 'Error', key: place, code: 'conflict' }
    // Exchanged after it was compared and before it was read: the reader gets no end.
    await expect(buffer(begun)).rejects.toMatchObject(refusal)
    await expect(store.read(place, sha256)).rejects.toMatchObject(refusal)
    await expect(store.verify(place, sha256)).rejects.toMatchObject(refusal)
    const options = { sha256, fileName: 'a.pdf', contentType: 'application/pdf', expiresSeconds: 60 }
    await expect(store.downloadUrl(place, options)).rejects.toMatchObject(refusal)
    expect(changed).toEqual([place, place, place, place])
  })

  it('lets the holder of a signed URL download, with the real name', async () => {
    const { sha256 } = await store.put(key('r.pdf'), Buffer.from('%PDF-1.7'), 'application/pdf')
    const address = await store.downloadUrl(key('r.pdf'), {
      sha256,
      fileName: 'Befund "Müller" – 検査.pdf',
      contentType: 'application/pdf',
      expiresSeconds: 60,
    })
    const reply = await fetch(address)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('application/pdf')
    expect(reply.headers.get('content-disposition')).toBe(contentDisposition('Befund "Müller" – 検査.pdf'))
    expect(await reply.text()).toBe('%PDF-1.7')
  })
})

describe('an S3 store that does not answer', () => {
  it('is reported as the store, not the database, and not as a rejection', async () => {
    const keys = { accessKeyId: 'a', secretAccessKey: 'b' }
    const endpoint = 'http://127.0.0.1:1'
    const store = openS3Store({ bucket: 'lis', region: 'us-east-1', endpoint, ...keys, forcePathStyle: true })
    for (const call of [
      () => store.get('a/b.txt'),
      () => store.stat('a/b.txt'),
      () => store.put('a/b.txt', Buffer.from('x'), 'text/plain'),
      () => store.settle('a/b.txt'),
      () => store.remove('a/b.txt'),
    ]) {
      const error = await call().then(
        () => null,
        (fault) => fault,
      )
      expect(error).not.toBeInstanceOf(AppError)
      const { code, message } = toAppError(error)
      expect([code, message]).toEqual(['unavailable', 'The file store cannot be reached, please try again'])
    }
  })
})

describe('the permissions at an S3 store', () => {
  const s3 = (endpoint: string, accessKeyId: string) =>
    openS3Store({
      ...{ bucket: 'lis', region: 'us-east-1', endpoint, accessKeyId, secretAccessKey: 'S3RVER', forcePathStyle: true },
    })

  it('are checked at start: 403 for a missing object ends it with a sentence, 404 does not', async () => {
    const { store, endpoint, close } = await openS3()
    try {
      await expect(requireListPermission(store)).resolves.toBe(undefined)
      await expect(requireListPermission(s3(endpoint, 'SOMEBODY'))).rejects.toThrow(/answers 403.*s3:ListBucket/)
    } finally {
      await close()
    }
  })

  it('are not checked at a store that cannot be reached', async () => {
    await expect(requireListPermission(s3('http://127.0.0.1:9', 'S3RVER'))).resolves.toBe(undefined)
  })
})

describe('names', () => {
  it('writes a file name for old and new clients', () => {
    expect(contentDisposition('a\r\nb"ü.pdf')).toBe(`attachment; filename="ab__.pdf"; filename*=UTF-8''ab%22%C3%BC.pdf`)
    expect(contentDisposition('../../etc/x.pdf', true)).toBe(`inline; filename="x.pdf"; filename*=UTF-8''x.pdf`)
    expect(contentDisposition('\u0000')).toContain('filename="file"')
    expect(contentDisposition('1003025_王.pdf')).toBe(
      `attachment; filename="1003025__.pdf"; filename*=UTF-8''1003025_%E7%8E%8B.pdf`,
    )
    expect(contentDisposition(`${'x'.repeat(199)}𠮷.pdf`)).toContain('%EF%BF%BD')
  })

  it.each([
    [[1003025, '王'], '1003025_王'],
    [['محمد', 'علي', '1961-04-05'], 'محمد_علي_1961-04-05'],
    [[1, 'Mu\u0308ller-Öz'], '1_Müller-Öz'],
    [['कुमारी', 'Łukasz'], 'कुमारी_Łukasz'],
    [[1, '../..\\C:\r\n"<script>"%00*?|\u202e'], '1_Cscript00'],
    [['-rf', '---', "O'Neil"], 'rf_ONeil'],
  ])('writes names of any script into a file name, without unsafe characters (%#)', (parts, name) => {
    expect(fileNameOf(...parts)).toBe(name)
  })

  it('recognizes an object key', () => {
    expect(['a', 'a/b-c/d_e.pdf', '2026/11/x..y'].every(isObjectKey)).toBe(true)
    expect(['..', 'a/..', './a', 'a\n', 'x'.repeat(401)].some(isObjectKey)).toBe(false)
  })
})
