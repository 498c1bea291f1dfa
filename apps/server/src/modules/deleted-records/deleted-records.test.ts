import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import type { DeletedRecord } from '@lis/contract/deleted-records.ts'
import { type DeletedKindCode, deletedKinds } from '@lis/contract/resources.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { deletables, insuranceBody, userBody } from '../../../test/deletables.ts'
import { allDeletedKinds } from '../../modules.ts'
import { updateClientZoneIssues } from '../issues/service.ts'

const test = openTestApp()
let admin: Caller
let manager: Caller
let deptId: number
let made: ReturnType<typeof deletables>
beforeAll(async () => {
  admin = await test.as('ADM')
  manager = await test.as('MGMT')
  deptId = await test.given.firstId('department')
  made = deletables(test, manager)
})

let serial = 0
const password = 'Restored-Horse-2026!'
const owner = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows
const listed = async (query = '') => (await admin.get(`deleted_records?perPage=100${query}`)).body
const filter = (text: string) => `&filter=${encodeURIComponent(text)}`
const rowOf = async (kind: DeletedKindCode, id: number): Promise<DeletedRecord | undefined> =>
  (await listed(filter(`[kind:${kind}]`))).data.find(({ recordId }: DeletedRecord) => recordId === id)
const restore = (kind: DeletedKindCode, id: number, who = admin) => who.put(`deleted_records/${kind}/${id}/restore`)
const refusal = async (kind: DeletedKindCode, id: number) => {
  const { status, body } = await restore(kind, id)
  return [status, body.message]
}

/** Without the number that every write raises. */
const withoutVersion = (record: unknown) =>
  JSON.parse(JSON.stringify(record, (name, value) => (name === 'version' ? undefined : value)))

const nameOf = async (id: number) =>
  (await owner("select first_name || ' ' || last_name as name from app_user where id = $1", [id]))[0].name

