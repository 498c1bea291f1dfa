import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { storagePath } from '../../../test/multipart.ts'
import { signUpload } from '../storage/disk-signature.ts'
import { type DiskStore, openDiskStore } from '../storage/disk-store.ts'
import { createUploadSlot } from '../storage/slots.ts'
import { storageRoutes } from './disk-routes.ts'
import { registerErrorHandlers } from './error-handler.ts'

const secret = 'a secret of more than thirty-two characters'
const sessionId = randomUUID()
let database: TestDatabase
let app: FastifyInstance
let store: DiskStore
let url = ''
let folder = ''

beforeAll(async () => {
  database = await openTestDatabase()
  folder = join(database.folder, 'files')
  store = openDiskStore({ folder, secret, publicUrl: () => url })
  app = fastify({ bodyLimit: 1024 * 1024, forceCloseConnections: true })
  await storageRoutes(app, { store, db: database.db })
  registerErrorHandlers(app, { sendPage: null, apiPrefixes: ['/storage'] })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  await database.close()
})

const newKey = () => `doc/${randomUUID()}.pdf`
const slotFor = (key: string, maxBytes = 1000) =>
  database.db
    .transaction()
    .execute((trx) => createUploadSlot(trx, store, { sessionId, purpose: 'TEST', key, maxBytes }))

const post = async (fields: Record<string, string>, file: Blob | null = new Blob(['%PDF-1.7'])) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', file, 'x.pdf')
  const reply = await fetch(`${url}${storagePath(fields)}`, { method: 'POST', body: form })
  const text = await reply.text()
  return { status: reply.status, message: text ? (JSON.parse(text) as { message: string }).message : '' }
}
const leftovers = () => (existsSync(join(folder, '.incoming')) ? readdirSync(join(folder, '.incoming')) : [])

