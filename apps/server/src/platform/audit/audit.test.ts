import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { factories } from '../../../test/given.ts'
import { auditFolder } from './external-record.ts'
import { auditKey } from './key.ts'
import { recordAudit } from './record.ts'
import { sealAudit } from './seal.ts'
import { AuditTail } from './tail.ts'
import { verifyAudit } from './verify.ts'

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

  it('cannot be changed, emptied or given a wrong hash by the server', async () => {
    await record(3)
    const attempts = [
      sql`update audit_entry set action = 'X'`,
      sql`delete from audit_entry`,
      sql`truncate audit_entry`,
      sql`update audit_seal set hash = ''`,
      sql`insert into audit_state (entity, entity_id) values ('patient', 1)`,
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

  it('cannot be changed by the owner without disabling the triggers', async () => {
    await expect(database.owner.query("update audit_entry set action = 'X'")).rejects.toMatchObject({ code: '42501' })
  })

  it('shows a row that was changed or removed from the middle with disabled triggers', async () => {
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
})

const secret = 'a secret of more than thirty-two characters'
const key = auditKey(secret)
const folder = () => auditFolder(database.folder)
const seal = () => sealAudit({ pool: database.pool, key, folder: folder() })
const verify = async () => (await verifyAudit(database.owner, { secret, folder: folder() })).faults
const kinds = async () => [...new Set((await verify()).map(({ kind }) => kind))]
/** What the owner of the database can do with all triggers disabled. */
const behindTheGuard = (...statements: string[]) =>
  database.owner.query(`begin; set local session_replication_role = replica; ${statements.join('; ')}; commit`)
/** Makes every row old enough to be sealed, with hashes that fit. */
const makeOld = () =>
  behindTheGuard(
    "update audit_entry set at = at - interval '1 hour'",
    "update audit_state set at = at - interval '1 hour'",
    rechain,
  )
/** Recomputes all chains, as an attacker would after rewriting a row. */
const rechain = `do $$ declare e audit_entry; before bytea; begin
  for e in select * from audit_entry order by entity, entity_id, chain_no loop
    before := (select hash from audit_entry p where p.entity = e.entity and p.entity_id = e.entity_id and p.chain_no < e.chain_no order by p.chain_no desc limit 1);
    e.prev_hash := before;
    update audit_entry set prev_hash = before, hash = audit_hash(e) where id = e.id;
  end loop; end $$`
/** And the hashes of the seals with them. */
const reseal = `do $$ declare s audit_seal; begin
  for s in select * from audit_seal order by id loop
    s.prev_hash := (select hash from audit_seal p where p.id < s.id order by p.id desc limit 1);
    update audit_seal set prev_hash = s.prev_hash, row_count = (select count(*) from audit_entry e where e.id between s.from_id and s.to_id),
      hash = audit_seal_hash(s.prev_hash, s.from_id, s.to_id, s.state_from, s.state_to) where id = s.id;
  end loop; end $$`

describe('the seals', () => {
  it('cover rows that are old enough, are copied to the external record, and show a removed chain', async () => {
    await record(6)
    await record(7)
    await makeOld()
    expect(await seal()).toBeGreaterThan(0)
    expect(await seal()).toBe(0)
    expect(await verify()).toEqual([])
    await behindTheGuard("delete from audit_entry where entity = 'thing' and entity_id = 6")
    expect(await kinds()).toEqual(['seal'])
    // With every hash and count recomputed the database is in order again. Only the codes are not: nobody can make them without the secret.
    await behindTheGuard(rechain, reseal)
    expect(await kinds()).toEqual(['seal', 'outside'])
    expect((await verify())[0]?.detail).toMatch(/^seal \d+ was not made by this installation$/)
    await behindTheGuard('delete from audit_seal')
    expect(await kinds()).toEqual(['outside'])
  })

  it('of an earlier secret are protected by the hashes of later ones; the last one is reported', async () => {
    database = await database.close().then(openTestDatabase)
    await record(8)
    await makeOld()
    await seal()
    const other = { secret: 'another secret of more than thirty-two letters', folder: folder() }
    expect((await verifyAudit(database.owner, other)).faults).toMatchObject([{ kind: 'key' }])
    await database.owner.query(
      "insert into audit_entry (entity, entity_id, chain_no, action, actor_name, hash, at) values ('thing', 9, 0, 'X', 'x', '', now() - interval '1 hour')",
    )
    await sealAudit({ pool: database.pool, key: auditKey(other.secret), folder: folder() })
    expect((await verifyAudit(database.owner, other)).faults).toEqual([])
  })
})

describe('a row that is not sealed yet', () => {
  it('is in the external record within a second, so that rows removed from the end or rewritten with their chain are noticed', async () => {
    database = await database.close().then(openTestDatabase)
    const tail = new AuditTail({ pool: database.pool, key, folder: folder(), log: { warn: () => undefined } })
    await record(10)
    await tail.round()
    await record(11)
    await record(11, 'DELETE', 'by mistake')
    await tail.round()
    await tail.round()
    expect(await verify()).toEqual([])
    await behindTheGuard("update audit_entry set reason = 'never happened' where reason = 'by mistake'", rechain)
    expect(await kinds()).toEqual(['outside'])
    await behindTheGuard("delete from audit_entry where entity = 'thing' and entity_id = 11")
    expect(await verify()).toMatchObject([{ kind: 'outside', detail: expect.stringContaining('0 of 2 are there') }])
  })

  it('is read once: a row with a lower id is recorded when its transaction ends, the others are not read again', async () => {
    database = await database.close().then(openTestDatabase)
    const asked: number[] = []
    const pool = {
      query: async (text: string, values?: unknown[]) => {
        const answer = await database.pool.query(text, values)
        if (text.includes('audit_tail')) asked.push(answer.rows.length)
        return answer
      },
    } as unknown as TestDatabase['pool']
    const tail = new AuditTail({ pool, key, folder: folder(), log: { warn: () => undefined } })
    const insert =
      "insert into audit_entry (entity, entity_id, chain_no, action, actor_name, hash) values ('thing', $1, 0, 'X', 'x', '')"
    await tail.round()
    const slow = await database.owner.connect()
    try {
      await slow.query('begin')
      await slow.query(insert, [20])
      for (const id of [21, 22]) await database.owner.query(insert, [id])
      await tail.round()
      await slow.query('commit')
    } finally {
      slow.release()
    }
    for (let round = 0; round < 3; round++) await tail.round()
    expect(asked.slice(1)).toEqual([2, 1, 0, 0])
    expect(await verify()).toEqual([])
    await behindTheGuard("delete from audit_entry where entity = 'thing' and entity_id = 20")
    expect(await kinds()).toEqual(['outside'])
  })
})

describe('a clinical record', () => {
  it('that was changed directly in its table is reported, with or without triggers, also after later changes', async () => {
    database = await database.close().then(openTestDatabase)
    const { requisition, orderedTest, patient } = factories(database.db)
    const person = await patient()
    const { id } = await requisition({ patient_id: person.id })
    const test = await orderedTest(id, 'CHOL', { result: '251', reportable_result: '251' })
    // The factories write no audit: this row covers what they created.
    await behindTheGuard(
      `insert into audit_entry (entity, entity_id, chain_no, action, actor_name, hash, tx_at)
       select 'given', row_number() over (), 1, 'GIVEN', 'A test', '', tx_at from (select distinct tx_at from audit_state) t
       where not exists (select from audit_entry e where e.tx_at = t.tx_at)`,
      rechain,
    )
    expect(await verify()).toEqual([])

    await behindTheGuard(`update requisition_test set result = '151' where id = ${test.id}`)
    expect(await verify()).toMatchObject([
      { kind: 'state', detail: `requisition_test ${test.id} (requisition ${id}) is not what was last written` },
    ])
    await behindTheGuard(`update requisition_test set result = '251' where id = ${test.id}`)
    expect(await verify()).toEqual([])

    for (const statement of [
      `update requisition_test set result = '151' where id = ${test.id}`,
      `update patient set last_name = 'Other' where id = ${person.id}`,
      `update requisition set status_code = (select code from requisition_status_type where code <> 'LOG' limit 1) where id = ${id}`,
    ])
      await database.owner.query(statement)
    await record(12)
    expect(await verify()).toMatchObject([
      { kind: 'unaudited', entity: 'patient', entityId: person.id },
      { kind: 'unaudited', entity: 'requisition', entityId: id },
      { kind: 'unaudited', entity: 'requisition_test', entityId: test.id },
    ])
  })
})
