import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from './api-error.ts'
import { unsaved } from './unsaved.ts'

// The module reads the browser's session.
vi.mock('./api.ts', () => ({ call: vi.fn() }))
const session = vi.hoisted((): { now: unknown; tell: () => void } => ({ now: null, tell: () => undefined }))
vi.mock('./session.ts', () => ({
  pageSession: {
    get: () => session.now,
    subscribe: (listener: () => void) => {
      session.tell = listener
      return () => undefined
    },
  },
}))
const { runOnce, resetOnSessionChange, queryClient } = await import('./query.ts')

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  unsaved.clear()
  queryClient.clear()
})

/** A page that shows a query; `answer` is the server's current reply. */
const shown = async (key: string, first: unknown) => {
  const page = { answer: async (): Promise<unknown> => first }
  const observer = new QueryObserver(queryClient, { queryKey: [key], queryFn: () => page.answer() })
  stops.push(observer.subscribe(() => undefined))
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe(first))
  return { page, now: () => observer.getCurrentResult() }
}
const gone = () => Promise.reject(new ApiError('Requisition not found', { status: 404 }))

describe('a deleted record', () => {
  it('disappears once a read reports it', async () => {
    const { page, now } = await shown('requisition', 'the patient')
    page.answer = gone
    await queryClient.invalidateQueries()
    expect([now().data, now().error?.message]).toEqual([undefined, 'Requisition not found'])
    page.answer = async () => 'restored'
    await queryClient.invalidateQueries()
    expect([now().data, now().error]).toEqual(['restored', null])
  })

  it('stays, with the error, while the page has unsaved input, and disappears with it', async () => {
    stops.push(resetOnSessionChange())
    const { page, now } = await shown('requisition', 'the patient')
    unsaved.add('form')
    page.answer = gone
    await queryClient.invalidateQueries()
    expect([now().data, now().error?.message]).toEqual(['the patient', 'Requisition not found'])
    unsaved.remove('form')
    expect(now().data).toBe(undefined)
  })

  it('is not assumed when the server fails', async () => {
    const { page, now } = await shown('requisition', 'the patient')
    page.answer = () => Promise.reject(new ApiError('down', { status: 503 }))
    await queryClient.invalidateQueries()
    expect(now().data).toBe('the patient')
  })
})

describe('data read before the session changed', () => {
  const as = (userId: number, userRoleCode: string, entityId: number | null, token: string) => {
    session.now = { token, access: { userId, userRoleCode, entityId } }
    session.tell()
  }
  const followed = async () => {
    session.now = { token: 'a', access: { userId: 1, userRoleCode: 'CLNT', entityId: 7 } }
    stops.push(resetOnSessionChange())
    queryClient.setQueryData(['left page'], 'of client 7')
    unsaved.add('form')
    return shown('open page', 'of client 7')
  }

  it.each([
    ['role', 'STF', 7],
    ['client', 'CLNT', 8],
  ])('is dropped or read again when the same user returns with another %s', async (_, role, client) => {
    const { page, now } = await followed()
    page.answer = async () => 'of now'
    as(1, role, client, 'b')
    expect(queryClient.getQueryData(['left page'])).toBe(undefined)
    await vi.waitFor(() => expect(now().data).toBe('of now'))
    expect(unsaved.has()).toBe(true)
  })

  it('is kept when the same user returns unchanged', async () => {
    const { page, now } = await followed()
    page.answer = async () => 'of now'
    as(1, 'CLNT', 7, 'b')
    expect(queryClient.getQueryData(['left page'])).toBe('of client 7')
    await vi.waitFor(() => expect(now().data).toBe('of now'))
  })

  it('is cleared, with unsaved input, for another user', async () => {
    await followed()
    as(2, 'CLNT', 7, 'b')
    expect([queryClient.getQueryCache().getAll().length, unsaved.has()]).toEqual([0, false])
  })
})

describe('a query asked once', () => {
  it.each([
    ['succeeded', async () => 'done'],
    ['failed', () => Promise.reject(new Error('no'))],
  ])('is not repeated by an invalidation of all queries, also when it %s', async (_, answer) => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
    const ask = vi.fn<() => Promise<string>>(answer)
    const options = { queryKey: ['once'], queryFn: ask, ...runOnce }
    const stop = new QueryObserver(client, options).subscribe(() => undefined)
    await vi.waitFor(() => expect(client.getQueryState(['once'])?.status).not.toBe('pending'))
    await client.invalidateQueries()
    stop()
    // Nor when the page is rendered again.
    new QueryObserver(client, options).subscribe(() => undefined)()
    await client.invalidateQueries()
    expect(ask).toHaveBeenCalledTimes(1)
    client.clear()
  })
})
