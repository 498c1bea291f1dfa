import { fillPath } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../src/modules.ts'
import { type Caller, openTestApp } from './app.ts'

const test = openTestApp()
let manager: Caller

beforeAll(async () => {
  manager = await test.as('MGMT')
})

/** PUT calls that do not change a record: their body says what to do, and is required. */
const actions = [
  // Tables are saved as a whole.
  'PUT interfaces/:id/codes',
  'PUT instruments/:id/codes',
  'PUT instruments/:id/controls',
  'PUT instruments/:id/file_columns',
  // Nothing but the last day can change.
  'PUT labs/:id/signers/:signerId',
  // The rules of a laboratory are saved as a whole.
  'PUT labs/:labId/retention_rules',
  'PUT drafts/:form/:recordKey/:draftId',
  'PUT autoverify/start',
  'PUT autoverify/stop',
  'PUT autoverify_rules/:id/switch',
  'PUT reflex_rules/:id/switch',
  'PUT deleted_records/:kind/:id/restore',
  'PUT deliveries/:id/confirm',
  'PUT mfa/check_link',
  'PUT mfa/confirm_pwd',
  'PUT mfa/profile/chg_exp_pwd',
  'PUT mfa/profile/chg_pwd',
  // A plan is saved as a whole.
  'PUT qc_plans',
  'PUT requisitions',
  'PUT smart_filters/:id/alert',
  'PUT requisitions/:id/issues/:issueId',
  'PUT requisitions/:id/patient_changes/:changeId',
  'PUT home/reviewed',
  'PUT requisitions/:id/req_tests/:testId/fail_codes',
  'PUT requisitions/:id/req_tests/:testId/pass_codes',
  'PUT requisitions/:id/req_tests/bulk_edit',
  // A receipt is corrected with a reason.
  'PUT requisitions/:id/specimens/:specimenId',
  'PUT requisitions/:reqID/dem_qc',
  'PUT requisitions/:reqID/fail_codes',
  'PUT requisitions/:reqID/flags',
  'PUT requisitions/:reqID/pass_codes',
  'PUT requisitions/:reqID/reports/:reportID',
  'PUT requisitions/:reqID/send_notif',
  'PUT requisitions/:status/next_status/bulk_move',
  'PUT users/:id',
]

const putRoutes = modules
  .flatMap(({ routes }) => Object.values(routes))
  .filter(({ method, body }) => method === 'PUT' && body !== undefined)
  .map((route) => ({
    name: `PUT ${fillPath(route, (part) => `:${part}`)}`,
    body: route.body as { safeParse: (value: unknown) => { success: boolean } },
  }))

describe('PUT of a record', () => {
  it('changes only the given fields: no field of any record is required', () => {
    const whole = putRoutes.filter(({ body }) => !body.safeParse({}).success).map(({ name }) => name)
    expect(whole.filter((name) => !actions.includes(name)).sort()).toEqual([])
  })

  it('leaves the other fields of a sales person, a collaborator, a user, an event, a price and a range unchanged', async () => {
    const [sales, cola, client] = [
      await test.given.salesPerson({ note: 'Knows the region' }),
      await test.given.collaborator({ note: 'Weekly call' }),
      await test.given.client(),
    ]
    const user = await test.as('STF')
    const event = await test.given.event(client.id)
    const { rows: tests } = await test.database.owner.query(
      "select id from test where code in ('HDL', 'A1C') order by code",
    )
    const [a1c, hdl] = tests.map(({ id }) => id as number)
    const made = await manager.post(`clients/${client.id}/prices`, {
      testId: hdl,
      price: '12.50',
      priceComment: 'Agreed',
    })
    const range = { testId: a1c, colaMNormalHi: '5.6', colaMBorderLo: '5.7', colaMBorderHi: '6.4', colaMUnfavLo: '6.5' }
    const ranges = await manager.post(`collaborators/${cola.id}/test_ranges`, { colaRanges: [range] })
    const cases: [string, object, object][] = [
      [
        `sales/${sales.id}`,
        { salesFirstName: 'Renamed' },
        { salesFirstName: 'Renamed', salesNote: 'Knows the region' },
      ],
      [`collaborators/${cola.id}`, { colaCity: 'Salem' }, { colaCity: 'Salem', colaNote: 'Weekly call' }],
      [`mfa/users/${user.userId}`, { userFirstName: 'Renamed' }, { userFirstName: 'Renamed', userRoleCode: 'STF' }],
      [
        `clients/${client.id}/events/${event.id}`,
        { eventName: 'Spring' },
        { eventName: 'Spring', programId: expect.any(Number) },
      ],
      [
        `clients/${client.id}/prices/${made.body.data.id}`,
        { price: '13' },
        { price: 13, priceComment: 'Agreed', testId: hdl },
      ],
      [
        `collaborators/${cola.id}/test_ranges/${ranges.body.data.id}`,
        { units: '%' },
        { units: '%', colaMBorderHi: 6.4 },
      ],
    ]
    for (const [path, body, after] of cases) {
      const reply = await manager.put(path, body)
      expect([path, reply.status, reply.body.data]).toEqual([path, 200, expect.objectContaining(after)])
    }
  })

  it('checks the resulting limits of a range, and requires the entity of a role of another kind', async () => {
    const cola = await test.given.collaborator()
    const { rows } = await test.database.owner.query("select id from test where code = 'A1C'")
    const range = { testId: rows[0].id, colaMNormalHi: '5.6', colaMBorderLo: '5.7', colaMBorderHi: '6.4' }
    const made = await manager.post(`collaborators/${cola.id}/test_ranges`, { colaRanges: [range] })
    const gap = await manager.put(`collaborators/${cola.id}/test_ranges/${made.body.data.id}`, { colaMNormalHi: '5' })
    expect([gap.status, gap.body.errors]).toEqual([
      400,
      [{ field: 'colaMBorderLo', message: 'Values above 5 and below 5.7 are in no range: please close the gap' }],
    ])
    const person = await test.as('COLA', cola.id)
    const moved = await manager.put(`mfa/users/${person.userId}`, { userRoleCode: 'CLNT' })
    expect([moved.status, moved.body.errors]).toEqual([400, [{ field: 'entityId', message: 'Client is required' }]])
  })
})

describe('DELETE with ids on the resource itself', () => {
  it('deletes physicians, collaborators, sales people, ranges and users as bulk_delete does', async () => {
    const cola = await test.given.collaborator()
    const { rows } = await test.database.owner.query("select id from test where code = 'A1C'")
    const made = await manager.post(`collaborators/${cola.id}/test_ranges`, { colaRanges: [{ testId: rows[0].id }] })
    const cases: [string, number][] = [
      [`collaborators/${cola.id}/test_ranges`, made.body.data.id],
      ['collaborators', cola.id],
      ['physicians', (await test.given.physician()).id],
      ['sales', (await test.given.salesPerson()).id],
      ['mfa/users', (await test.as('STF')).userId],
    ]
    for (const [path, id] of cases) {
      const reply = await manager.del(`${path}?id=${id}`)
      expect([path, reply.status, reply.body.message]).toEqual([path, 200, 'Successfully deleted'])
      expect([path, (await manager.del(`${path}?id=${id}`)).status]).toEqual([path, 404])
      expect([path, (await manager.del(path)).body.errors]).toEqual([
        path,
        [{ field: 'id', message: 'id is required' }],
      ])
    }
  })
})
