import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { type EventHub, openEventHub } from './hub.ts'
import { type AppEvent, payloadOf, publish } from './publish.ts'
import { type EventStream, eventStreams } from './sse.ts'

let database: TestDatabase
let hub: EventHub
beforeAll(async () => {
  database = await openTestDatabase()
  hub = await openEventHub(database.url, { heartbeatMs: 5000, retryMs: 20 })
})
afterAll(async () => {
  await hub.close()
  await database.close()
})

const listen = (filter: Parameters<EventHub['subscribe']>[0]) => {
  const heard: AppEvent[] = []
  return { heard, stop: hub.subscribe(filter, (event) => heard.push(event)) }
}

describe('the event hub', () => {
  it('delivers an event to matching subscribers after the commit', async () => {
    const [mine, others, topic] = [listen({ userId: 1 }), listen({ userId: 2 }), listen({ topic: 'job' })]
    await database.db.transaction().execute(async (trx) => {
      await publish(trx, { topic: 'job', userId: 1, data: { text: 'Grüße' } })
      await new Promise((later) => setTimeout(later, 50))
      expect(mine.heard).toEqual([])
    })
    await expect.poll(() => mine.heard).toEqual([{ topic: 'job', userId: 1, data: { text: 'Grüße' } }])
    expect(others.heard).toEqual([])
    expect(topic.heard).toHaveLength(1)
    for (const { stop } of [mine, others, topic]) stop()
  })

  it('sends nothing after a rollback', async () => {
    const all = listen({})
    await expect(
      database.db.transaction().execute(async (trx) => {
        await publish(trx, { topic: 'undone', data: null })
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    await publish(database.db, { topic: 'after', data: null })
    await expect.poll(() => all.heard.map(({ topic }) => topic)).toEqual(['after'])
    all.stop()
  })

  it('sends only the ids when the data is too long', async () => {
    const all = listen({ topic: 'long' })
    await publish(database.db, {
      topic: 'long',
      userId: 3,
      data: { id: 'abc', jobId: 7, kind: 'export', text: 'ü'.repeat(5000) },
    })
    await expect
      .poll(() => all.heard)
      .toEqual([{ topic: 'long', userId: 3, data: { id: 'abc', jobId: 7, kind: 'export' }, isPartial: true }])
    expect(
      Buffer.byteLength(
        payloadOf({
          topic: 't',
          data: Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`a${n}Id`, 'x'.repeat(90)])),
        }),
      ),
    ).toBeLessThan(8000)
    all.stop()
  })

  it('ignores malformed payloads, and survives a subscriber that throws', async () => {
    const stop = hub.subscribe({}, () => {
      throw new Error('bad listener')
    })
    const all = listen({})
    await database.pool.query(`select pg_notify('lis_events', 'not json'), pg_notify('lis_events', '{"topic":5}')`)
    await publish(database.db, { topic: 'fine', data: 1 })
    await expect.poll(() => all.heard.map(({ topic }) => topic)).toEqual(['fine'])
    stop()
    all.stop()
  })

  it('reconnects after a lost connection and reports the gap', async () => {
    const all = listen({ topic: 'again' })
    let gaps = 0
    const stop = hub.onGap(() => gaps++)
    await database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lis-events' and datname = current_database()`,
    )
    await expect.poll(() => gaps).toBeGreaterThan(0)
    await publish(database.db, { topic: 'again', data: 1 })
    await expect.poll(() => all.heard).toHaveLength(1)
    stop()
    all.stop()
  })

  it('fails to open when no database answers', async () => {
    await expect(openEventHub('postgres://x:y@127.0.0.1:1/none')).rejects.toThrow()
  })
})

describe('an event stream', () => {
  const openServer = async () => {
    const app = fastify()
    const openStream = eventStreams(app, { heartbeatMs: 60 })
    const streams: EventStream[] = []
    app.get('/events', (_, reply) => {
      reply.header('x-frame-options', 'DENY')
      streams.push(openStream(reply))
    })
    return { app, streams, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
  }
  const reader = async (url: string, abort?: AbortController) => {
    const reply = await fetch(`${url}/events`, abort && { signal: abort.signal })
    let text = ''
    const ended = (async () => {
      for await (const chunk of reply.body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(chunk)
    })().catch(() => undefined)
    return { reply, ended, text: () => text }
  }

  it('sends events, heartbeats and the headers of earlier hooks', async () => {
    const { app, streams, url } = await openServer()
    const { reply, text } = await reader(url)
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reply.headers.get('x-frame-options')).toBe('DENY')
    streams[0]?.send('job', { text: 'line\nbreak' })
    await expect.poll(text).toContain('retry: 3000\n\nevent: job\ndata: {"text":"line\\nbreak"}\n\n')
    await expect.poll(text).toContain(': still here\n\n')
    await app.close()
  })

  it('ends when the server stops, so that it can close', async () => {
    const { app, url } = await openServer()
    const { ended } = await reader(url)
    const started = Date.now()
    await app.close()
    await ended
    expect(Date.now() - started).toBeLessThan(onQuietMachine(3000))
  })

  it('notices that its client has disconnected', async () => {
    const { app, streams, url } = await openServer()
    const abort = new AbortController()
    await reader(url, abort)
    let isClosed = false
    streams[0]?.onClose(() => {
      isClosed = true
    })
    abort.abort()
    await expect.poll(() => isClosed).toBe(true)
    streams[0]?.send('late', 1)
    let told = false
    streams[0]?.onClose(() => {
      told = true
    })
    expect(told).toBe(true)
    await app.close()
  })
})
