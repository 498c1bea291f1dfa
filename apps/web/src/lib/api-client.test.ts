import { byId, get, put } from '@lis/contract/kit/route.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { aSession, openBrowser, tick } from '../../test/fake-tabs.ts'
import { createApi } from './api-client.ts'
import { noResponseError } from './api-error.ts'
import { createEmitter } from './emitter.ts'
import type { AppEvents } from './events.ts'
import { createRefresher, createRefreshFlag } from './refresh.ts'
import { createSessionStore } from './session-store.ts'

const reply = z.object({ data: z.string(), message: z.string() })
const readOne = get('things/:id', {
  access: 'signedIn',
  params: byId,
  query: z.object({ q: z.string().optional() }),
  reply,
})
const saveOne = put('things/:id', { access: 'signedIn', params: byId, body: z.object({ name: z.string() }), reply })
const open = get('open', { access: 'public', reply })

afterEach(() => {
  vi.useRealTimers()
})

type Answer = (request: Request) => Response | Promise<Response>
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
const fine = () => json(200, { data: 'x', message: '' })

const setUp = (answer: Answer, isUserActive = () => true) => {
  const { storage, watch } = openBrowser().openTab()
  const store = createSessionStore(storage, watch)
  const flag = createRefreshFlag(storage, watch, Date.now)
  const renew = vi.fn(async () => {
    await tick(5)
    return aSession({ token: 'token-2' })
  })
  const refresher = createRefresher({ store, flag, renew, withLock: async (work) => work(), log: vi.fn() })
  const events = createEmitter<AppEvents>()
  const requests: Request[] = []
  const fetchNow: typeof fetch = async (input, init) => {
    const request = new Request(new URL(String(input), 'http://lis.test'), init)
    requests.push(request)
    init?.signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      Promise.resolve(answer(request)).then(resolve, reject)
    })
  }
  store.set(aSession())
  let isLeaving = false
  return {
    store,
    flag,
    renew,
    events,
    requests,
    leave: () => {
      isLeaving = true
    },
    ...createApi({
      base: '/api/v3.0',
      reportBase: '/report/v3.0',
      fetch: fetchNow,
      store,
      events,
      refresher,
      isUserActive,
      isLoggingOut: () => isLeaving,
    }),
  }
}
const bearer = (request: Request | undefined) => request?.headers.get('authorization')
const failure = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('should fail')),
    (error) => error,
  )

