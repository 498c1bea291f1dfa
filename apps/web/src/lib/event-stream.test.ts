import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aSession, openBrowser } from '../../test/fake-tabs.ts'
import { createSessionStore } from './session-store.ts'

// The module also opens the tab's own stream, which needs a browser.
vi.mock('./api.ts', () => ({ handleSessionStatus: () => undefined }))
vi.mock('./session.ts', () => ({ sessionStore: { get: () => null, subscribe: () => () => undefined } }))
const { createEventReader, createEventStream } = await import('./event-stream.ts')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server whose streams are written by the test. */
const openServer = () => {
  const streams: {
    token: string
    isBackground: boolean
    isAborted: () => boolean
    send: (text: string) => void
    end: () => void
  }[] = []
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
      isBackground: new Headers(init?.headers).has('x-background'),
      isAborted: () => signal?.aborted === true,
      send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
      end: () => controller?.close(),
    })
    return new Response(body, { status })
  })
  return { streams, answers, fetch }
}

const open = (handleSessionStatus = vi.fn(async (_status: number, _token: string): Promise<unknown> => false)) => {
  const server = openServer()
  const tab = openBrowser().openTab()
  const store = createSessionStore(tab.storage, tab.watch)
  const seen: { isVisible: boolean; listener: () => void } = { isVisible: true, listener: () => undefined }
  const stream = createEventStream({
    url: '/events',
    fetch: server.fetch as unknown as typeof fetch,
    store,
    handleSessionStatus: (...args) => handleSessionStatus(...args),
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
  return { ...server, store, stream, show, handleSessionStatus }
}

const settled = () => vi.advanceTimersByTimeAsync(0)

describe('the event stream', () => {
  it("opens with the session's token when there is a listener, and delivers only subscribed topics", async () => {
    const { store, stream, streams, fetch } = open()
    store.set(aSession({ token: 'one' }))
    expect(fetch).not.toHaveBeenCalled()
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    expect(streams[0]?.token).toBe('Bearer one')
    expect(streams[0]?.isBackground).toBe(true)
    streams[0]?.send('retry: 3000\n\nevent: job\ndata: {"id":1}\n\nevent: notification\ndata: {"reqId":7}\n\n')
    await settled()
    expect(heard.mock.calls).toEqual([[{ reqId: 7 }]])
  })

  it('stays closed without a session, opens at sign-in, and reconnects with a renewed token', async () => {
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

  it('reconnects with growing delays, and then reports that events may have been missed', async () => {
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

  it.each([408, 401])('reports %i, which ends the session, and does not reconnect', async (status) => {
    const { store, stream, streams, answers, fetch, handleSessionStatus } = open()
    handleSessionStatus.mockImplementation(async () => store.clear('expired'))
    store.set(aSession({ token: 'one' }))
    stream.on('notification', () => undefined)
    await settled()
    answers.push(status)
    streams[0]?.end()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(handleSessionStatus.mock.calls).toEqual([[status, 'one']])
    await vi.advanceTimersByTimeAsync(600_000)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('reports 420, which renews the token, and reconnects with the new one', async () => {
    const { store, stream, streams, answers, handleSessionStatus } = open()
    handleSessionStatus.mockImplementation(async () => {
      store.dropToken()
      await new Promise((later) => setTimeout(later, 200))
      store.set(aSession({ token: 'two' }))
    })
    store.set(aSession({ token: 'one' }))
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    answers.push(420)
    streams[0]?.end()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(handleSessionStatus.mock.calls).toEqual([[420, 'one']])
    expect(streams.map(({ token }) => token)).toEqual(['Bearer one', 'Bearer two'])
    // Events may have been missed in between.
    expect(heard.mock.calls).toEqual([[null]])
  })

  it('waits before reconnecting if every new token is refused', async () => {
    const { store, stream, answers, handleSessionStatus } = open()
    let tokens = 1
    handleSessionStatus.mockImplementation(async () => store.set(aSession({ token: `token ${++tokens}` })))
    answers.push(...Array(100).fill(420))
    store.set(aSession({ token: 'token 1' }))
    stream.on('notification', () => undefined)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(handleSessionStatus.mock.calls.length).toBeLessThan(8)
  })

  it('treats silence as a dead connection', async () => {
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

  it('closes in a hidden tab and reconnects when it becomes visible', async () => {
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

  it('reports a gap when the server has missed events itself', async () => {
    const { store, stream, streams } = open()
    store.set(aSession())
    const heard = vi.fn()
    stream.on('notification', heard)
    await settled()
    streams[0]?.send('event: resync\ndata: null\n\n')
    await settled()
    expect(heard.mock.calls).toEqual([[null]])
  })

  it('closes when the last listener unsubscribes', async () => {
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
  it.each([1, 2, 3, 7, 1000])('gives the same events in chunks of %i', (size) => {
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