describe('a deleted record', () => {
  it('is of a kind that the list of the contract names, and no other', () => {
    expect(allDeletedKinds.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(deletedKinds).toSorted())
  })

  it.each(Object.keys(deletedKinds) as DeletedKindCode[])(
    '%s leaves its screens, is listed as deleted with who deleted it, and is restored unchanged',
    async (kind) => {
      const { table } = allDeletedKinds.find((known) => known.kind === kind) as (typeof allDeletedKinds)[0]
      const { id, read, remove, words } = await made.examples[kind]()
      const before = await read()
      expect(await rowOf(kind, id)).toBeUndefined()
      expect((await remove()).status).toBe(200)
      const gone = await read()
      expect(gone === undefined || (gone as unknown[]).length === 0).toBe(true)
      expect(await rowOf(kind, id)).toEqual({
        id: `${kind}-${id}`,
        kind,
        recordId: id,
        record: expect.stringMatching(words),
        deletedDate: expect.any(String),
        deletedBy: await nameOf(manager.userId),
        reqId: ['requisition', 'document', 'payment', 'insurance', 'billingNote'].includes(kind)
          ? expect.any(Number)
          : null,
      })
      const { status, body } = await restore(kind, id)
      expect([status, body.message]).toEqual([200, 'Successfully restored'])
      expect(withoutVersion(await read())).toEqual(withoutVersion(before))
      expect(await rowOf(kind, id)).toBeUndefined()
      const [entry] = await owner(
        'select action, actor_id, new_data from audit_entry where entity = $1 and entity_id = $2 order by chain_no desc limit 1',
        [table, id],
      )
      expect(entry).toEqual({ action: 'RESTORE', actor_id: admin.userId, new_data: expect.any(Object) })
    },
  )

  it.each(allDeletedKinds)('$kind counts the restoring as a change wherever changes are counted', async (known) => {
    const columns = await owner(
      "select 1 from information_schema.columns where table_name = $1 and column_name = 'version'",
      [known.table],
    )
    expect(known.isVersioned).toBe(columns.length > 0)
    if (!known.isVersioned) return
    const { id, remove } = await made.examples[known.kind]()
    const version = async () => (await owner(`select version from ${known.table} where id = $1`, [id]))[0].version
    const before = await version()
    await remove()
    await restore(known.kind, id)
    expect(await version()).toBe(before + 2)
  })

  it.each(allDeletedKinds)('$kind is found by an index of deleted rows only', async ({ table }) => {
    const indexes = await owner(
      "select 1 from pg_indexes where tablename = $1 and indexdef like '%(deleted_at) WHERE (deleted_at IS NOT NULL)'",
      [table],
    )
    expect(indexes).toHaveLength(1)
  })

  it('that does not exist, or is not deleted, cannot be restored', async () => {
    const { id } = await test.given.client()
    expect(await refusal('client', 999_999_999)).toEqual([404, 'Record not found'])
    expect(await refusal('client', id)).toEqual([
      409,
      'This record is not deleted; somebody may have restored it already',
    ])
    expect((await admin.put(`deleted_records/session/${id}/restore`)).status).toBe(400)
  })

  it('is restored once by two who do it at the same time', async () => {
    const { id, remove } = await made.examples.client()
    await remove()
    const replies = await Promise.all([restore('client', id), restore('client', id, manager)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const entries = await owner(
      "select 1 from audit_entry where entity = 'client' and entity_id = $1 and action = 'RESTORE'",
      [id],
    )
    expect(entries).toHaveLength(1)
  })
})

describe('the list of deleted records', () => {
  it('shows the newest deletion first, and finds by kind, words, day and person', async () => {
    const [first, second] = [await made.examples.sales(), await made.examples.collaborator()]
    await first.remove()
    await second.remove()
    await owner("update sales_person set deleted_at = '2026-11-03T03:00:00Z' where id = $1", [first.id]) // 22:00 of the 2nd
    const { data } = await listed()
    expect(data[0]).toMatchObject({ kind: 'collaborator', recordId: second.id })
    const [{ last_name: lastName }] = await owner('select last_name from sales_person where id = $1', [first.id])
    const ids = async (text: string) => (await listed(filter(text))).data.map(({ id }: DeletedRecord) => id)
    expect(await ids(`[search:${lastName.toUpperCase()}]`)).toEqual([`sales-${first.id}`])
    expect(await ids('[deletedDate:"[11/02/2026-11/02/2026]"]')).toContain(`sales-${first.id}`)
    expect(await ids('[deletedDate:"[11/03/2026-11/03/2026]"]')).not.toContain(`sales-${first.id}`)
    expect(await ids(`[kind:sales,deletedBy:${await nameOf(manager.userId)}]`)).toContain(`sales-${first.id}`)
    expect(await ids('[kind:sales,deletedBy:Nobody]')).toEqual([])
    expect((await listed(filter('[deletedDate:yesterday]'))).message).toMatch(/deletedDate/)
  })

  it('counts all that match, and sorts by each column', async () => {
    for (const field of ['kind', 'record', 'deletedDate', 'deletedBy'] as const) {
      const texts = async (order: string) => {
        const { data, total } = await listed(`&sort=[${field},${order}]`)
        expect(data).toHaveLength(Math.min(100, total))
        return data.map((row: DeletedRecord) => (field === 'kind' ? deletedKinds[row.kind] : row[field]))
      }
      const [up, down] = [await texts('ASC'), await texts('DESC')]
      expect(down).toEqual(up.toReversed())
      expect(new Set(up).size).toBeGreaterThan(field === 'deletedBy' ? 0 : 1)
    }
  })

  it('is in the access log with the patients it shows', async () => {
    const { id, remove } = await made.examples.document()
    await remove()
    const { reqId } = (await rowOf('document', id)) as DeletedRecord
    await test.services.accessLog.flush()
    const rows = await owner(
      "select 1 from access_log where user_id = $1 and route = 'deleted_records' and $2 = any(requisition_ids)",
      [admin.userId, reqId],
    )
    expect(rows.length).toBeGreaterThan(0)
  })

  it('is for administrators and management only, as is restoring', async () => {
    const { id, remove } = await made.examples.requisition()
    await remove()
    for (const role of roles) {
      const who = await test.as(role)
      const isAllowed = role === 'ADM' || role === 'MGMT'
      expect(can(role, 'records.restore')).toBe(isAllowed)
      expect((await who.get('deleted_records')).status).toBe(isAllowed ? 200 : 403)
      if (!isAllowed) expect((await restore('requisition', id, who)).status).toBe(403)
    }
    expect((await test.nobody.get('deleted_records')).status).toBe(401)
    expect((await restore('requisition', id, test.nobody)).status).toBe(401)
    expect((await restore('requisition', id)).status).toBe(200)
  })
})

describe('a record whose unique value is taken', () => {
  it('a client is refused while another has its Client ID', async () => {
    const legacyClientId = `TAKEN${++serial}`
    const { id } = (await manager.post('clients', await test.given.clientBody({ legacyClientId }))).body.data
    await manager.del(`clients/${id}`)
    const other = await test.given.client({ legacy_client_id: legacyClientId.toLowerCase(), name: 'Newer Practice' })
    expect(await refusal('client', id)).toEqual([409, `The Client ID ${legacyClientId} now belongs to Newer Practice`])
    await manager.del(`clients/${other.id}`)
    expect((await restore('client', id)).status).toBe(200)
  })

  it('a collaborator keeps its name', async () => {
    const name = `Twice Labs ${++serial}`
    const { id } = await test.given.collaborator({ name })
    await manager.del(`collaborators/${id}`)
    const other = await test.given.collaborator({ name: name.toUpperCase() })
    expect(await refusal('collaborator', id)).toEqual([
      409,
      `The name ${name.toUpperCase()} now belongs to the collaborator with ID ${other.id}`,
    ])
  })

  it('a collaborator keeps its alias, by which HL7 results are routed, and a client its Client ID', async () => {
    const code = `HL7WAY${++serial}`
    const { id } = await test.given.collaborator({ alias: code })
    await manager.del(`collaborators/${id}`)
    const client = await test.given.client({ legacy_client_id: code.toLowerCase() })
    expect(await refusal('collaborator', id)).toEqual([409, `The alias ${code} is now in use by a client`])
    await manager.del(`clients/${client.id}`)
    expect((await restore('collaborator', id)).status).toBe(200)
    expect(await refusal('client', client.id)).toEqual([
      409,
      `The Client ID ${code.toLowerCase()} is now the alias of a collaborator`,
    ])
  })

  it('a requisition that comes back says what does not, and has caught up with its client and patient', async () => {
    const client = await test.given.client({ zone: 'TZNA' })
    const { id } = await test.given.requisition({ client_id: client.id, status_code: 'ACC', ext_order_id: 'X-17' })
    await test.database.db.transaction().execute((trx) => updateClientZoneIssues(trx, client.id, id))
    await owner(
      `insert into payment (requisition_id, payment_type_code, payer_type_code, payer, amount, payment_note, payment_date, payment_no, deleted_at)
       values ($1, 'CHECK', 'PATIENT', 'Doe', 80, 'At the draw', '2026-11-01', '1', now())`,
      [id],
    )
    expect((await manager.del(`requisitions/${id}`)).status).toBe(200)
    const duplicate = await test.given.requisition({ client_id: client.id, ext_order_id: 'x-17' })
    await owner("update client set zone = 'America/Denver' where id = $1", [client.id])
    const { status, body } = await restore('requisition', id)
    expect([status, body.message]).toEqual([
      200,
      `Successfully restored. 1 payment(s) were deleted on their own: restore them too if they were made. Requisition #${duplicate.id} has the same Ext. Order ID.`,
    ])
    expect(
      await owner(
        `select i.status_code from issue i join issue_type t on t.id = i.issue_type_id where i.requisition_id = $1 and t.code = 'CLIENTTZ'`,
        [id],
      ),
    ).toEqual([{ status_code: 'RESOLVED' }])
  })

  it('a requisition does not come back beside the one its row was loaded as again', async () => {
    const { id, remove } = await made.examples.requisition()
    const key = (requisitionId: number) =>
      test.database.owner.query('update requisition set load_key = $1 where id = $2', ['again', requisitionId])
    await key(id)
    await remove()
    const other = await test.given.requisition({})
    await key(other.id)
    expect(await refusal('requisition', id)).toEqual([
      409,
      `Its row has been loaded again meanwhile, as requisition #${other.id}`,
    ])
  })

  it('a sales person keeps the code', async () => {
    const { id } = await test.given.salesPerson({ rep_code: 'TWICE1' })
    await manager.del(`sales/${id}`)
    await test.given.salesPerson({ rep_code: 'twice1', first_name: 'Nina', last_name: 'Newer' })
    expect(await refusal('sales', id)).toEqual([409, 'The Sales Rep Code TWICE1 now belongs to Nina Newer'])
  })

  it('a user keeps the name', async () => {
    const { id } = (await manager.post('mfa/users', userBody(deptId, { userName: 'ada.twice' }))).body.data
    await manager.del(`mfa/users/${id}`)
    await manager.post('mfa/users', userBody(deptId, { userName: 'Ada.Twice', userFirstName: 'Bea' }))
    expect(await refusal('user', id)).toEqual([409, 'The Username ada.twice now belongs to Bea Lovelace'])
  })

  it('one price for a test and currency', async () => {
    const { id, remove } = await made.examples.clientPrice()
    await remove()
    const [{ client_id: clientId }] = await owner('select client_id from client_test_price where id = $1', [id])
    await manager.post(`clients/${clientId}/prices`, { testId: await made.testId(), price: '9' })
    expect(await refusal('clientPrice', id)).toEqual([409, 'CHOL already has a price in USD for this client'])
  })

  it('one range for a test, in the unit that its results have', async () => {
    const { id, remove } = await made.examples.collaboratorRange()
    await remove()
    const [{ collaborator_id: colaId }] = await owner(
      'select collaborator_id from collaborator_test_range where id = $1',
      [id],
    )
    const path = `collaborators/${colaId}/test_ranges`
    const { body } = await manager.post(path, { colaRanges: [{ testId: await made.testId(), colaSigDigits: 2 }] })
    expect(await refusal('collaboratorRange', id)).toEqual([409, 'CHOL already has a range for this collaborator'])
    await manager.del(`${path}/${body.data.id}`)
    await owner("update collaborator_test_range set unit = 'mmol/L' where id = $1", [id])
    const client = await test.given.client({ collaborator_id: colaId })
    const requisition = await test.given.requisition({ client_id: client.id })
    await test.given.orderedTest(requisition.id, 'CHOL', { result: '200', result_num: '200' })
    expect(await refusal('collaboratorRange', id)).toEqual([
      409,
      'CHOL has results in mg/dL for this collaborator, which would be read in mmol/L',
    ])
  })

  it('one insurance for a billing order; a primary one says again who pays', async () => {
    const { id: reqId } = await test.given.requisition()
    const path = await made.billPath(reqId)
    const { id } = (await manager.post(path, insuranceBody())).body.data
    await manager.del(`${path}/${id}`)
    const other = (
      await manager.post(path, insuranceBody({ insuranceCompany: 'Birch Health', reqBillTypeCode: 'MEDICARE' }))
    ).body.data
    expect(await refusal('insurance', id)).toEqual([409, 'Billing Order 1 (Primary) is now taken by Birch Health'])
    await manager.del(`${path}/${other.id}`)
    expect((await restore('insurance', id)).status).toBe(200)
    expect((await made.dataAt(`requisitions/${reqId}/billings`)())[0].reqBillTypeCode).toBe('INSURANCE')
  })

  it('one view of a name on a screen', async () => {
    const { id, remove } = await made.examples.smartView()
    const [{ smart_name: smartName }] = await owner('select smart_name from smart_filter where id = $1', [id])
    await remove()
    await manager.post('smart_filters', {
      smartName,
      smartScreen: 'clients',
      smartValues: { clientCity: { value: 'X' } },
    })
    expect(await refusal('smartView', id)).toEqual([
      409,
      `The person has another view named ${smartName} on this screen now`,
    ])
  })

  it('two physicians may have one NPI, as on entry', async () => {
    const { id } = await test.given.physician({ npi_number: '1999999984' })
    await manager.del(`physicians/${id}`)
    await test.given.physician({ npi_number: '1999999984' })
    expect((await restore('physician', id)).status).toBe(200)
  })
})

describe('a record that depends on another', () => {
  it('a requisition waits for its client, collaborator, physician and event', async () => {
    const { id, remove } = await made.examples.requisition()
    await remove()
    const [row] = await owner(
      `select r.client_id, c.name, c.legacy_client_id, r.physician_id, r.event_id, r.collaborator_id, e.name as event, k.name as collaborator,
         p.first_name || ' ' || p.last_name as physician from requisition r join client c on c.id = r.client_id join physician p on p.id = r.physician_id
         join client_event e on e.id = r.event_id join collaborator k on k.id = r.collaborator_id where r.id = $1`,
      [id],
    )
    expect((await manager.del(`clients/${row.client_id}/events/${row.event_id}`)).status).toBe(200)
    expect((await manager.del(`clients/${row.client_id}`)).status).toBe(200)
    expect((await manager.del(`physicians/${row.physician_id}`)).status).toBe(200)
    expect((await manager.del(`collaborators/${row.collaborator_id}`)).status).toBe(200)
    const first = (what: string, name: string) => [
      409,
      `The ${what} ${name} is deleted too. Restore the ${what} first.`,
    ]
    const client = `${row.name} (${row.legacy_client_id})`
    expect(await refusal('requisition', id)).toEqual(first('client', client))
    expect(await refusal('client', row.client_id)).toEqual(first('collaborator', row.collaborator))
    expect((await restore('collaborator', row.collaborator_id)).status).toBe(200)
    expect(await refusal('clientEvent', row.event_id)).toEqual(first('client', client))
    expect((await restore('client', row.client_id)).status).toBe(200)
    expect(await refusal('requisition', id)).toEqual(first('physician', row.physician))
    expect((await restore('physician', row.physician_id)).status).toBe(200)
    expect(await refusal('requisition', id)).toEqual(first('event', row.event))
    expect((await restore('clientEvent', row.event_id)).status).toBe(200)
    expect((await restore('requisition', id)).status).toBe(200)
  })

  it('is not restored to a client that is being deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, remove } = await made.examples.requisition()
      await remove()
      const [{ client_id: clientId }] = await owner('select client_id from requisition where id = $1', [id])
      const replies = await Promise.all([restore('requisition', id), manager.del(`clients/${clientId}`)])
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    }
  })

  it('a restored requisition is in its list, its counters and its history again', async () => {
    const { id, remove } = await made.examples.requisition()
    const logged = async () => {
      await owner('select requisition_count_fold()')
      const { data } = (await manager.get('requisitions/status_count')).body
      return data.find(({ reqStatusCode }: { reqStatusCode: string }) => reqStatusCode === 'LOG').reqStatusCount
    }
    const inList = async () => (await manager.get(`requisitions/ALL?filter=[id:${id}]`)).body.data
    const [count, rows] = [await logged(), await inList()]
    await remove()
    expect([await logged(), await inList()]).toEqual([count - 1, []])
    await restore('requisition', id)
    expect([await logged(), withoutVersion(await inList())]).toEqual([count, withoutVersion(rows)])
    const history = (await manager.get(`requisitions/${id}/req_hists`)).body.data
    expect(history.map(({ reqActionDesc }: { reqActionDesc: string }) => reqActionDesc).slice(0, 2)).toEqual([
      'Restored',
      'Deleted',
    ])
  })

  it.each(['document', 'payment', 'insurance', 'billingNote'] as const)(
    '%s waits for its requisition, and the history tells that it came back',
    async (kind) => {
      const { id, remove } = await made.examples[kind]()
      await remove()
      const { reqId } = (await rowOf(kind, id)) as DeletedRecord
      await manager.del(`requisitions/${reqId}`)
      expect(await refusal(kind, id)).toEqual([
        409,
        `The requisition #${reqId} is deleted too. Restore the requisition first.`,
      ])
      await restore('requisition', reqId as number)
      expect((await restore(kind, id)).status).toBe(200)
      const [last] = (await manager.get(`requisitions/${reqId}/req_hists`)).body.data
      expect(last.reqActionDesc).toBe(`${{ ...deletedKinds, billingNote: 'Billing note' }[kind]} restored`)
      expect(last.modifiedByName).toBe(await nameOf(admin.userId))
    },
  )

  it.each(['clientEvent', 'clientDocument', 'clientPrice', 'clientPhysician'] as const)(
    '%s waits for its client, whose history tells that it came back',
    async (kind) => {
      const { id, remove } = await made.examples[kind]()
      const table = allDeletedKinds.find((known) => known.kind === kind)?.table
      const [{ client_id: clientId }] = await owner(`select client_id from ${table} where id = $1`, [id])
      await remove()
      await manager.del(`clients/${clientId}`)
      expect((await refusal(kind, id))[1]).toMatch(/^The client Client \d+ \(L\d+\) is deleted too/)
      await restore('client', clientId)
      expect((await restore(kind, id)).status).toBe(200)
      const { data } = (await manager.get(`clients/${clientId}/histories`)).body
      expect(data.map(({ auditActionDesc }: { auditActionDesc: string }) => auditActionDesc)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(Event|Document|Test price|Physician) restored$/),
          'Client restored',
        ]),
      )
    },
  )

  it('a sales person waits for the one reported to, a client for its sales people, a range for its collaborator', async () => {
    const boss = await test.given.salesPerson({ first_name: 'Bea', last_name: 'Boss' })
    const staff = await test.given.salesPerson({ report_to_id: boss.id })
    const client = await test.given.client()
    await test.given.clientSales(client.id, staff.id)
    expect((await manager.del(`clients/${client.id}`)).status).toBe(200)
    expect((await manager.del(`sales/bulk_delete?id=${staff.id},${boss.id}`)).status).toBe(200)
    expect(await refusal('sales', staff.id)).toEqual([
      409,
      'The sales person Bea Boss is deleted too. Restore the sales person first.',
    ])
    expect((await refusal('client', client.id))[1]).toMatch(/^The sales person Sam Seller\d+ is deleted too/)
    for (const id of [boss.id, staff.id]) expect((await restore('sales', id)).status).toBe(200)
    expect((await made.dataAt(`sales/${staff.id}`)()).reportTo).toBe('Bea Boss')
    expect((await restore('client', client.id)).status).toBe(200)
    const range = await made.examples.collaboratorRange()
    const [{ collaborator_id: colaId }] = await owner(
      'select collaborator_id from collaborator_test_range where id = $1',
      [range.id],
    )
    await range.remove()
    await manager.del(`collaborators/${colaId}`)
    expect((await refusal('collaboratorRange', range.id))[1]).toMatch(
      /^The collaborator Collaborator \d+ is deleted too/,
    )
  })

  it('a user waits for the practice, and a view for its user', async () => {
    const client = await test.given.client({ name: 'Own Practice', legacy_client_id: 'OWN1' })
    const { id } = (await manager.post('mfa/users', userBody(deptId, { userRoleCode: 'CLNT', entityId: client.id })))
      .body.data
    await manager.del(`mfa/users/${id}`)
    await manager.del(`clients/${client.id}`)
    expect(await refusal('user', id)).toEqual([
      409,
      'The client Own Practice (OWN1) is deleted too. Restore the client first.',
    ])
    const person = await test.as('STF')
    const view = { smartName: 'Mine', smartScreen: 'clients', smartValues: { clientCity: { value: 'Boston' } } }
    const { id: viewId } = (await person.post('smart_filters', view)).body.data
    await person.del(`smart_filters/${viewId}`)
    await manager.del(`mfa/users/${person.userId}`)
    expect((await refusal('smartView', viewId))[1]).toMatch(/^The user Test User\d+ is deleted too/)
  })
})

