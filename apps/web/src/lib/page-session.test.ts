import { describe, expect, it, vi } from 'vitest'
import { aSession, openBrowser, tick } from '../../test/fake-tabs.ts'
import { createPageSession } from './page-session.ts'
import { createSessionStore } from './session-store.ts'
import { createUnsaved } from './unsaved.ts'

const open = () => {
  const browser = openBrowser()
  const tab = browser.openTab()
  const other = browser.openTab()
  const store = createSessionStore(tab.storage, tab.watch)
  store.set(aSession())
  const unsaved = createUnsaved()
  return {
    store,
    unsaved,
    page: createPageSession(store, unsaved),
    otherTab: createSessionStore(other.storage, other.watch),
  }
}
const somebodyElse = aSession({ access: { ...aSession().access, userId: 8 } })

describe('the page session', () => {
  it('SESS-16 ends with the session if nothing is unsaved', () => {
    const { store, page } = open()
    store.clear('expired')
    expect([page.get(), page.held()]).toEqual([null, null])
  })

  it('SESS-G1 is held while there is unsaved input, until the same user signs in again', async () => {
    const { store, unsaved, page } = open()
    unsaved.add('form')
    store.clear('expired')
    expect(page.get()?.access.userId).toBe(7)
    const settled = page.whenSettled()
    store.set(aSession({ token: 'token-2' }))
    expect(await settled).toBe('sameUser')
    expect([page.get()?.token, page.held()]).toEqual(['token-2', null])
  })

  it('SESS-G1 reports when another user signs in instead', async () => {
    const { store, unsaved, page } = open()
    unsaved.add('form')
    store.clear('expired')
    const settled = page.whenSettled()
    store.set(somebodyElse)
    expect(await settled).toBe('otherUser')
  })

  it('is held too when another tab finds the session ended', () => {
    const { unsaved, page, otherTab } = open()
    unsaved.add('form')
    otherTab.clear('expired')
    expect(page.held()?.access.userId).toBe(7)
  })

  it('SESS-08 is not held for a user who logs out, here or in another tab', () => {
    const { unsaved, page, otherTab } = open()
    unsaved.add('form')
    otherTab.clear('signedOut')
    expect(page.get()).toBeNull()
  })

  it('ends when the unsaved input is discarded', async () => {
    const { store, unsaved, page } = open()
    unsaved.add('form')
    store.clear('expired')
    const settled = page.whenSettled()
    unsaved.remove('form')
    expect(await settled).toBe('left')
    expect(page.get()).toBeNull()
  })
})

describe('unsaved input', () => {
  it('would be lost by leaving, unless it is being saved', () => {
    const unsaved = createUnsaved()
    expect(unsaved.isLeft()).toBe(false)
    unsaved.add('form')
    expect(unsaved.isLeft()).toBe(true)
    unsaved.setSending('form', true)
    expect([unsaved.has(), unsaved.isLeft()]).toEqual([true, false])
    unsaved.setSending('form', false)
    unsaved.remove('form')
    expect(unsaved.has()).toBe(false)
  })

  it('is sent before the user leaves, who waits until all of it is saved', async () => {
    const unsaved = createUnsaved()
    const [arrived, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const gone = vi.fn(async () => undefined)
    unsaved.addSender(gone)()
    unsaved.addSender(() => arrived.promise)
    unsaved.addSender(() => failed.promise)
    unsaved.add('form')
    unsaved.setSending('form', true)
    let isDone = false
    const done = unsaved.sendAll().then(() => {
      isDone = true
    })
    const look = async () => {
      await tick()
      return isDone
    }
    arrived.resolve()
    expect(await look()).toBe(false)
    failed.reject(new Error('Server Error1'))
    expect(await look()).toBe(false)
    unsaved.setSending('form', false)
    await done
    // Its save was refused: it is still there.
    expect(unsaved.isLeft()).toBe(true)
    expect(gone).not.toHaveBeenCalled()
    await unsaved.sendAll()
  })

  it('that outlives its page is dropped if stuck when the user leaves, and completely when the session ends', () => {
    const unsaved = createUnsaved()
    const drop = vi.fn()
    unsaved.add('results', undefined, drop)
    unsaved.giveUp()
    expect([drop.mock.lastCall, unsaved.has()]).toEqual([[false], true])
    unsaved.clear()
    expect([drop.mock.lastCall, unsaved.has()]).toEqual([[true], false])
  })

  it('is described in its own words, each once, without what is being saved', () => {
    const unsaved = createUnsaved()
    const draft = () => 'It is kept as a draft.'
    unsaved.add('form', draft)
    unsaved.add('other form', draft)
    unsaved.add('cell')
    unsaved.add('sent', () => 'On its way.')
    unsaved.setSending('sent', true)
    expect(unsaved.descriptions()).toEqual(['It is kept as a draft.', 'What you typed is not saved.'])
  })
})
