import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp } from '../../test/app.ts'
import { registerHandlers } from '../modules/domain-event-handlers.ts'
import { announce, type DomainEventHandlers, registerDomainEventHandlers } from './domain-events.ts'

const test = openTestApp()
const seen: string[] = []

const none = {
  resultsChanged: [],
  recordChanged: [],
  receiversChanged: [],
  deliverToChanged: [],
  statusMovedBack: [],
  deliveredOutside: [],
  reportReleased: [],
  reportHeld: [],
  clientZoneChanged: [],
  issueChanged: [],
} satisfies DomainEventHandlers

const rename = (name: string): DomainEventHandlers['issueChanged'][number] => {
  return async ({ db }, { requisitionId }) => {
    const { rows } = await sql<{
      old: string
    }>`select ext_order_id as old from requisition where id = ${requisitionId}`.execute(db)
    seen.push(`${rows[0]?.old} ${name}`)
    await sql`update requisition set ext_order_id = ${name} where id = ${requisitionId}`.execute(db)
  }
}

const extOrderId = async (id: number) => {
  const { rows } = await sql<{ name: string }>`select ext_order_id as name from requisition where id = ${id}`.execute(
    test.database.db,
  )
  return rows[0]?.name
}

beforeAll(() => {
  seen.length = 0
})
afterAll(registerHandlers)

describe('announce', () => {
  it('runs the handlers of an event in their order, in the transaction of the call', async () => {
    const { id } = await test.given.requisition()
    registerDomainEventHandlers({ ...none, issueChanged: [rename('first'), rename('second')] })
    await test.database.db.transaction().execute(async (db) => {
      await sql`update requisition set ext_order_id = 'call' where id = ${id}`.execute(db)
      await announce({ db }, 'issueChanged', { requisitionId: id })
    })
    expect(seen).toEqual(['call first', 'first second'])
    expect(await extOrderId(id)).toBe('second')
  })
  it('rolls the call back when a handler fails', async () => {
    const { id } = await test.given.requisition()
    const before = await extOrderId(id)
    const fail = () => Promise.reject(new Error('refused'))
    registerDomainEventHandlers({ ...none, issueChanged: [rename('first'), fail] })
    const call = test.database.db.transaction().execute((db) => announce({ db }, 'issueChanged', { requisitionId: id }))
    await expect(call).rejects.toThrow('refused')
    expect(await extOrderId(id)).toBe(before)
  })
})