describe('a user who is restored', () => {
  it('stays signed out everywhere, and signs in with the password of before', async () => {
    const person = await test.as('STF')
    const [{ user_name: userName }] = await owner('select user_name from app_user where id = $1', [person.userId])
    const identity = { userId: person.userId, userName, temporaryPassword: password }
    await test.services.identity.createUser(test.database.db, identity)
    await test.services.identity.setPassword(test.database.db, userName, password, true)
    await owner("update identity_user set mfa_preference = 'OFF' where user_id = $1", [person.userId])
    const signIn = () => test.nobody.post('login', { userName, pwd: password })
    expect([(await person.get('labs')).status, (await signIn()).status]).toEqual([200, 200])
    await manager.del(`mfa/users/${person.userId}`)
    expect((await signIn()).status).toBe(401)
    expect((await restore('user', person.userId)).body.message).toBe('Successfully restored')
    expect((await person.get('labs')).status).toBe(408)
    expect(await owner('select 1 from session where user_id = $1 and ended_at is null', [person.userId])).toEqual([])
    expect((await signIn()).status).toBe(200)
  })
  it('stays disabled if it was, and the reply says so', async () => {
    const person = await test.as('STF')
    expect((await manager.put(`users/${person.userId}`, { userStatusCode: 'LCK' })).status).toBe(200)
    await manager.del(`mfa/users/${person.userId}`)
    expect((await restore('user', person.userId)).body.message).toBe(
      'Successfully restored. The account is disabled, as it was.',
    )
  })
})
