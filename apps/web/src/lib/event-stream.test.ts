import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aSession, openBrowser } from '../../test/fake-tabs.ts'
import { createSessionStore } from './session-store.ts'

// The module also opens the tab's own stream, which wants a browser.
vi.mock('./session.ts', () => ({ sessionStore: { get: () => null, subscribe: () => () => undefined } }))
const { createEventReader, createEventStream } = await import('./event-stream.ts')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server whose streams the test writes by hand. */
const openServer = () => {
  const streams: { token: string; isAborted: () => boolean; send: (text: string) => void; end: () => void }[] = []
  const answers: number[] = []
  const fetch = vi.fn(async (_url: unknown, init?: RequestInit) => {
    const status = answers.shift() ?? 200
    if (status !== 200) return new Response(null, { status })
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given
      },
    })
    const signal = init?.signal
    signal?.addEventListener('abort', () => controller?.error(signal.reason))
    streams.push({
      token: new Headers(init?.headers).get('authorization') ?? '',
      isAborted: () => signal?.aborted === true,
      send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
      end: () => controller?.close(),
    })
    return new Response(body, { status })
  })
  return { streams, answers, fetch }
}

const open = () => {
  const server = openServer()
  const tab = openBrowser().openTab()
  const store = createSessionStore(tab.storage, tab.watch)
  const seen: { isVisible: boolean; listener: () => void } = { isVisible: true, listener: () => undefined }
  const stream = createEventStream({
    url: '/events',
    fetch: server.fetch as unknown as typeof fetch,
    store,
    isVisible: () => seen.isVisible,
    watchVisibility: (listener) => {
      seen.listener = listener
      return () => undefined
    },
    random: () => 1,
  })
  const show = (isVisible: boolean) => {
    seen.isVisible = isVisible
    seen.listener()
  }
  return { ...server, store, stream, show }
}

const settled = () => vi.advanceTimersByTimeAsync(0)

describe('the event stream', () => {
  it('opens with the token of the session once somebody listens, and tells only what was asked for', async () => {
    const { store, stream, streams, fetch } = open()
    store.set(aSession({ token: 'one' }))
    expect(fetch).not.toHaveBeenCalled()
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    expect(streams[0]?.token).toBe('Bearer one')
    streams[0]?.send('retry: 3000\n\nevent: job\ndata: {"id":1}\n\nevent: notification\ndata: {"reqId":7}\n\n')
    await settled()
    expect(heard.mock.calls).toEqual([[{ reqId: 7 }]])
  })

  it('stays closed for nobody, opens at sign-in, and follows a renewed token', async () => {
    const { store, stream, streams, fetch } = open()
    stream.on('notification', () => undefined)
    await settled()
    expect(fetch).not.toHaveBeenCalled()
    store.set(aSession({ token: 'one' }))
    await settled()
    store.set(aSession({ token: 'two' }))
    await settled()
    expect(streams.map(({ token }) => token)).toEqual(['Bearer one', 'Bearer two'])
    expect(streams[0]?.isAborted()).toBe(true)
    store.clear('signedOut')
    await settled()
    expect(streams[1]?.isAborted()).toBe(true)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('comes back after a loss with growing pauses, and then says that something may have been missed', async () => {
    const { store, stream, streams, answers, fetch } = open()
    store.set(aSession())
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    answers.push(503, 503)
    streams[0]?.end()
    await settled()
    await vi.advanceTimersByTimeAsync(999)
    expect(fetch).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(fetch).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(fetch).toHaveBeenCalledTimes(3)
    expect(heard).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(4_000)
    expect(heard.mock.calls).toEqual([[null]])
    expect(streams).toHaveLength(2)
  })

  it('takes silence for a dead connection', async () => {
    const { store, stream, streams, fetch } = open()
    store.set(aSession())
    stream.on('job', () => undefined)
    await settled()
    await vi.advanceTimersByTimeAsync(60_000)
    streams[0]?.send(': still here\n\n')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(fetch).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(12_000)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('closes in a hidden tab and asks again when it is seen', async () => {
    const { store, stream, streams, show } = open()
    store.set(aSession())
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    show(false)
    expect(streams[0]?.isAborted()).toBe(true)
    show(true)
    await settled()
    expect(streams).toHaveLength(2)
    expect(heard.mock.calls).toEqual([[null]])
  })

  it('asks again when the server itself has missed something', async () => {
    const { store, stream, streams } = open()
    store.set(aSession())
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    streams[0]?.send('event: resync\ndata: null\n\n')
    await settled()
    expect(heard.mock.calls).toEqual([[null]])
  })

  it('closes when the last listener leaves', async () => {
    const { store, stream, streams } = open()
    store.set(aSession())
    const stops = [stream.on('job', () => undefined), stream.on('notification', () => undefined)]
    await settled()
    stops[0]?.()
    expect(streams[0]?.isAborted()).toBe(false)
    stops[1]?.()
    expect(streams[0]?.isAborted()).toBe(true)
    expect(streams).toHaveLength(1)
  })
})

describe('reading the stream', () => {
  it.each([1, 2, 3, 7, 1000])('gives the same events in pieces of %i', (size) => {
    const text =
      ': hello\r\n\r\nevent: job\r\ndata: {"a":"ü: x"}\r\n\r\ndata: 5\n\nevent: bad\ndata: no json\n\nevent: late\nda'
    const heard: unknown[] = []
    const read = createEventReader((event) => heard.push(event))
    for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size))
    expect(heard).toEqual([
      { topic: 'job', data: { a: 'ü: x' } },
      { topic: 'message', data: 5 },
    ])
  })
})