describe('POST /storage', () => {
  it('stores the file without any session token and answers 204 without a body', async () => {
    const key = newKey()
    expect(await post((await slotFor(key)).fields)).toEqual({ status: 204, message: '' })
    expect(await store.stat(key)).toEqual({ size: 8 })
    expect(leftovers()).toEqual([])
  })

  it('refuses a slot that was used before', async () => {
    const key = newKey()
    const { fields } = await slotFor(key)
    await post(fields)
    expect(await post(fields, new Blob(['other bytes']))).toMatchObject({ status: 403 })
    expect(await store.stat(key)).toEqual({ size: 8 })
  })

  it('gives a slot to one of two senders at the same time', async () => {
    const { fields } = await slotFor(newKey())
    const replies = await Promise.all([post(fields), post(fields), post(fields)])
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 403, 403])
  })

  it('refuses another key than the signed one', async () => {
    const { fields } = await slotFor(newKey())
    const other = newKey()
    await slotFor(other)
    expect(await post({ ...fields, key: other })).toEqual({
      status: 403,
      message: 'The upload policy does not allow this key',
    })
    expect(await store.stat(other)).toBeNull()
  })

  it('refuses a forged signature, a changed policy, a missing field', async () => {
    const key = newKey()
    const { fields } = await slotFor(key, 10)
    const wider = signUpload('another secret, also long enough to be one', key, {
      maxBytes: 10_000,
      expiresSeconds: 60,
    })
    const refused = { status: 403, message: 'The upload signature is not valid' }
    expect(await post({ ...fields, 'x-amz-signature': '0'.repeat(64) })).toEqual(refused)
    expect(await post({ ...fields, 'x-amz-signature': '' })).toEqual(refused)
    expect(await post(wider)).toEqual(refused)
    expect(await post({ ...fields, policy: wider.policy })).toEqual(refused)
    const { policy: _, ...withoutPolicy } = fields
    expect(await post(withoutPolicy)).toEqual(refused)
    expect(await post({})).toEqual(refused)
    expect(await store.stat(key)).toBeNull()
  })

  it('refuses a signed form whose time is over', async () => {
    const key = newKey()
    await slotFor(key)
    const old = signUpload(secret, key, { maxBytes: 1000, expiresSeconds: 60 }, new Date(Date.now() - 61_000))
    expect(await post(old)).toEqual({ status: 403, message: 'The upload address has expired' })
  })

  it('refuses a signed form without a living slot row', async () => {
    const unknown = signUpload(secret, newKey(), { maxBytes: 1000, expiresSeconds: 60 })
    expect(await post(unknown)).toMatchObject({ status: 403, message: /used before or has expired/ })
    const key = newKey()
    const { fields } = await slotFor(key)
    await database.pool.query(`update upload_slot set expires_at = now() - interval '1 second' where object_key = $1`, [
      key,
    ])
    expect(await post(fields)).toMatchObject({ status: 403 })
  })

  it('refuses a signed key that leaves the folder', async () => {
    const key = '../escaped.txt'
    const { fields } = {
      fields: signUpload(secret, key, { maxBytes: 1000, expiresSeconds: 60 }),
    }
    await database.pool.query(
      `insert into upload_slot (object_key, session_id, purpose, expires_at) values ($1, $2, 'TEST', now() + interval '1 hour')`,
      [key, sessionId],
    )
    expect((await post(fields)).status).toBe(403)
    expect(existsSync(join(folder, key))).toBe(false)
  })

  it('takes exactly as much as the slot allows, and answers 413 to one byte more', async () => {
    const key = newKey()
    const { fields } = await slotFor(key, 2_000_000)
    expect((await post(fields, new Blob([Buffer.alloc(2_000_001)]))).status).toBe(413)
    expect(await store.stat(key)).toBeNull()
    expect(leftovers()).toEqual([])
    expect((await post(fields, new Blob([Buffer.alloc(2_000_000)]))).status).toBe(204)
    expect(await store.stat(key)).toEqual({ size: 2_000_000 })
  })

  it('cuts off a sender that does not stop', async () => {
    const key = newKey()
    const { fields } = await slotFor(key, 100)
    const sent = post(fields, new Blob([Buffer.alloc(64 * 1024 * 1024)]))
    const status = await sent.then((reply) => reply.status).catch(() => 'cut off')
    expect([413, 'cut off']).toContain(status)
    expect(await store.stat(key)).toBeNull()
    expect(leftovers()).toEqual([])
  })

  it('leaves nothing behind when the connection breaks, and lets the slot be used again', async () => {
    const key = newKey()
    const { fields } = await slotFor(key, 100_000)
    await sendHalf(fields, key)
    await expect.poll(async () => leftovers()).toEqual([])
    await expect.poll(async () => (await slotRow(key)).used_at).toBeNull()
    expect(await store.stat(key)).toBeNull()
    expect((await post(fields)).status).toBe(204)
  })

  it('wants a form with a file', async () => {
    const { fields } = await slotFor(newKey())
    expect(await post(fields, null)).toEqual({ status: 400, message: 'The form carries no file' })
    const json = await fetch(`${url}${storagePath(fields)}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(json.status).toBe(400)
    const form = new FormData()
    form.append('file', new Blob(['x']), 'first.pdf')
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    expect((await fetch(`${url}${storagePath(fields)}`, { method: 'POST', body: form })).status).toBe(403)
  })
})

describe('GET /storage', () => {
  const sha256 = createHash('sha256').update('%PDF-1.7').digest('hex')
  const options = { sha256, fileName: 'Bericht 1.pdf', contentType: 'application/pdf', expiresSeconds: 300 }
  const stored = async () => {
    const key = newKey()
    await store.put(key, Buffer.from('%PDF-1.7'), 'application/pdf')
    return key
  }
  const messageOf = async (address: string | URL) => {
    const reply = await fetch(address)
    return { status: reply.status, message: ((await reply.json()) as { message: string }).message }
  }

  it('gives the file with its name and forbids guessing its type', async () => {
    const reply = await fetch(await store.downloadUrl(await stored(), { ...options, inline: true }))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-disposition')).toBe(
      `inline; filename="Bericht 1.pdf"; filename*=UTF-8''Bericht%201.pdf`,
    )
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.get('content-length')).toBe('8')
    expect(reply.headers.get('cache-control')).toBe('private, no-store')
    expect(await reply.text()).toBe('%PDF-1.7')
  })

  it('refuses when anything in the address was changed', async () => {
    const address = new URL(await store.downloadUrl(await stored(), options))
    const changes: [string, string][] = [
      ['name', 'other.pdf'],
      ['type', 'text/html'],
      ['inline', '1'],
      ['expires', '9999999999'],
      ['sha256', '0'.repeat(64)],
      ['signature', '0'.repeat(64)],
      ['signature', 'ü'],
    ]
    for (const [name, value] of changes) {
      const changed = new URL(address)
      changed.searchParams.set(name, value)
      expect(await messageOf(changed)).toEqual({ status: 403, message: 'The download signature is not valid' })
    }
    const elsewhere = new URL(address)
    elsewhere.pathname = `/storage/${await stored()}`
    expect((await messageOf(elsewhere)).status).toBe(403)
    expect(await messageOf(`${url}/storage/doc/x.pdf`)).toEqual({
      status: 403,
      message: 'The download address is not valid',
    })
  })

  it('refuses an address whose time is over', async () => {
    const address = await store.downloadUrl(await stored(), { ...options, expiresSeconds: -2 })
    expect(await messageOf(address)).toEqual({ status: 403, message: 'The download address has expired' })
  })

  it('does not leave the folder', async () => {
    for (const path of ['..%2f..%2fetc%2fpasswd', '%2e%2e/%2e%2e/etc/passwd', '/etc/passwd', '.incoming/x']) {
      const reply = await fetch(
        `${url}/storage/${path}?expires=9999999999&name=a&type=text/plain&inline=0&sha256=${sha256}&signature=x`,
      )
      expect([403, 404]).toContain(reply.status)
    }
  })

  it('sends nothing of a file that was replaced after its URL was signed', async () => {
    const key = await stored()
    const address = await store.downloadUrl(key, options)
    writeFileSync(join(folder, key), '%PDF-1.6')
    expect(await messageOf(address)).toEqual({
      status: 409,
      message: 'The stored file has been changed. It cannot be opened, and the laboratory has been notified.',
    })
  })

  it('answers 404 when the object is missing', async () => {
    const key = await stored()
    const address = await store.downloadUrl(key, options)
    await store.remove(key)
    expect(await messageOf(address)).toEqual({ status: 404, message: 'File not found' })
  })
})

it('removes partial files of a killed process, but no file that is being written', async () => {
  const [old, fresh] = [join(folder, '.incoming', 'old'), join(folder, '.incoming', 'fresh')]
  writeFileSync(old, 'x')
  writeFileSync(fresh, 'x')
  utimesSync(old, new Date(0), new Date(0))
  expect(await store.sweep(3600_000)).toBe(1)
  expect([existsSync(old), existsSync(fresh)]).toEqual([false, true])
})

const slotRow = async (key: string) =>
  (
    await database.pool.query<{ used_at: string | null }>('select used_at from upload_slot where object_key = $1', [
      key,
    ])
  ).rows[0] ?? {
    used_at: 'no row',
  }

/** Announces 50,000 bytes of file, sends some, and hangs up. */
const sendHalf = (fields: Record<string, string>, key: string) =>
  new Promise<void>((done) => {
    const boundary = 'xxBOUNDARYxx'
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    parts.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x.pdf"\r\n\r\n${'%PDF'.repeat(2000)}`,
    )
    const head = `POST ${storagePath(fields)} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 50000\r\n\r\n`
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(head + parts.join('')))
    socket.on('error', () => undefined)
    socket.on('close', () => done())
    // The server is in the middle of it.
    const isTaken = expect.poll(async () => (await slotRow(key)).used_at).not.toBeNull()
    isTaken.finally(() => socket.destroy())
  })
