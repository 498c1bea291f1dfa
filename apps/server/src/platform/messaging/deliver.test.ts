import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type MailServer, openMailServer } from '../../../test/mail-server.ts'
import { openSmsGateway } from '../../../test/sms-gateway.ts'
import { openDiskStore } from '../storage/disk-store.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { storeFile } from '../storage/stored-files.ts'
import { type DeliveryServices, deliverDue, type MessageOwner, type Outcome } from './deliver.ts'
import type { Transports } from './message.ts'
import { encryptPlainMessages, type NewMessage, queueMessage } from './outbox.ts'
import { openSmsTransport } from './sms-transport.ts'
import { openSmtpTransport } from './smtp-transport.ts'

let database: TestDatabase
let store: ObjectStore
let mail: MailServer
let transports: Transports

beforeAll(async () => {
  database = await openTestDatabase()
  store = openDiskStore({ folder: join(database.folder, 'files'), secret: 'x'.repeat(40), publicUrl: () => '' })
  mail = await openMailServer()
  const smtp = openSmtpTransport({ url: mail.url, from: 'LIS <no-reply@lab.example>' })
  transports = { EMAIL: smtp, FAX: smtp }
})
afterAll(async () => {
  transports.EMAIL?.close()
  await mail.close()
  await database.close()
})
beforeEach(async () => {
  mail.reset()
  await database.owner.query('truncate outbox_attempt, outbox_message cascade')
})

const services = (overrides: Partial<DeliveryServices> = {}): DeliveryServices => ({
  db: database.db,
  store,
  transports,
  demo: false,
  config: { secret: 'x'.repeat(40) },
  ...overrides,
})
const listener = (outcomes: Outcome[]): MessageOwner => ({
  cancelIfObsolete: async () => false,
  onOutcome: async (_, outcome) => void outcomes.push(outcome),
})
const queue = (message: Partial<NewMessage> = {}) =>
  database.db
    .transaction()
    .execute((trx) =>
      queueMessage(trx, { channel: 'EMAIL', to: 'ann@example.org', subject: 'Hello', body: 'Text', ...message }),
    )
const rowOf = async (id: number) =>
  (
    await database.pool.query(
      `select *, extract(epoch from next_attempt_at - now())::int as due_in from outbox_message where id = $1`,
      [id],
    )
  ).rows[0]
const attemptsOf = async (id: number) =>
  (await database.pool.query('select succeeded, detail from outbox_attempt where message_id = $1 order by id', [id]))
    .rows
const makeDue = (id: number) =>
  database.pool.query('update outbox_message set next_attempt_at = now() where id = $1', [id])

