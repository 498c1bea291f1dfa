import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { recordAudit } from './record.ts'
import { sealAudit, verifyAudit } from './verify.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const someone = { userId: null, name: 'A test' }
const record = (entityId: number, action = 'UPDATE', reason?: string) =>
  database.db
    .transaction()
    .execute((trx) => recordAudit(trx, someone, null, { entity: 'thing', entityId, action, reason, new: { n: 1 } }))

describe('the audit', () => {
  it('chains the rows of one record and verifies', async () => {
    for (const action of ['CREATE', 'UPDATE', 'DELETE']) await record(1, action)
    const { rows } = await database.owner.query(
      "select chain_no, prev_hash, hash from audit_entry where entity = 'thing' and entity_id = 1 order by chain_no",
    )
    expect(rows.map((row) => row.chain_no)).toEqual([1, 2, 3])
    expect(rows[1].prev_hash).toEqual(rows[0].hash)
    expect((await verifyAudit(database.owner)).faults).toEqual([])
  })

  it('keeps one chain when ten writers append to it at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => record(2)))
    const written = outcomes.filter((outcome) => outcome.status === 'fulfilled').length
    const { rows } = await database.owner.query(
      "select count(*) as n, max(chain_no) as last from audit_entry where entity = 'thing' and entity_id = 2",
    )
    expect([rows[0].n, rows[0].last]).toEqual([written, written])
    expect((await verifyAudit(database.owner)).faults).toEqual([])
  })

  it('cannot be changed, emptied or given a false hash by the server', async () => {
    await record(3)
    const attempts = [
      sql`update audit_entry set action = 'X'`,
      sql`delete from audit_entry`,
      sql`truncate audit_entry`,
      sql`update audit_seal set hash = ''`,
      sql`delete from access_log`,
      sql`alter table audit_entry disable trigger all`,
    ]
    for (const attempt of attempts) await expect(attempt.execute(database.db)).rejects.toMatchObject({ code: '42501' })
    await sql`insert into audit_entry (entity, entity_id, chain_no, action, actor_name, hash) values ('thing', 4, 99, 'X', 'x', '\\x00')`.execute(
      database.db,
    )
    const { rows } = await database.owner.query(
      "select chain_no, octet_length(hash) as size from audit_entry where entity = 'thing' and entity_id = 4",
    )
    expect(rows).toEqual([{ chain_no: 1, size: 32 }])
  })

  it('cannot be changed by the owner either without switching the guard off', async () => {
    await expect(database.owner.query("update audit_entry set action = 'X'")).rejects.toMatchObject({ code: '42501' })
  })

  it('shows a row that was changed, and one that is gone from the middle, behind the guard', async () => {
    for (let n = 0; n < 3; n++) await record(5)
    const tamper = (statement: string) =>
      database.owner.query(
        `begin; alter table audit_entry disable trigger audit_append_only; ${statement}; alter table audit_entry enable trigger audit_append_only; commit`,
      )
    await tamper(
      "update audit_entry set reason = 'never happened' where entity = 'thing' and entity_id = 5 and chain_no = 1",
    )
    expect((await verifyAudit(database.owner)).faults).toMatchObject([{ kind: 'hash', entity: 'thing', entityId: 5 }])
    await tamper("delete from audit_entry where entity = 'thing' and entity_id = 5 and chain_no in (1, 2)")
    expect((await verifyAudit(database.owner)).faults).toMatchObject([{ kind: 'link', entity: 'thing', entityId: 5 }])
    await tamper("delete from audit_entry where entity = 'thing' and entity_id = 5")
    // A whole chain that is gone leaves no trace in any chain: that is what the seals are for.
    expect((await verifyAudit(database.owner)).faults).toEqual([])
  })

  it('seals what is old enough, and a seal shows a whole chain that is gone', async () => {
    await record(6)
    await database.owner.query('alter table audit_entry disable trigger user')
    await database.owner.query("update audit_entry set at = now() - interval '1 hour'")
    await database.owner.query('update audit_entry a set hash = audit_hash(a) where chain_no = 1')
    await database.owner.query('delete from audit_entry where chain_no > 1')
    await database.owner.query('alter table audit_entry enable trigger user')
    const sealed = await sealAudit(database.pool)
    expect(sealed).toBeGreaterThan(0)
    expect(await sealAudit(database.pool)).toBe(0)
    expect((await verifyAudit(database.owner)).faults).toEqual([])
    await database.owner.query(
      'begin; alter table audit_entry disable trigger audit_append_only; delete from audit_entry where entity_id = 6; alter table audit_entry enable trigger audit_append_only; commit',
    )
    expect((await verifyAudit(database.owner)).faults).toMatchObject([{ kind: 'seal' }])
  })
})
