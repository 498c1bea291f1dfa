import { describe, expect, it } from 'vitest'
import { openTestApp, type Reply } from './app.ts'
import { openConcurrentTransaction, untilBlocked } from './concurrent-transaction.ts'

const test = openTestApp()

/** Another transaction deletes the record as the services do, and is still open when the call comes. */
const whileDeleted = async (table: string, id: number, call: () => Promise<Reply>) => {
  const deletion = await openConcurrentTransaction(test.database)
  await deletion.query(`select 1 from ${table} where id = $1 for update`, [id])
  await deletion.query(`update ${table} set deleted_at = now() where id = $1`, [id])
  const reply = call()
  await untilBlocked(test.database, 1)
  await deletion.commit()
  const { status, body } = await reply
  return [status, body.errors?.[0]?.field ?? body.message]
}

describe('a record that is deleted at the same time is not referred to', () => {
  it('by an order: its client, its collaborator, its physician, its event, the client that gets a copy', async () => {
    const admin = await test.as('ADM')
    const order = (body: object) => () => admin.post('requisitions', body)
    const [one, two] = [await test.given.requisitionBody(), await test.given.requisitionBody()]
    const partner = await test.given.collaborator()
    expect(await whileDeleted('client', one.clientId, order(one))).toEqual([404, 'Client not found'])
    expect(await whileDeleted('collaborator', partner.id, order({ ...two, collaborator: partner.id }))).toEqual([
      400,
      'colaId',
    ])
    const [three, four] = [await test.given.requisitionBody(), await test.given.requisitionBody()]
    const physicianOf = async (pairId: number) =>
      (await test.database.owner.query('select physician_id as id from client_physician where id = $1', [pairId]))
        .rows[0].id
    expect(
      await whileDeleted('physician', await physicianOf(Number(three.orderingClientPhysId)), order(three)),
    ).toEqual([400, 'orderingClientPhysId'])
    expect(await whileDeleted('client_event', Number(four.eventId), order(four))).toEqual([400, 'eventId'])
    const { id } = await test.given.requisition()
    const copy = await test.given.client()
    expect(
      await whileDeleted('client', copy.id, () => admin.put(`requisitions/${id}`, { copyToClientId: copy.id })),
    ).toEqual([400, 'copyToClientId'])
  })

  it('by a client: its collaborator, its sales people, its physicians', async () => {
    const admin = await test.as('ADM')
    const [partner, seller, physician] = [
      await test.given.collaborator(),
      await test.given.salesPerson(),
      await test.given.physician(),
    ]
    const client = async (over: Record<string, unknown>) => {
      const body = await test.given.clientBody(over)
      return () => admin.post('clients', body)
    }
    expect(await whileDeleted('collaborator', partner.id, await client({ colaId: partner.id }))).toEqual([
      400,
      'colaId',
    ])
    expect(await whileDeleted('sales_person', seller.id, await client({ salesIds: [seller.id] }))).toEqual([
      400,
      'salesIds',
    ])
    const { id } = await test.given.client()
    expect(
      await whileDeleted('physician', physician.id, () => admin.put(`clients/${id}`, { physIds: [physician.id] })),
    ).toEqual([400, 'physIds'])
  })

  it('SAL-G5 by a sales person: whom they report to', async () => {
    const admin = await test.as('ADM')
    const person = (over: object = {}) => ({
      salesFirstName: 'Rae',
      salesLastName: 'Late',
      salesEmail: 'rae.late@lab.example',
      salesTitle: 'Manager',
      salesTypeCode: 'SLS',
      ...over,
    })
    const [boss, other] = [await test.given.salesPerson(), await test.given.salesPerson()]
    const { id } = (await admin.post('sales', person())).body.data
    const reportTo = (reportToId: number) => () => admin.put(`sales/${id}`, person({ reportToId }))
    expect(await whileDeleted('sales_person', boss.id, reportTo(boss.id))).toEqual([400, 'reportToId'])
    expect(
      await whileDeleted('sales_person', other.id, () => admin.post('sales', person({ reportToId: other.id }))),
    ).toEqual([400, 'reportToId'])
  })

  it('by a user: whom they belong to', async () => {
    const manager = await test.as('MGMT')
    const client = await test.given.client()
    const user = {
      userName: 'ann.late',
      userFirstName: 'Ann',
      userLastName: 'Late',
      userEmail: 'ann.late@practice.example',
      userPhone: '1 (617) 555-0123',
      userRoleCode: 'CLNT',
      deptIds: [await test.given.firstId('department')],
      isSubscribed: 0,
      entityId: client.id,
    }
    expect(await whileDeleted('client', client.id, () => manager.post('mfa/users', user))).toEqual([400, 'entityId'])
  })
})