describe('queueMessage', () => {
  it('is part of the caller’s transaction', async () => {
    await expect(
      database.db.transaction().execute(async (trx) => {
        await queueMessage(trx, { channel: 'SMS', to: '1', body: 'x' })
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    expect(await deliverDue(services())).toBe(0)
  })

  it('queues a message with the same key once', async () => {
    const first = await queue({ dedupeKey: 'report 7 to ann' })
    expect(await queue({ dedupeKey: 'report 7 to ann' })).toEqual({ ...first, isNew: false })
    expect(await deliverDue(services())).toBe(1)
    expect(mail.received).toHaveLength(1)
  })
})

describe('a text that is stored encrypted', () => {
  const tools = { config: { secret: 'x'.repeat(40) } }
  const sent: string[] = []
  const HL7 = { send: async ({ body }: { body: string }) => String(sent.push(body)), close: () => undefined }
  beforeEach(() => {
    sent.length = 0
  })

  it('is sent as it was given, also after an upgrade from a release that stored it plain', async () => {
    const text = 'MSH|^~\\&|\rPID|1||7^^^LIS||Größe'
    const { id } = await queue({ channel: 'HL7', body: text, encryptWith: tools })
    const { id: older } = await queue({ channel: 'HL7', body: text })
    await encryptPlainMessages(database.db, tools)
    for (const row of [await rowOf(id), await rowOf(older)]) {
      expect(row.body).toBe('')
      expect(row.encrypted_body.includes('Gr')).toBe(false)
    }
    expect((await rowOf(older)).patient_id).toBe(7)
    expect(await deliverDue(services({ transports: { HL7 } }))).toBe(2)
    expect(sent).toEqual([text, text])
  })

  it('is not sent with another secret: the attempt says why', async () => {
    const { id } = await queue({ channel: 'HL7', body: 'MSH', encryptWith: tools })
    await deliverDue(services({ transports: { HL7 }, config: { secret: 'y'.repeat(40) } }))
    expect(sent).toEqual([])
    expect(await attemptsOf(id)).toEqual([
      { succeeded: false, detail: 'The message was encrypted with another LIS_SECRET and cannot be read' },
    ])
  })
})

describe('deliverDue by mail', () => {
  it('sends text, umlauts and a recognisable message id, and records what the server said', async () => {
    const { id } = await queue({ subject: 'Größe – 結果', body: 'Grüße\nzweite Zeile' })
    expect(await deliverDue(services())).toBe(1)
    expect(mail.received[0]).toMatchObject({
      from: { name: 'LIS', address: 'no-reply@lab.example' },
      to: [{ address: 'ann@example.org' }],
      subject: 'Größe – 結果',
    })
    expect(mail.received[0]?.text?.trim()).toBe('Grüße\nzweite Zeile')
    expect(mail.received[0]?.messageId).toMatch(new RegExp(`^<lis-${id}-[a-z0-9]+@lab\\.example>$`))
    expect(await rowOf(id)).toMatchObject({ state: 'SENT', attempts: 1, sent_at: expect.any(String) })
    expect(await attemptsOf(id)).toEqual([{ succeeded: true, detail: expect.stringContaining('250') }])
    expect(await deliverDue(services())).toBe(0)
  })

  it('streams attachments from the store, also for a fax', async () => {
    const body = randomBytes(700_000)
    const file = {
      key: 'f/1.pdf',
      body,
      originalName: 'Bericht Ä.pdf',
      contentType: 'application/pdf',
      createdBy: null,
    }
    const { id: fileId } = await database.db.transaction().execute((trx) => storeFile(trx, store, file))
    await queue({ channel: 'FAX', to: '5551234@fax.example', attachmentIds: [fileId] })
    await deliverDue(services())
    const [attachment] = mail.received[0]?.attachments ?? []
    expect(attachment).toMatchObject({ filename: 'Bericht Ä.pdf', mimeType: 'application/pdf' })
    expect(Buffer.from(attachment?.content as ArrayBuffer).equals(body)).toBe(true)
  })

  it('does not send a message whose attachment is missing', async () => {
    const { id } = await queue({ attachmentIds: [999] })
    await deliverDue(services())
    expect(await rowOf(id)).toMatchObject({ state: 'FAILED' })
    expect(mail.received).toHaveLength(0)
    const gone = {
      key: 'f/2.pdf',
      body: Buffer.from('x'),
      originalName: 'x',
      contentType: 'application/pdf',
      createdBy: null,
    }
    const { id: fileId } = await database.db.transaction().execute((trx) => storeFile(trx, store, gone))
    await store.remove(gone.key)
    const second = await queue({ attachmentIds: [fileId] })
    await deliverDue(services())
    expect(await attemptsOf(second.id)).toEqual([{ succeeded: false, detail: 'File not found' }])
    expect(mail.received).toHaveLength(0)
  })

  it('never makes two recipients or another header out of an address', async () => {
    const { id } = await queue({ to: 'ann@example.org, eve@example.org', subject: 'a\r\nBcc: eve@example.org' })
    await deliverDue(services())
    expect(mail.recipients.flat()).not.toContain('eve@example.org')
    expect(['SENT', 'DEAD']).toContain((await rowOf(id)).state)
  })

  it('gives up at once when the server rejects a message for good, with the server’s text', async () => {
    mail.refuse = () => 550
    const { id } = await queue()
    const outcomes: Outcome[] = []
    await deliverDue(services({ owner: listener(outcomes) }))
    expect(outcomes).toEqual([
      {
        messageId: id,
        state: 'DEAD',
        detail: expect.stringContaining('550'),
        answer: null,
        isRefused: true,
        attempts: 1,
        isFirst: true,
      },
    ])
    await makeDue(id)
    expect(await deliverDue(services())).toBe(0)
    expect(await rowOf(id)).toMatchObject({ state: 'DEAD', attempts: 1, sent_at: null })
  })

  it('retries when the server rejects our own address, which can be fixed', async () => {
    mail.refuseSender = 553
    const { id } = await queue()
    await deliverDue(services())
    expect(await rowOf(id)).toMatchObject({ state: 'FAILED', attempts: 1 })
    expect((await attemptsOf(id))[0].detail).toContain('553')
  })

  it('retries a temporary failure after 1, 5, 30, 120 and 720 minutes, then gives up', async () => {
    mail.refuse = () => 450
    const { id } = await queue()
    const outcomes: Outcome[] = []
    const delays: number[] = []
    for (let round = 1; round <= 6; round++) {
      await deliverDue(services({ owner: listener(outcomes) }))
      delays.push(Math.round((await rowOf(id)).due_in / 60))
      await makeDue(id)
    }
    expect(delays).toEqual([1, 5, 30, 120, 720, 0])
    expect(outcomes.map(({ state }) => state)).toEqual(['FAILED', 'FAILED', 'FAILED', 'FAILED', 'FAILED', 'DEAD'])
    expect(outcomes.map(({ isFirst, isRefused }) => [isFirst, isRefused])).toEqual([
      [true, false],
      ...Array.from({ length: 5 }, () => [false, false]),
    ])
    expect(await deliverDue(services())).toBe(0)
    expect(await rowOf(id)).toMatchObject({ state: 'DEAD', attempts: 6, sent_at: null })
    expect((await attemptsOf(id))[0].detail).toContain('450')
  })

  it('stops waiting for a server that no longer answers, and sends later', async () => {
    mail.isSilent = true
    const { id } = await queue()
    const impatient = openSmtpTransport({ url: mail.url, from: 'LIS <no-reply@lab.example>', stepMs: 400 })
    await deliverDue(services({ transports: { EMAIL: impatient } }))
    impatient.close()
    expect(await rowOf(id)).toMatchObject({ state: 'FAILED' })
    mail.reset()
    await makeDue(id)
    await deliverDue(services())
    expect(await rowOf(id)).toMatchObject({ state: 'SENT', attempts: 2 })
  })

  it('limits the time of a transport that never answers', async () => {
    const stuck = { send: () => new Promise<string>(() => undefined), close: () => undefined }
    const { id } = await queue()
    await deliverDue(services({ transports: { EMAIL: stuck }, sendMs: 100 }))
    expect(await attemptsOf(id)).toEqual([{ succeeded: false, detail: 'The gateway did not answer in time' }])
  })
})

describe('several senders', () => {
  it('share the work without sending anything twice', async () => {
    for (let n = 0; n < 12; n++) await queue({ to: `p${n}@example.org` })
    const counts = await Promise.all([deliverDue(services(), 5), deliverDue(services(), 5), deliverDue(services(), 5)])
    expect(counts.reduce((sum, n) => sum + n)).toBe(12)
    expect(new Set(mail.received.map(({ messageId }) => messageId)).size).toBe(12)
    expect(mail.received).toHaveLength(12)
  })

  it('takes over after the lease from a sender that died between claim and send', async () => {
    const { id } = await queue()
    const dying = { send: () => new Promise<string>(() => undefined), close: () => undefined }
    // Its minute ends long after this database has gone.
    deliverDue(services({ transports: { EMAIL: dying }, sendMs: 60_000 })).catch(() => undefined)
    await expect.poll(async () => (await rowOf(id)).state).toBe('SENDING')
    expect(await deliverDue(services())).toBe(0)
    expect((await rowOf(id)).due_in).toBeGreaterThan(110)
    await makeDue(id) // two minutes pass
    expect(await deliverDue(services())).toBe(1)
    expect(await rowOf(id)).toMatchObject({ state: 'SENT', attempts: 2 })
    expect(await attemptsOf(id)).toEqual([
      { succeeded: false, detail: expect.stringContaining('stopped before it could report') },
      { succeeded: true, detail: expect.any(String) },
    ])
  })

  it('gives up a message that kills its sender every time', async () => {
    const { id } = await queue()
    await database.pool.query(
      `update outbox_message set state = 'SENDING', attempts = 6, next_attempt_at = now() where id = $1`,
      [id],
    )
    await deliverDue(services())
    expect(await rowOf(id)).toMatchObject({ state: 'DEAD' })
    expect(mail.received).toHaveLength(0)
  })
})

describe('a message that expires', () => {
  it('is sent at once, also by mail, while the mail server delays everything else', async () => {
    const slow = await openMailServer()
    const smtp = openSmtpTransport({ url: slow.url, from: 'LIS <no-reply@lab.example>', stepMs: 60_000 })
    const gateway = await openSmsGateway(() => 200)
    const over = { transports: { EMAIL: smtp, SMS: openSmsTransport({ url: gateway.url }) }, sendMs: 60_000 }
    for (let n = 0; n < 30; n++) await queue({ to: `p${n}@example.org` })
    slow.isSilent = true
    let isWaiting = true
    const reports = deliverDue(services({ ...over, queue: 'mail' })).finally(() => (isWaiting = false))
    const { pool } = database
    await expect
      .poll(async () => (await pool.query(`select 1 from outbox_message where state = 'SENDING'`)).rowCount)
      .toBe(10)
    // All kept connections are in use.
    await expect.poll(() => slow.unanswered).toBe(3)
    slow.isSilent = false
    await queue({ channel: 'SMS', to: '15551234567', body: 'Code 1', expiresInSeconds: 180 })
    await queue({ to: 'reset@example.org', expiresInSeconds: 3600 })
    expect(await deliverDue(services({ ...over, queue: 'codes' }))).toBe(1)
    expect(await deliverDue(services({ ...over, queue: 'links' }))).toBe(1)
    expect(isWaiting).toBe(true)
    expect(gateway.calls).toHaveLength(1)
    expect(slow.recipients).toEqual([['reset@example.org']])
    await slow.close()
    await reports
    smtp.close()
    gateway.close()
  })

  it('is not sent after it has expired', async () => {
    const gateway = await openSmsGateway(() => 200)
    const { id } = await queue({ channel: 'SMS', to: '15551234567', body: 'Code 1', expiresInSeconds: 180 })
    await database.pool.query('update outbox_message set expires_at = now() where id = $1', [id])
    await deliverDue(services({ transports: { SMS: openSmsTransport({ url: gateway.url }) }, queue: 'codes' }))
    expect(gateway.calls).toHaveLength(0)
    expect(await rowOf(id)).toMatchObject({ state: 'DEAD', attempts: 0, sent_at: null })
    expect(await attemptsOf(id)).toEqual([{ succeeded: false, detail: 'It expired before it could be sent' }])
    gateway.close()
  })
})

describe('without a gateway', () => {
  it('leaves the message in the demo outbox in demo mode', async () => {
    const { id } = await queue({ channel: 'SMS', to: '15551234567' })
    await deliverDue(services({ demo: true }))
    expect(await rowOf(id)).toMatchObject({ state: 'SENT' })
    expect(await attemptsOf(id)).toEqual([{ succeeded: true, detail: 'demo outbox' }])
  })

  it('otherwise keeps the message, says which setting is missing, and sends it once there is a gateway', async () => {
    const { id } = await queue({ channel: 'SMS', to: '15551234567', body: 'Code 1' })
    for (let round = 0; round < 8; round++) {
      await deliverDue(services())
      await makeDue(id)
    }
    expect(await rowOf(id)).toMatchObject({ state: 'FAILED', attempts: 0 })
    expect((await attemptsOf(id))[0]).toEqual({
      succeeded: false,
      detail: 'No gateway for SMS is configured (set SMS_GATEWAY_URL)',
    })
    const gateway = await openSmsGateway(() => 202)
    await deliverDue(services({ transports: { SMS: openSmsTransport({ url: gateway.url, token: 'secret' }) } }))
    expect(await rowOf(id)).toMatchObject({ state: 'SENT', attempts: 1 })
    expect(gateway.calls).toEqual([
      {
        body: { to: '15551234567', body: 'Code 1' },
        authorization: 'Bearer secret',
        key: expect.stringMatching(`^lis-${id}-`),
      },
    ])
    gateway.close()
  })
})

it('does not repeat a text message to a number that the gateway does not know', async () => {
  const gateway = await openSmsGateway(() => 422)
  const { id } = await queue({ channel: 'SMS', to: '1' })
  await deliverDue(services({ transports: { SMS: openSmsTransport({ url: gateway.url }) } }))
  expect(await rowOf(id)).toMatchObject({ state: 'DEAD', attempts: 1 })
  gateway.close()
})

it('sends the gateway the same idempotency key when it repeats a text message', async () => {
  let status = 500
  const gateway = await openSmsGateway(() => status)
  const sms = { transports: { SMS: openSmsTransport({ url: gateway.url }) } }
  const { id } = await queue({ channel: 'SMS', to: '1' })
  await deliverDue(services(sms))
  expect((await attemptsOf(id))[0].detail).toBe('The SMS gateway answered 500: told so')
  status = 200
  await makeDue(id)
  await deliverDue(services(sms))
  expect(new Set(gateway.calls.map(({ key }) => key)).size).toBe(1)
  expect(await rowOf(id)).toMatchObject({ state: 'SENT' })
  gateway.close()
})
