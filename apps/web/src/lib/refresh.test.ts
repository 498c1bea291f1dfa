import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aSession, openBrowser } from '../../test/fake-tabs.ts'
import { ApiError, cancelledError, noResponseError } from './api-error.ts'
import { IdentityError } from './identity.ts'
import { createRefresher, createRefreshFlag } from './refresh.ts'
import { createSessionStore, type StoredSession } from './session-store.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const openTabs = (count: number, renew: (session: StoredSession) => Promise<StoredSession>) => {
  const browser = openBrowser()
  const log = vi.fn()
  const tabs = Array.from({ length: count }, () => {
    const { storage, watch } = browser.openTab()
    const store = createSessionStore(storage, watch)
    const flag = createRefreshFlag(storage, watch, Date.now)
    return { store, flag, ...createRefresher({ store, flag, renew, withLock: async (work) => work(), log }) }
  })
  tabs[0]?.store.set(aSession())
  return { tabs, log, values: browser.values }
}
const renewed = aSession({
  token: 'token-2',
  identity: { accessToken: 'access-2', idToken: 'id-2', refreshToken: 'refresh-2' },
})
const afterOneSecond = () => new Promise<StoredSession>((resolve) => setTimeout(() => resolve(renewed), 1_000))

describe('the refresh', () => {
  it('asks the user pool once for all calls of a tab', async () => {
    const renew = vi.fn(afterOneSecond)
    const { tabs } = openTabs(1, renew)
    const results = Promise.all(['a', 'b', 'c'].map(() => tabs[0]?.refresh('token-1')))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await results).toEqual([true, true, true])
    expect(renew).toHaveBeenCalledTimes(1)
    expect(tabs[0]?.store.get()).toEqual(renewed)
  })
  it('SESS-23 asks once for all tabs; the others wait', async () => {
    const renew = vi.fn(afterOneSecond)
    const { tabs } = openTabs(3, renew)
    const results = Promise.all(tabs.map((tab) => tab.refresh('token-1')))
    await vi.advanceTimersByTimeAsync(1)
    expect(tabs.map((tab) => tab.flag.isRaised())).toEqual([true, true, true])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await results).toEqual([true, true, true])
    expect(renew).toHaveBeenCalledTimes(1)
    expect(tabs.map((tab) => tab.flag.isRaised())).toEqual([false, false, false])
  })
  it('does not ask if another tab already has a new token', async () => {
    const renew = vi.fn(afterOneSecond)
    const { tabs } = openTabs(2, renew)
    tabs[1]?.store.set(renewed)
    expect(await tabs[0]?.refresh('token-1')).toBe(true)
    expect(renew).not.toHaveBeenCalled()
  })
  it('SESS-20 clears the old token before it asks', async () => {
    const { tabs } = openTabs(1, afterOneSecond)
    const result = tabs[0]?.refresh('token-1')
    await vi.advanceTimersByTimeAsync(1)
    expect(tabs[0]?.store.get()).toMatchObject({ token: '', access: { userId: 7 } })
    await vi.advanceTimersByTimeAsync(1_000)
    await result
  })
  it("SESS-21 SESS-22 ends the session in all tabs when it fails, and logs 'Unable to refresh Token'", async () => {
    const { tabs, log } = openTabs(2, () => Promise.reject(new Error('Refresh Token has expired')))
    expect(await Promise.all(tabs.map((tab) => tab.refresh('token-1')))).toEqual([false, false])
    expect(log).toHaveBeenCalledWith('Unable to refresh Token', expect.any(Error))
    expect(tabs.map((tab) => tab.store.get())).toEqual([null, null])
    expect(tabs[1]?.store.endReason()).toBe('expired')
    expect(tabs[0]?.flag.isRaised()).toBe(false)
  })
  const passing = {
    'no answer': noResponseError(new TypeError('Failed to fetch')),
    'an answer that took too long': cancelledError(new Error('The operation timed out')),
    '429 of the server': new ApiError('Too many requests', { status: 429 }),
    '503 of the server': new ApiError('Please try again', { status: 503 }),
    '429 of the pool': new IdentityError('TooManyRequestsException', 'Too many', 429),
    'a pool that is busy': new IdentityError('TooManyRequestsException', 'Rate exceeded'),
    '500 of the pool': new IdentityError('InternalErrorException', 'Broken', 500),
    'a page of a proxy': new IdentityError('UnknownError', 'Unknown Error', 404),
  }
  it.each(Object.entries(passing))('that meets %s is retried, and the user stays signed in', async (_, error) => {
    const renew = vi.fn(afterOneSecond).mockRejectedValueOnce(error).mockRejectedValueOnce(error)
    const { tabs, log } = openTabs(2, renew)
    const results = Promise.all(tabs.map((tab) => tab.refresh('token-1')))
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await results).toEqual([true, true])
    expect(renew).toHaveBeenCalledTimes(3)
    expect(tabs.map((tab) => tab.store.get()?.token)).toEqual(['token-2', 'token-2'])
    expect(tabs.map((tab) => tab.flag.isRaised())).toEqual([false, false])
    expect(log).not.toHaveBeenCalled()
  })
  it('without an answer fails like any call, keeps the session, and is retried in the background', async () => {
    const renew = vi.fn(async (): Promise<StoredSession> => {
      throw noResponseError(new TypeError('Failed to fetch'))
    })
    const { tabs, log } = openTabs(1, renew)
    const result = tabs[0]?.refresh('token-1').catch(String)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(await result).toBe('Error: Server Error1')
    expect(renew).toHaveBeenCalledTimes(3)
    expect(tabs[0]?.store.get()).toMatchObject({ token: '', access: { userId: 7 } })
    expect([tabs[0]?.flag.isRaised(), tabs[0]?.isRunning()]).toEqual([false, false])
    expect(log).toHaveBeenCalledWith('Unable to refresh Token', expect.any(Error))
    // The delay grows: 15 s, 30 s, and then a minute each.
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(renew.mock.calls.length).toBeLessThan(40)
    renew.mockImplementation(afterOneSecond)
    await vi.advanceTimersByTimeAsync(65_000)
    expect(tabs[0]?.store.get()?.token).toBe('token-2')
  })
  it('SESS-21 ends the session at once on a refusal, also on the second attempt', async () => {
    const refusals = [
      new IdentityError('NotAuthorizedException', 'Refresh Token has expired'),
      new ApiError('Session expired, please re-login.', { status: 408 }),
      new ApiError('Incorrect username or password.', { status: 401 }),
    ]
    for (const refusal of refusals) {
      const renew = vi.fn(afterOneSecond).mockRejectedValueOnce(passing['no answer']).mockRejectedValueOnce(refusal)
      const { tabs } = openTabs(1, renew)
      const result = tabs[0]?.refresh('token-1')
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await result).toBe(false)
      expect(renew).toHaveBeenCalledTimes(2)
      expect([tabs[0]?.store.get(), tabs[0]?.store.endReason()]).toEqual([null, 'expired'])
    }
  })
  it('refused after the user has logged out is not reported as an expired session', async () => {
    const { tabs } = openTabs(1, async () => {
      tabs[0]?.store.clear('signedOut')
      throw new IdentityError('NotAuthorizedException', 'Refresh Token has been revoked')
    })
    expect(await tabs[0]?.refresh('token-1')).toBe(false)
    expect(tabs[0]?.store.endReason()).toBe('signedOut')
  })
  it('does not bring back a user who logged out meanwhile', async () => {
    const { tabs } = openTabs(2, afterOneSecond)
    const result = tabs[0]?.refresh('token-1')
    await vi.advanceTimersByTimeAsync(500)
    tabs[1]?.store.clear('signedOut')
    await vi.advanceTimersByTimeAsync(500)
    expect(await result).toBe(false)
    expect(tabs[0]?.store.get()).toBeNull()
  })
  const somebodyElse = aSession({ token: 'token-8', access: { ...aSession().access, userId: 8 } })
  it.each([
    ['granted', afterOneSecond],
    ['refused', () => afterOneSecond().then(() => Promise.reject(new Error('Refresh Token has expired')))],
  ])('that is %s late does not touch the session of the next user', async (_, renew) => {
    const { tabs } = openTabs(1, renew)
    const result = tabs[0]?.refresh('token-1')
    await vi.advanceTimersByTimeAsync(500)
    tabs[0]?.store.clear('signedOut')
    tabs[0]?.store.set(somebodyElse)
    await vi.advanceTimersByTimeAsync(500)
    expect(await result).toBe(false)
    expect(tabs[0]?.store.get()).toEqual(somebodyElse)
  })
})

