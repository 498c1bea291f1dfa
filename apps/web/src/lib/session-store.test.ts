import { describe, expect, it, vi } from 'vitest'
import { aSession, openBrowser } from '../../test/fake-tabs.ts'
import { createSessionStore } from './session-store.ts'

const openTwoTabs = () => {
  const browser = openBrowser()
  const [one, two] = [browser.openTab(), browser.openTab()].map(({ storage, watch }) =>
    createSessionStore(storage, watch),
  )
  if (!one || !two) throw new Error('two tabs')
  return { one, two, values: browser.values }
}

describe('the stored session', () => {
  it('SESS-01 SESS-02 SESS-03 SESS-04 SESS-05 SIGN-29 keeps token, departments and access with role and user', () => {
    const { one } = openTwoTabs()
    one.set(aSession())
    expect(one.get()).toMatchObject({
      token: 'token-1',
      userDepts: [{ deptCode: 'LAB' }],
      access: { userRoleCode: 'STF', userId: 7 },
    })
  })
  it("SESS-06 SESS-07 lives in browser storage under 'auth.v0.2'", () => {
    const { one, values } = openTwoTabs()
    one.set(aSession())
    expect(JSON.parse(values.get('auth.v0.2') ?? '')).toMatchObject({ token: 'token-1' })
    one.clear('signedOut')
    expect(values.has('auth.v0.2')).toBe(false)
  })
  it('SESS-08 changes in one tab show in the other', () => {
    const { one, two } = openTwoTabs()
    const heard = vi.fn()
    two.subscribe(heard)
    one.set(aSession())
    expect(heard).toHaveBeenCalledTimes(1)
    expect(two.get()?.access.userName).toBe('staff')
    one.clear('expired')
    expect(two.get()).toBeNull()
    expect(two.endReason()).toBe('expired')
  })
  it('returns the same object until something changes', () => {
    const { one } = openTwoTabs()
    one.set(aSession())
    expect(one.get()).toBe(one.get())
  })
  it('clears the end reason at the next sign-in', () => {
    const { one } = openTwoTabs()
    one.clear('signedOut')
    one.set(aSession())
    expect(one.endReason()).toBeNull()
  })
  it('keeps the user when only the token is cleared', () => {
    const { one } = openTwoTabs()
    one.set(aSession())
    one.dropToken()
    expect(one.get()).toMatchObject({ token: '', access: { userId: 7 } })
  })
  it.each(['{', 'null', '{"token":"x"}', JSON.stringify({ ...aSession(), access: { userId: 'x' } })])(
    'treats %s as no session',
    (text) => {
      const { one, values } = openTwoTabs()
      values.set('auth.v0.2', text)
      expect(one.get()).toBeNull()
    },
  )
})
