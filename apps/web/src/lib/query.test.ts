import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'

// The module reads the session of a browser.
vi.mock('./api.ts', () => ({ call: vi.fn() }))
vi.mock('./session.ts', () => ({ pageSession: { get: () => null, subscribe: () => () => undefined } }))
const { askedOnce } = await import('./query.ts')

describe('what is asked once', () => {
  it.each([
    ['succeeded', async () => 'done'],
    ['failed', () => Promise.reject(new Error('no'))],
  ])('is not asked again when everything on screen is, also when it %s', async (_, answer) => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
    const ask = vi.fn<() => Promise<string>>(answer)
    const options = { queryKey: ['once'], queryFn: ask, ...askedOnce }
    const stop = new QueryObserver(client, options).subscribe(() => undefined)
    await vi.waitFor(() => expect(client.getQueryState(['once'])?.status).not.toBe('pending'))
    await client.invalidateQueries()
    stop()
    // Nor when the page is drawn anew.
    new QueryObserver(client, options).subscribe(() => undefined)()
    await client.invalidateQueries()
    expect(ask).toHaveBeenCalledTimes(1)
    client.clear()
  })
})