describe('a call', () => {
  it('SESS-10 TABLE-104 uses the address of its route and the token of the session', async () => {
    const { call, requests } = setUp(fine)
    expect(await call(readOne, { params: { id: 5 }, query: { q: 'a b' } })).toEqual({ data: 'x', message: '' })
    expect(requests[0]?.url).toBe('http://lis.test/api/v3.0/things/5?q=a+b')
    expect(bearer(requests[0])).toBe('Bearer token-1')
  })
  it('REP-42 TABLE-104 goes to the report API where its route says so', async () => {
    const { call, requests } = setUp(fine)
    await call({ ...readOne, isReportApi: true }, { params: { id: 5 }, query: {} })
    expect(requests[0]?.url).toBe('http://lis.test/report/v3.0/things/5')
  })
  it('sends a body, and an idempotency key for writes', async () => {
    const { call, requests } = setUp(fine)
    await call(saveOne, { params: { id: 5 }, body: { name: 'n' } })
    expect(await requests[0]?.json()).toEqual({ name: 'n' })
    expect(requests[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('a background call', () => {
  it('is marked as one, unlike a call while the user is active', async () => {
    let isUserActive = true
    const { call, requests } = setUp(fine, () => isUserActive)
    await call(readOne, { params: { id: 5 }, query: {} })
    isUserActive = false
    await call(readOne, { params: { id: 5 }, query: {} })
    await call(open)
    expect(requests.map((request) => request.headers.get('x-background'))).toEqual([null, '1', '1'])
  })
})

describe('a failed call', () => {
  it('TABLE-117 TABLE-121 has the message of the response and its status', async () => {
    const error = await failure(
      setUp(() => json(409, { code: 'conflict', message: 'Taken' })).call(readOne, { params: { id: 1 }, query: {} }),
    )
    expect([String(error), error.status, error.code]).toEqual(['Error: Taken', 409, 'conflict'])
  })
  it("TABLE-118 says 'Unknown Error' when the response has no message", async () => {
    for (const body of [{}, null, { message: 5 }]) {
      const error = await failure(setUp(() => json(502, body)).call(open))
      expect([error.message, error.status]).toEqual(['Unknown Error', 502])
    }
    expect((await failure(setUp(() => new Response('<html>', { status: 502 })).call(open))).message).toBe(
      'Unknown Error',
    )
  })
  it("TABLE-119 TABLE-120 says 'Server Error1' with status 500 when there is no response", async () => {
    const error = await failure(setUp(() => Promise.reject(new TypeError('Failed to fetch'))).call(open))
    expect([String(error), error.status, error.isCancelled]).toEqual(['Error: Server Error1', 500, false])
  })
  it('that got no answer, or a 502 from a proxy, is sent once more with the same key; the second failure is thrown', async () => {
    for (const lost of [() => Promise.reject(new TypeError('Failed to fetch')), async () => json(502, {})]) {
      const answers: Answer[] = [lost, fine]
      const { call, requests } = setUp((request) => (answers.shift() as Answer)(request))
      await call(saveOne, { params: { id: 1 }, body: { name: 'x' } })
      const keys = requests.map((request) => request.headers.get('idempotency-key'))
      expect([keys.length, keys[0]]).toEqual([2, keys[1]])
      const silent = setUp(lost)
      await failure(silent.call(readOne, { params: { id: 1 }, query: {} }))
      expect(silent.requests).toHaveLength(2)
    }
    const busy = setUp(async () => json(503, { message: 'Please try again' }))
    await failure(busy.call(readOne, { params: { id: 1 }, query: {} }))
    expect(busy.requests).toHaveLength(1)
  })
  it("SESS-12 TABLE-116 that was cancelled rejects with 'Error: {message}'", async () => {
    const { call } = setUp(() => new Promise(() => undefined))
    const controller = new AbortController()
    const failed = failure(call(open, { signal: controller.signal }))
    await tick()
    controller.abort(new Error('canceled'))
    const error = await failed
    expect([String(error), error.isCancelled]).toEqual(['Error: canceled', true])
  })
  it('SESS-27 with status 403 emits an event with the message of the server', async () => {
    const { call, events } = setUp(() => json(403, { message: 'Not yours' }))
    const heard = vi.fn()
    events.on('forbidden', heard)
    expect((await failure(call(readOne, { params: { id: 1 }, query: {} }))).status).toBe(403)
    expect(heard).toHaveBeenCalledWith(expect.objectContaining({ message: 'Not yours' }))
  })
  it('and a later success have the same name, that of the record, so that the error notice can be closed', async () => {
    let answer = () => json(500, { message: 'The disk is full' })
    const { call, events } = setUp(() => answer())
    const heard = vi.fn()
    events.on('succeeded', heard)
    const save = (id: number) => call(saveOne, { params: { id }, body: { name: 'x' } })
    const failed = await failure(save(1))
    expect(heard).not.toHaveBeenCalled()
    answer = fine
    await save(2)
    expect(heard).not.toHaveBeenCalledWith(failed.call)
    await save(1)
    expect(heard).toHaveBeenLastCalledWith(failed.call)
  })
  it('SESS-26 with status 490 ends the session and asks for a new password', async () => {
    const { call, events, store } = setUp(() => json(490, { message: 'Expired' }))
    const heard = vi.fn()
    events.on('passwordExpired', heard)
    await failure(call(readOne, { params: { id: 1 }, query: {} }))
    expect(heard).toHaveBeenCalledWith({ accessToken: 'access-1', userName: 'staff' })
    expect(store.get()).toBeNull()
  })
})

describe('status 408', () => {
  it('SESS-15 SESS-16 cancels pending calls and ends the session', async () => {
    const { call, store } = setUp((request) =>
      request.url.endsWith('/1') ? json(408, { message: 'Over' }) : new Promise(() => undefined),
    )
    const waiting = failure(call(readOne, { params: { id: 2 }, query: {} }))
    await tick()
    const error = await failure(call(readOne, { params: { id: 1 }, query: {} }))
    expect(error.message).toBe('Over')
    expect((await waiting).isCancelled).toBe(true)
    expect([store.get(), store.endReason()]).toEqual([null, 'expired'])
  })
  it.each([401, 408])(
    '%i that comes after the person has logged out, or while they do, does not cut them off',
    async (status) => {
      const left = setUp(() => {
        left.store.clear('signedOut')
        return json(status, {})
      })
      await failure(left.call(readOne, { params: { id: 1 }, query: {} }))
      expect(left.store.endReason()).toBe('signedOut')
      const leaving = setUp(() => json(status, {}))
      leaving.leave()
      await failure(leaving.call(readOne, { params: { id: 1 }, query: {} }))
      expect(leaving.store.get()).not.toBeNull()
    },
  )
  it('SESS-15 from a request outside `call` ends the session too, and 420 renews it', async () => {
    const { handleSessionStatus, store, renew } = setUp(fine)
    expect(await handleSessionStatus(420, 'token-1')).toBe(true)
    expect([renew.mock.calls.length, store.get()?.token]).toEqual([1, 'token-2'])
    expect(await handleSessionStatus(408, 'token-2')).toBe(false)
    expect(store.endReason()).toBe('expired')
  })
  it('SESS-17 waits for a refresh that is in progress instead', async () => {
    const { call, store, flag } = setUp((request) => (bearer(request) === 'Bearer token-1' ? json(408, {}) : fine()))
    flag.raise()
    setTimeout(() => {
      store.set(aSession({ token: 'token-2' }))
      flag.lower()
    }, 10)
    expect(await call(readOne, { params: { id: 1 }, query: {} })).toEqual({ data: 'x', message: '' })
    expect(store.get()?.token).toBe('token-2')
  })
})

describe('a call that outlives its page', () => {
  const save = async (name: string, keepalive: boolean) => {
    const { call, requests } = setUp(fine)
    await call(saveOne, { params: { id: 1 }, body: { name }, keepalive })
    return requests[0]?.keepalive
  }
  it('uses keepalive, unless the body is too large for it', async () => {
    expect(await save('x', true)).toBe(true)
    expect(await save('x', false)).toBe(false)
    expect(await save('€'.repeat(20_000), true)).toBe(false)
  })
})

describe('status 420', () => {
  const expired: Answer = (request) => (bearer(request) === 'Bearer token-1' ? json(420, {}) : fine())
  it('SESS-19 refreshes once and sends all failed calls again', async () => {
    const { call, renew, requests } = setUp(expired)
    const answers = await Promise.all([1, 2, 3].map((id) => call(readOne, { params: { id }, query: {} })))
    expect(answers.map((answer) => answer.data)).toEqual(['x', 'x', 'x'])
    expect(renew).toHaveBeenCalledTimes(1)
    expect(requests.slice(3).map(bearer)).toEqual(['Bearer token-2', 'Bearer token-2', 'Bearer token-2'])
  })
  it('SESS-18 cancels the other requests, and sends them again afterwards', async () => {
    const { call, requests } = setUp((request) => {
      if (bearer(request) === 'Bearer token-2') return fine()
      return request.url.endsWith('/1') ? json(420, {}) : new Promise(() => undefined)
    })
    const slow = call(saveOne, { params: { id: 2 }, body: { name: 'n' } })
    await tick()
    await call(readOne, { params: { id: 1 }, query: {} })
    expect((await slow).data).toBe('x')
    const keys = requests
      .filter((request) => request.method === 'PUT')
      .map((request) => request.headers.get('idempotency-key'))
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })
  it('does not cancel public calls', async () => {
    const { call } = setUp(async (request) => {
      if (!request.url.endsWith('/open')) return expired(request)
      await tick(20)
      return fine()
    })
    const slow = call(open)
    await call(readOne, { params: { id: 1 }, query: {} })
    expect((await slow).data).toBe('x')
  })
  it('a late 401 for the previous token is sent again with the new one', async () => {
    const { call, store } = setUp((request) => {
      if (bearer(request) === 'Bearer token-2') return fine()
      store.set(aSession({ token: 'token-2' }))
      return json(401, { message: 'Please sign in' })
    })
    expect((await call(readOne, { params: { id: 1 }, query: {} })).data).toBe('x')
  })
  it("gives 'Server Error1' while the renewal gets no answer, and the user stays signed in", async () => {
    vi.useFakeTimers()
    const { call, renew, store, requests } = setUp(expired)
    renew.mockRejectedValue(noResponseError(new TypeError('Failed to fetch')))
    const failed = failure(call(readOne, { params: { id: 1 }, query: {} }))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(String(await failed)).toBe('Error: Server Error1')
    expect(store.get()).toMatchObject({ token: '', access: { userId: 7 } })
    // The next call starts with the renewal; it is not sent without a token.
    renew.mockResolvedValue(aSession({ token: 'token-2' }))
    expect((await call(readOne, { params: { id: 1 }, query: {} })).data).toBe('x')
    expect(requests.map(bearer)).toEqual(['Bearer token-1', 'Bearer token-2'])
  })
  it('gives up when the renewed token is refused too', async () => {
    const { call } = setUp(() => json(420, { message: 'Run out' }))
    expect((await failure(call(readOne, { params: { id: 1 }, query: {} }))).status).toBe(420)
  })
})