describe('two tabs that renew at the same moment', () => {
  const theirs = aSession({ token: 'token-3' })
  const during = async (renew: () => Promise<StoredSession>) => {
    const { tabs } = openTabs(1, renew)
    const result = tabs[0]?.refresh('token-1')
    await vi.advanceTimersByTimeAsync(500)
    tabs[0]?.store.set(theirs)
    await vi.advanceTimersByTimeAsync(500)
    return [await result, tabs[0]?.store.get()]
  }
  it('keep the token that was issued last: the server accepts no other', async () => {
    expect(await during(afterOneSecond)).toEqual([true, renewed])
  })
  it('use the one that was issued if the other is refused', async () => {
    const refuse = () => afterOneSecond().then(() => Promise.reject(new Error('Refresh Token has expired')))
    expect(await during(refuse)).toEqual([true, theirs])
  })
})

describe('the refresh flag', () => {
  it('SESS-24 expires after 10 seconds', async () => {
    const { tabs } = openTabs(2, afterOneSecond)
    const heard = vi.fn()
    tabs[1]?.flag.subscribe(heard)
    tabs[0]?.flag.raise()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(tabs[1]?.flag.isRaised()).toBe(true)
    heard.mockClear()
    await vi.advanceTimersByTimeAsync(1)
    expect(tabs[1]?.flag.isRaised()).toBe(false)
    expect(heard).toHaveBeenCalled()
  })
  it('left behind by a crashed tab lets the next tab refresh after 10 seconds', async () => {
    const renew = vi.fn(afterOneSecond)
    const { tabs, values } = openTabs(1, renew)
    values.set('auth.v0.2.refreshing', String(Date.now()))
    const result = tabs[0]?.refresh('token-1')
    await vi.advanceTimersByTimeAsync(9_000)
    expect(renew).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await result).toBe(true)
  })
})
