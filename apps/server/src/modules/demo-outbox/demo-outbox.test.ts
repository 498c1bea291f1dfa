import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import type { DemoMessage } from './page.ts'
import { demoOutboxRoutes } from './routes.ts'

let database: TestDatabase
let app: FastifyInstance
beforeAll(async () => {
  database = await openTestDatabase()
  app = fastify()
  demoOutboxRoutes(app, database.pool, { config: { secret: 'x'.repeat(40) } })
  await database.db.transaction().execute(async (trx) => {
    await queueMessage(trx, { channel: 'SMS', to: '15550001', body: 'Your code is 123456' })
    await queueMessage(trx, {
      channel: 'EMAIL',
      to: '"><script>x</script>@Example.org',
      subject: '<img src=x onerror=alert(1)>',
      body: `Open http://localhost:3000/invite?a=1&b=2 <b>now</b>`,
    })
  })
})
afterAll(async () => {
  await app.close()
  await database.close()
})

describe('GET /demo/outbox.json', () => {
  it('lists messages, newest first', async () => {
    const list = (await app.inject('/demo/outbox.json')).json<DemoMessage[]>()
    expect(list.map(({ channel }) => channel)).toEqual(['EMAIL', 'SMS'])
    expect(list[1]).toEqual({
      id: expect.any(Number),
      channel: 'SMS',
      to: '15550001',
      subject: null,
      body: 'Your code is 123456',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
  })

  it('gives the messages of one recipient', async () => {
    expect((await app.inject('/demo/outbox.json?to=15550001')).json()).toHaveLength(1)
    expect((await app.inject('/demo/outbox.json?to=nobody')).json()).toEqual([])
    expect((await app.inject('/demo/outbox.json?to=a&to=b')).statusCode).toBe(200)
  })
})

describe('GET /demo/outbox', () => {
  it('shows what was sent as text, never as markup', async () => {
    const { body, headers } = await app.inject('/demo/outbox')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(body).not.toMatch(/<script|<img|onerror=alert\(1\)>|<b>now/)
    expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(body).not.toMatch(/<style| style=/)
  })

  it('makes addresses in a message clickable', async () => {
    const { body } = await app.inject('/demo/outbox')
    expect(body).toContain('<a href="http://localhost:3000/invite?a=1&amp;b=2" rel="noreferrer">')
  })

  it('brings its own style', async () => {
    const { headers } = await app.inject('/demo/outbox.css')
    expect(headers['content-type']).toBe('text/css; charset=utf-8')
  })
})
