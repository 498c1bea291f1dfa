import type { Role } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

describe('GET users/{id}/why', () => {
  it('DAY-33 agrees for every role with the call itself, inside and outside the scope', async () => {
    const admin = await test.as('ADM')
    const { id } = await test.given.requisition()
    const { rows } = await test.database.owner.query('select * from requisition where id = $1', [id])
    const [own] = rows
    const seller = await test.given.salesPerson()
    await test.given.clientSales(own.client_id, seller.id)
    const entities: Partial<Record<Role, number>> = {
      CLNT: own.client_id,
      COLA: own.collaborator_id,
      PHYS: own.physician_id,
      SLS: seller.id,
    }
    const people = [
      ...(['ADM', 'MGMT', 'STF', 'BILL', 'GST'] as const).map((role) => test.as(role)),
      ...(['CLNT', 'COLA', 'PHYS', 'SLS'] as const).flatMap((role) => [test.as(role, entities[role]), test.as(role)]),
    ]
    const outcomes = new Set<boolean>()
    for (const person of await Promise.all(people)) {
      const { status, body } = await admin.get(`users/${person.userId}/why?record=requisitions/${id}`)
      expect(status).toBe(200)
      const isAllowed = (await person.get(`requisitions/${id}`)).status === 200
      expect([person.userId, body.data.isAllowed]).toEqual([person.userId, isAllowed])
      expect(body.data.rules.map(({ from }: { from: string }) => from)[1]).toMatch(
        /^permission requisitions\.open: ADM/,
      )
      outcomes.add(isAllowed)
    }
    expect(outcomes).toEqual(new Set([true, false]))
  })

  it('DAY-33 names the policy of the database and the party that decides', async () => {
    const admin = await test.as('MGMT')
    const { id } = await test.given.requisition()
    const stranger = await test.as('CLNT')
    const { body } = await admin.get(`users/${stranger.userId}/why?record=requisitions/${id}`)
    const rule = body.data.rules[2]
    expect(rule.from).toMatch(/^policy of_client on requisition: .*client_id/)
    expect(rule.text).toContain(`requisition #${id} is not one of them`)
  })

  it('DAY-33 is for the managers of users, and names what is missing', async () => {
    const admin = await test.as('ADM')
    const { id } = await test.given.requisition()
    const staff = await test.as('STF')
    expect((await staff.get(`users/${staff.userId}/why?record=requisitions/${id}`)).status).toBe(403)
    expect((await admin.get(`users/999999999/why?record=requisitions/${id}`)).status).toBe(404)
    expect((await admin.get(`users/${staff.userId}/why?record=requisitions/999999999`)).status).toBe(404)
    for (const record of ['', '?record=', '?record=clients/1', '?record=requisitions/x'])
      expect((await admin.get(`users/${staff.userId}/why${record}`)).status).toBe(400)
  })
})

describe('GET access_review/export', () => {
  it('DAY-33 lists every account with the rows it sees and what it may do', async () => {
    const client = await test.given.client({ name: 'Review Practice' })
    const reader = await test.as('CLNT', client.id)
    const admin = await test.as('ADM')
    const { body } = await admin.get('/report/v3.0/access_review/export?format=csv')
    const { pathname, search } = new URL(body.data.url)
    const text = (await test.app.inject({ method: 'GET', url: pathname + search })).payload
    const { rows } = await test.database.owner.query('select user_name from app_user where id = $1', [reader.userId])
    const line = text.split('\n').find((row) => row.startsWith(rows[0].user_name)) ?? ''
    expect(line).toContain('requisitions of client Review Practice')
    expect(line).toContain('requisitions.open')
    expect(line).not.toContain('users.list')
    expect((await reader.get('access_review/export')).status).toBe(403)
  })
})
