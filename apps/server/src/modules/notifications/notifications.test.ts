import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { announce } from '../../platform/domain-events.ts'
import type { AppEvent } from '../../platform/events/publish.ts'

const test = openTestApp()
let departments: number[]
let who: Caller

beforeEach(async () => {
  await test.database.owner.query('update issue set deleted_at = now() where deleted_at is null')
  const { rows } = await test.database.owner.query('select id from department order by id limit 3')
  departments = rows.map((row) => row.id)
  who = await test.as('STF')
})

const own = (caller: Caller) => `users/${caller.userId}/notifications`
const list = async (caller: Caller) => (await caller.get(own(caller))).body.data
const read = (caller: Caller, id: number) => caller.post(`${own(caller)}/${id}/read`)
const counts = async (caller: Caller) =>
  (await list(caller)).map((row: { id: number; issueCount: number; readCount: number }) => [
    row.id,
    row.issueCount,
    row.readCount,
  ])
const update = (id: number, sets: string) => test.database.owner.query(`update issue set ${sets} where id = $1`, [id])

describe('GET users/{userId}/notifications', () => {
  it('ISSUE-41 ISSUE-42 ISSUE-43 ISSUE-44 ISSUE-45 ISSUE-46 SHELL-53 counts issues, and those that were read', async () => {
    const { id } = await test.given.requisition()
    await test.given.issue(id)
    const second = await test.given.issue(id)
    expect(await counts(who)).toEqual([[id, 2, 0]])
    const reply = await read(who, id)
    expect([reply.status, reply.body]).toEqual([200, { message: 'Successfully updated' }])
    expect(await counts(who)).toEqual([[id, 2, 2]])
    await update(second.id, "status_code = 'INPROG', status_at = clock_timestamp()")
    expect(await counts(who)).toEqual([[id, 2, 1]])
    await read(who, id)
    await test.database.owner.query("insert into issue_work_log (issue_id, work_log) values ($1, 'Called back')", [
      second.id,
    ])
    await test.given.issue(id)
    expect(await counts(who)).toEqual([[id, 3, 1]])
    expect(await counts(await test.as('ADM'))).toEqual([[id, 3, 0]])
  })

  it('names the patient, and of the unread issues the latest three with what was written last', async () => {
    const patient = await test.given.patient({ first_name: 'Zoë', last_name: 'Größ' })
    const { id } = await test.given.requisition({ patient_id: patient.id })
    const old = await test.given.issue(id, { description: 'Wrong birth date' })
    await read(who, id)
    await test.database.owner.query("insert into issue_work_log (issue_id, work_log) values ($1, 'Practice called')", [
      old.id,
    ])
    await test.given.issue(id, { description: 'Tube broken', note: 'x'.repeat(300) })
    const [row] = await list(who)
    expect(row).toMatchObject({ patientName: 'Größ, Zoë', issueCount: 2, readCount: 0 })
    expect(row.issues).toMatchObject([
      { issueDesc: 'Tube broken', reason: 'x'.repeat(200) },
      { issueDesc: 'Wrong birth date', reason: 'Practice called' },
    ])
    for (let n = 0; n < 3; n++) await test.given.issue(id)
    expect((await list(who))[0].issues).toHaveLength(3)
  })

  it("marks all of them as read at once, and nobody else's", async () => {
    const other = await test.as('ADM')
    for (let n = 0; n < 2; n++) await test.given.issue((await test.given.requisition()).id)
    const { status, body } = await who.post(`${own(who)}/read`)
    expect([status, body]).toEqual([200, { message: 'Successfully updated' }])
    const unread = async (caller: Caller) =>
      (await list(caller)).filter((row: { issueCount: number; readCount: number }) => row.issueCount > row.readCount)
    expect([(await unread(who)).length, (await unread(other)).length]).toEqual([0, 2])
    expect((await who.post(`${own(other)}/read`)).status).toBe(404)
    // What comes afterwards is unread again.
    await test.given.issue((await test.given.requisition()).id)
    expect(await unread(who)).toHaveLength(1)
  })

  it('a closed or deleted issue, and one of a deleted requisition, leaves the list', async () => {
    const [one, two, three] = [
      await test.given.requisition(),
      await test.given.requisition(),
      await test.given.requisition(),
    ]
    const issues = [await test.given.issue(one.id), await test.given.issue(two.id), await test.given.issue(three.id)]
    expect(await list(who)).toHaveLength(3)
    await update(issues[0]?.id ?? 0, "status_code = 'CLOSED', closed_at = now()")
    await update(issues[1]?.id ?? 0, 'deleted_at = now()')
    await test.database.owner.query('update requisition set deleted_at = now() where id = $1', [three.id])
    expect(await list(who)).toEqual([])
  })

  it('SHELL-G6 gives the unread first, then the twenty latest read ones', async () => {
    const ids: number[] = []
    for (let n = 0; n < 23; n++) {
      const { id } = await test.given.requisition()
      await test.given.issue(id)
      ids.push(id)
      if (n !== 0) await read(who, id)
    }
    const seen = (await counts(who)).map(([id]: number[]) => id)
    expect(seen).toEqual([ids[0], ...ids.slice(3).toReversed()])
  })

  it('takes the departments of the reader, as reporter or as resolver', async () => {
    const [first, second, third] = departments as [number, number, number]
    const mine = await test.given.requisition()
    await test.given.issue(mine.id, { reporter_department_id: first, resolver_department_id: third })
    await test.given.issue(mine.id, { reporter_department_id: third, resolver_department_id: first })
    await test.given.issue(mine.id, { reporter_department_id: third, resolver_department_id: third })
    await test.given.userDepartment(who.userId, first)
    expect(await counts(who)).toEqual([[mine.id, 2, 0]])
    const other = await test.as('MGMT')
    await test.given.userDepartment(other.userId, second)
    expect(await list(other)).toEqual([])
    expect(await counts(await test.as('MGMT'))).toEqual([[mine.id, 3, 0]])
  })

  it('shows a collaborator its own requisitions only, and marks no other as read', async () => {
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    const [mine, foreign] = [await test.given.requisition({ client_id: client.id }), await test.given.requisition()]
    for (const { id } of [mine, foreign]) await test.given.issue(id)
    const partner = await test.as('COLA', collaborator.id)
    expect(await counts(partner)).toEqual([[mine.id, 1, 0]])
    expect((await read(partner, mine.id)).status).toBe(200)
    expect((await read(partner, foreign.id)).status).toBe(404)
    expect((await read(partner, 999_999_999)).status).toBe(404)
  })

  it("nobody reads or marks another person's notifications", async () => {
    const other = await test.as('MGMT')
    const { id } = await test.given.requisition()
    await test.given.issue(id)
    expect((await who.get(own(other))).status).toBe(404)
    expect((await who.post(`${own(other)}/${id}/read`)).status).toBe(404)
    expect(await counts(other)).toEqual([[id, 1, 0]])
  })

  it.each(roles)('ISSUE-48 ISSUE-G8 %s: for super admins and collaborators only', async (role) => {
    const caller = await test.as(role)
    const { id } = await test.given.requisition()
    expect((await caller.get(own(caller))).status).toBe(can(role, 'notifications.read') ? 200 : 403)
    if (!can(role, 'notifications.read')) expect((await read(caller, id)).status).toBe(403)
  })

  it.each(['users/abc/notifications', 'users/0/notifications', 'users/9007199254740991/notifications'])(
    'has nothing at %s',
    async (path) => {
      expect([400, 404]).toContain((await who.get(path)).status)
    },
  )
})

describe('a changed issue', () => {
  it('notifies the users whom the issue concerns, on commit', async () => {
    const [first, second] = departments as [number, number]
    const { id } = await test.given.requisition()
    await test.given.issue(id, { reporter_department_id: first, resolver_department_id: first })
    const [concerned, other, partner, client] = [
      await test.as('ADM'),
      await test.as('ADM'),
      await test.as('COLA'),
      await test.as('CLNT'),
    ]
    await test.given.userDepartment(concerned.userId, first)
    await test.given.userDepartment(other.userId, second)
    const heard: AppEvent[] = []
    const stops = [concerned, other, partner, client].map(({ userId }) =>
      test.services.events.subscribe({ userId }, (event) => heard.push(event)),
    )
    await test.database.db.transaction().execute((trx) => announce({ db: trx }, 'issueChanged', { requisitionId: id }))
    await expect
      .poll(() => heard)
      .toEqual([{ topic: 'notification', userId: concerned.userId, data: { requisitionId: id } }])
    for (const stop of stops) stop()
  })
})
