import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'
import { raiseIssue } from './service.ts'

const test = openTestApp()
let staff: Caller
let departments: { id: number; code: string; name: string }[]

beforeAll(async () => {
  staff = await test.as('STF')
  departments = await test.database.db
    .selectFrom('department')
    .select(['id', 'code', 'name'])
    .orderBy('sort_order')
    .limit(2)
    .execute()
})

const issueBody = (over: Record<string, unknown> = {}) => ({
  reporterDeptId: departments[0]?.id,
  resolverDeptId: departments[1]?.id,
  issueDesc: 'Tube broken',
  ...over,
})
const added = async (requisitionId: number, over = {}) =>
  (await staff.post(`requisitions/${requisitionId}/issues`, issueBody(over))).body.data.id as number
/** A user of the first department, which reports in these tests. */
const reporter = async () => {
  const user = await test.as('STF')
  await test.given.userDepartment(user.userId, departments[0]?.id as number)
  return user
}

describe('issues of a requisition', () => {
  const whole = once(async () => {
    const { id } = await test.given.requisition()
    const type = await test.database.db.selectFrom('issue_type').select('code').executeTakeFirstOrThrow()
    const made = await staff.post(
      `requisitions/${id}/issues`,
      issueBody({ issueCode: type.code, issueNote: 'See photo' }),
    )
    expect([made.status, made.body.message]).toEqual([200, 'Successfully created'])
    const { body } = await staff.get(`requisitions/${id}/issues`)
    const expected = {
      id: made.body.data.id,
      issueCode: type.code,
      deptIssueCode: type.code,
      reporterDeptId: departments[0]?.id,
      reporterDeptCode: departments[0]?.code,
      reporterDeptName: departments[0]?.name,
      resolverDeptId: departments[1]?.id,
      resolverDeptName: departments[1]?.name,
      issueDesc: 'Tube broken',
      issueNote: 'See photo',
      issueStatusCode: 'OPEN',
      issueStatusDesc: 'Open',
      issueStatusDate: expect.any(String),
      issueUserName: expect.stringMatching(/^Test User/),
      issueCreateDate: expect.any(String),
      issueCloseUserName: null,
      issueCloseDate: null,
      workLogCount: 0,
      isClosable: 0,
      version: 1,
    }
    return { reqId: id, list: body.data, data: body.data[0], expected }
  })

  it('ISSUE-35 ISSUE-36 are added and read with every field', async () => {
    const { reqId, list, expected } = await whole()
    expect(list).toEqual([expected])
    expect((await staff.get(`requisitions/${reqId}`)).body.data.issueCount).toBe(1)
  })

  it.each([
    ['ISSUE-10', 'id'],
    ['ISSUE-11', 'issueCode'],
    ['ISSUE-11', 'deptIssueCode'],
    ['ISSUE-12', 'reporterDeptId'],
    ['ISSUE-13', 'resolverDeptId'],
    ['ISSUE-14', 'issueDesc'],
    ['ISSUE-15', 'issueNote'],
    ['ISSUE-16', 'issueStatusCode'],
    ['ISSUE-17', 'issueStatusDesc'],
    ['ISSUE-18', 'issueStatusDate'],
    ['ISSUE-19', 'issueUserName'],
    ['ISSUE-20', 'resolverDeptName'],
    ['ISSUE-21', 'reporterDeptName'],
    ['ISSUE-22', 'reporterDeptCode'],
    ['ISSUE-23', 'issueCloseUserName'],
    ['ISSUE-24', 'issueCloseDate'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it.each([
    ['reporterDeptId', 'Reporter Department is required', 'ISSUE-31'],
    ['resolverDeptId', 'Resolver Department is required', 'ISSUE-32'],
    ['issueDesc', 'Description is required', 'ISSUE-33'],
  ])('%s is asked for: "%s" %s', async (field, message) => {
    const { id } = await test.given.requisition()
    const { status, body } = await staff.post(`requisitions/${id}/issues`, issueBody({ [field]: undefined }))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })

  it('name a department and a type that exist', async () => {
    const { id } = await test.given.requisition()
    const wrongType = await staff.post(`requisitions/${id}/issues`, issueBody({ issueCode: 'NONE' }))
    expect([wrongType.status, wrongType.body.errors[0].field]).toEqual([400, 'issueCode'])
    const wrongDept = await staff.post(`requisitions/${id}/issues`, issueBody({ resolverDeptId: 99999 }))
    expect([wrongDept.status, wrongDept.body.errors[0].field]).toEqual([400, 'resolverDeptId'])
  })

  it('change their status, and only the reporter department closes: ISSUE-37 PERM-116', async () => {
    const { id } = await test.given.requisition()
    const issueId = await added(id)
    const path = `requisitions/${id}/issues/${issueId}`
    const moved = await staff.put(path, { issueStatusCode: 'INPROG' })
    expect([moved.status, moved.body.message, moved.body.data.issueStatusDesc]).toEqual([
      200,
      'Successfully updated status',
      'In progress',
    ])
    expect((await staff.put(path, { issueStatusCode: 'CLOSED' })).status).toBe(403)
    expect((await staff.put(path, { issueStatusCode: 'GONE' })).status).toBe(400)
    const owner = await reporter()
    expect((await owner.get(`requisitions/${id}/issues`)).body.data[0].isClosable).toBe(1)
    const closed = await owner.put(path, { issueStatusCode: 'CLOSED' })
    expect(closed.body.data).toMatchObject({ issueStatusCode: 'CLOSED', issueCloseUserName: expect.any(String) })
    expect(closed.body.data.issueCloseDate).not.toBeNull()
  })

  it('are locked once closed: no status, no work log ISSUE-29', async () => {
    const { id } = await test.given.requisition()
    const issueId = await added(id)
    const owner = await reporter()
    await owner.put(`requisitions/${id}/issues/${issueId}`, { issueStatusCode: 'CLOSED' })
    const again = await owner.put(`requisitions/${id}/issues/${issueId}`, { issueStatusCode: 'OPEN' })
    const log = await staff.post(`requisitions/${id}/issues/${issueId}/work_logs`, { issueWorkLog: 'late' })
    expect([again.status, log.status]).toEqual([409, 409])
  })

  it('refuse a status change based on an old version', async () => {
    const { id } = await test.given.requisition()
    const issueId = await added(id)
    const path = `requisitions/${id}/issues/${issueId}`
    await staff.put(path, { issueStatusCode: 'INPROG' }, { 'if-match': '"1"' })
    expect((await staff.put(path, { issueStatusCode: 'RESOLVED' }, { 'if-match': '"1"' })).status).toBe(409)
  })

  it('keep a work log: ISSUE-05 ISSUE-25..ISSUE-27 ISSUE-34 ISSUE-38 ISSUE-39', async () => {
    const { id } = await test.given.requisition()
    const issueId = await added(id)
    const path = `requisitions/${id}/issues/${issueId}/work_logs`
    const empty = await staff.post(path, { issueWorkLog: ' ' })
    expect(empty.body.errors).toEqual([{ field: 'issueWorkLog', message: 'Issue Work Log is required' }])
    const made = await staff.post(path, { issueWorkLog: 'Called the practice' })
    expect(made.body.message).toBe('Successfully created')
    expect((await staff.get(path)).body.data).toEqual([
      {
        id: made.body.data.id,
        issueWorkLog: 'Called the practice',
        createdByUserName: expect.stringMatching(/^Test User/),
        workLogDate: expect.any(String),
      },
    ])
  })

  it('that deliveries raise by themselves are for those who deliver: neither shown nor counted elsewhere', async () => {
    const { id: clientId } = await test.given.client()
    const { id } = await test.given.requisition({ client_id: clientId, status_code: 'INBILL' })
    const batch = await test.given.store('billing_batch', {})
    await test.database.owner.query('insert into billing_batch_item (batch_id, requisition_id) values ($1, $2)', [
      batch.id,
      id,
    ])
    const [practice, billing] = [await test.as('CLNT', clientId), await test.as('BILL')]
    for (const code of ['DELIVFAIL', 'INTERFACE', 'REPNOTREC'] as const)
      await test.database.db
        .transaction()
        .execute((trx) => raiseIssue(trx, id, code, { by: 'Delivery', issueNote: 'mx1.gateway.example: no answer' }))
    const { rows } = await test.database.owner.query(
      'select distinct reporter_department_id as dept from issue where requisition_id = $1',
      [id],
    )
    const reporting = rows.map(({ dept }) => String(dept))
    const asked = (view: string, filter: object = {}) =>
      `requisitions/${view}?filter=${encodeURIComponent(JSON.stringify({ id, ...filter }))}`
    const onList = async (who: Caller, view: string) => {
      const row = (await who.get(asked(view))).body.data[0]
      return {
        onList: row.issueCount,
        departments: row.reporterDeptcodes,
        found: (await who.get(asked(view, { hasOpenIssues: '1' }))).body.total,
        ofDelivery: (await who.get(asked(view, { issueDeptId: reporting }))).body.total,
      }
    }
    const counts = async (who: Caller, view: string) => ({
      listed: (await who.get(`requisitions/${id}/issues`)).body.data.length,
      onPage: (await who.get(`requisitions/${id}`)).body.data.issueCount,
      ...(await onList(who, view)),
    })
    const three = { onList: 3, departments: expect.stringMatching(/./), found: 1, ofDelivery: 1 }
    expect(await counts(staff, 'ALL')).toEqual({ listed: 3, onPage: 3, ...three })
    const none = { onList: 0, departments: '', found: 0, ofDelivery: 0 }
    expect(await counts(practice, 'CLIENTPHYSROLE')).toEqual({ listed: 0, onPage: 0, ...none })
    expect(await onList(billing, 'BILL')).toEqual(none)
    await added(id)
    const [own] = departments
    const one = { onList: 1, departments: own?.name, found: 1, ofDelivery: 0 }
    expect(await counts(practice, 'CLIENTPHYSROLE')).toEqual({ listed: 1, onPage: 1, ...one })
    expect(await onList(billing, 'BILL')).toEqual(one)
    for (const [who, view] of [[practice, 'CLIENTPHYSROLE'] as const, [billing, 'BILL'] as const])
      expect((await who.get(asked(view, { issueDeptId: String(own?.id) }))).body.total).toBe(1)
  })

  it('notify the users concerned, and are in the history', async () => {
    const { id } = await test.given.requisition()
    const owner = await reporter()
    await added(id)
    const { body } = await owner.get(`users/${owner.userId}/notifications`)
    expect(body.data).toContainEqual(expect.objectContaining({ id, issueCount: 1, readCount: 0 }))
    const history = (await staff.get(`requisitions/${id}/req_hists`)).body.data
    expect(history[0]).toMatchObject({ reqActionCode: 'ISSUE', reqActionDesc: 'Issue changed' })
  })
})

describe('who may do what with issues', () => {
  it('super admins add; sales, collaborators and clients do not: ISSUE-03 PERM-030', async () => {
    const client = await test.given.client()
    const { id } = await test.given.requisition({ client_id: client.id })
    for (const role of ['ADM', 'MGMT', 'STF'] as const)
      expect((await (await test.as(role)).post(`requisitions/${id}/issues`, issueBody())).status).toBe(200)
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect([role, (await (await test.as(role)).post(`requisitions/${id}/issues`, issueBody())).status]).toEqual([
        role,
        403,
      ])
  })

  it('a client reads and logs on its own requisition, sales only read: ISSUE-04 ISSUE-09 PERM-075', async () => {
    const seller = await test.given.salesPerson()
    const client = await test.given.client()
    await test.given.clientSales(client.id, seller.id)
    const { id } = await test.given.requisition({ client_id: client.id })
    const issueId = await added(id)
    const own = await test.as('CLNT', client.id)
    const sales = await test.as('SLS', seller.id)
    const path = `requisitions/${id}/issues/${issueId}/work_logs`
    expect((await own.get(`requisitions/${id}/issues`)).body.data).toHaveLength(1)
    expect((await own.post(path, { issueWorkLog: 'We send a new tube' })).status).toBe(200)
    expect((await own.put(`requisitions/${id}/issues/${issueId}`, { issueStatusCode: 'INPROG' })).status).toBe(403)
    expect((await sales.get(path)).body.data).toHaveLength(1)
    expect((await sales.post(path, { issueWorkLog: 'x' })).status).toBe(403)
  })

  it('nobody reaches the issues of a foreign requisition, nor one through another, nor a list of all: ISSUE-40', async () => {
    const foreign = await test.given.requisition()
    const own = await test.given.requisition()
    const issueId = await added(foreign.id)
    for (const role of ['SLS', 'COLA', 'CLNT'] as const) {
      const reader = await test.as(role)
      expect((await reader.get(`requisitions/${foreign.id}/issues`)).status).toBe(404)
      expect((await reader.get(`requisitions/${foreign.id}/issues/${issueId}/work_logs`)).status).toBe(404)
    }
    expect((await staff.get(`requisitions/${own.id}/issues/${issueId}/work_logs`)).status).toBe(404)
    expect((await staff.put(`requisitions/${own.id}/issues/${issueId}`, { issueStatusCode: 'INPROG' })).status).toBe(
      404,
    )
    expect((await staff.get('issues')).status).toBe(404)
  })
})

describe('a client without time zone', () => {
  const issuesOf = async (id: number) =>
    (await staff.get(`requisitions/${id}/issues`)).body.data.map(
      (issue: {
        issueCode: string
        issueStatusCode: string
        resolverDeptName: string
        issueUserName: string | null
      }) => [issue.issueCode, issue.issueStatusCode, issue.resolverDeptName, issue.issueUserName],
    )
  const open = ['CLIENTTZ', 'OPEN', 'Client Services', null]
  const resolved = ['CLIENTTZ', 'RESOLVED', 'Client Services', null]

  it('raises CLIENTTZ once on each requisition in work, and on no other, until the zone is known', async () => {
    const { id: clientId } = await test.given.client()
    const [logged, inProcess, resulted] = await Promise.all(
      ['LOG', 'PROCESS', 'RESULT'].map((status_code) => test.given.requisition({ client_id: clientId, status_code })),
    )
    const foreign = await test.given.requisition()
    const lost = { clientCity: 'Atlantis', clientZip: '00000' }
    expect((await staff.put(`clients/${clientId}`, lost)).body.data.clientTz).toBe('TZNA')
    await staff.put(`clients/${clientId}`, { clientCity: 'Lemuria' })
    expect(await issuesOf(logged?.id as number)).toEqual([open])
    expect(await issuesOf(inProcess?.id as number)).toEqual([open])
    for (const other of [resulted, foreign]) expect(await issuesOf(other?.id as number)).toEqual([])
    expect((await staff.get(`requisitions/${logged?.id}`)).body.data.issueCount).toBe(1)
    const history = (await staff.get(`requisitions/${logged?.id}/req_hists`)).body.data
    expect(history[0]).toMatchObject({ reqActionCode: 'ISSUE', modifiedByName: 'Client time zones' })

    // Also when it has meanwhile gone on.
    await staff.put(`requisitions/${inProcess?.id}`, { reqStatusCode: 'RESULT' })
    await staff.put(`clients/${clientId}`, { clientTz: 'America/Chicago' })
    for (const one of [logged, inProcess]) expect(await issuesOf(one?.id as number)).toEqual([resolved])
  })

  it('is raised on a copy too, and resolved once the requisition has another client', async () => {
    const body = await test.given.requisitionBody()
    const { id } = (await staff.post('requisitions', body)).body.data
    await test.database.owner.query("update client set zone = 'TZNA' where id = $1", [body.clientId])
    const copy = (await staff.post(`requisitions/${id}/copy`)).body.data.id
    expect(await issuesOf(id)).toEqual([])
    expect(await issuesOf(copy)).toEqual([open])
    const { clientId, collaborator: colaId, orderingClientPhysId, eventId, labId } = await test.given.requisitionBody()
    const order = { clientId, colaId, orderingClientPhysId, eventId, labId }
    expect((await staff.put(`requisitions/${copy}`, order)).status).toBe(200)
    expect(await issuesOf(copy)).toEqual([resolved])
  })
})
