import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { askAboutAge } from './order-questions.ts'

const test = openTestApp()
type Reply = { status: number; body: { code?: string; current?: { questions: { code: string; reqIds?: number[] }[] } } }
const asked = ({ body }: Reply) =>
  body.code === 'question' ? body.current?.questions.map(({ code, reqIds }) => [code, reqIds]) : undefined
const testId = async (code: string) => {
  const { id } = await test.database.db
    .selectFrom('test')
    .select('id')
    .where('code', '=', code)
    .executeTakeFirstOrThrow()
  return id
}
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** An order of a known patient, and how to send it once more. */
const ordered = async ({ lastName = 'Twice', ...over }: Record<string, unknown> & { lastName?: string } = {}) => {
  const patient = await test.given.patient({ first_name: 'Nora', last_name: lastName, dob: '1960-01-02' })
  const body = await test.given.requisitionBody({
    patientId: patient.id,
    patientFirstName: 'Nora',
    patientLastName: lastName,
    dateCollected: daysAgo(1),
    ...over,
  })
  const staff = await test.as('STF')
  const send = (more: object = {}) => staff.post('requisitions', { ...body, ...more })
  const first = await send()
  expect(first.status).toBe(200)
  return { send, body, patientId: patient.id, id: first.body.data.id as number }
}
const reqCount = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from requisition`.execute(test.database.db)
  return rows[0]?.n
}

describe('an order that looks like another one, DAY-12', () => {
  it('is asked about where patient, client and day are the same, and saved with the answer', async () => {
    const { send, id } = await ordered()
    const before = await reqCount()
    const again = await send()
    expect([again.status, asked(again)]).toEqual([409, [['DUPLICATE_ORDER', [id]]]])
    expect(await reqCount()).toBe(before)
    expect((await send({ answers: { DUPLICATE_ORDER: 'SAVE' } })).status).toBe(200)
    const { rows } = await sql<{ reason: string | null }>`
      select reason from audit_entry where entity = 'requisition' and action = 'CREATE' order by id desc limit 1`.execute(
      test.database.db,
    )
    expect(rows[0]?.reason).toContain(`#${id}. Save anyway.`)
  })

  it('of several at once exactly one is saved without a question', async () => {
    const { body } = await ordered({ dateCollected: daysAgo(40) })
    const staff = await test.as('STF')
    const send = () => staff.post('requisitions', { ...body, dateCollected: daysAgo(5) })
    const replies = await Promise.all(Array.from({ length: 5 }, send))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  it('is another one with another day, client or test', async () => {
    const [chol, hdl] = [await testId('CHOL'), await testId('HDL')]
    const { send, id } = await ordered({ testIds: [chol] })
    expect((await send({ dateCollected: daysAgo(3) })).status).toBe(200)
    expect((await send({ testIds: [hdl] })).status).toBe(200)
    expect((await send({ testIds: [] })).status).toBe(200)
    expect(asked(await send({ testIds: [chol] }))).toEqual([['DUPLICATE_ORDER', [id]]])
    const elsewhere = await test.given.requisitionBody()
    const { clientId, labId, orderingClientPhysId, eventId, collaborator } = elsewhere
    const other = { clientId, labId, orderingClientPhysId, eventId, collaborator, testIds: [chol] }
    expect((await send(other)).status).toBe(200)
  })

  it('is asked about when the client has used its External Order ID before', async () => {
    const { send, id } = await ordered({ extOrderId: 'EXT-9' })
    const next = { patientId: null, patientFirstName: 'Somebody', patientLastName: 'Else', extOrderId: 'ext-9 ' }
    expect(asked(await send(next))).toEqual([['SAME_EXTERNAL_ID', [id]]])
    expect((await send({ ...next, answers: { SAME_EXTERNAL_ID: 'SAVE' } })).status).toBe(200)
    expect((await send({ ...next, patientLastName: 'Third', extOrderId: 'EXT-10' })).status).toBe(200)
  })

  it('is asked about when an edit gives it the External Order ID, or the client, of another one', async () => {
    const { send, id } = await ordered({ extOrderId: 'EXT-20' })
    const next = { patientId: null, patientFirstName: 'Another', patientLastName: 'One', extOrderId: 'EXT-21' }
    const other = (await send(next)).body.data.id as number
    const staff = await test.as('STF')
    const edit = (fields: object) => staff.put(`requisitions/${other}`, fields)
    expect(asked(await edit({ extOrderId: 'ext-20' }))).toEqual([['SAME_EXTERNAL_ID', [id]]])
    // Its own is no other one, and what stays is not asked about.
    expect((await edit({ extOrderId: 'ext-21' })).status).toBe(200)
    expect((await edit({ extOrderId: 'EXT-20', answers: { SAME_EXTERNAL_ID: 'SAVE' } })).status).toBe(200)
    expect((await edit({ extOrderId: 'EXT-20', collectedBy: 'Ada' })).status).toBe(200)
  })

  it('is asked about when it was collected more than 90 days ago, together with all other questions, DAY-36', async () => {
    const { send } = await ordered({ extOrderId: 'EXT-11' })
    const next = { patientId: null, patientFirstName: 'Old', patientLastName: 'Sample' }
    expect((await send({ ...next, extOrderId: null, dateCollected: daysAgo(89) })).status).toBe(200)
    const both = await send({ ...next, patientLastName: 'Samples', dateCollected: '2019-03-04T10:05:00-05:00' })
    expect(both.body.current.questions.map(({ code }: { code: string }) => code)).toEqual([
      'SAME_EXTERNAL_ID',
      'OLD_COLLECTION',
    ])
  })

  it('is refused when collected in the future or before birth, with the field named', async () => {
    const { send } = await ordered()
    for (const dateCollected of [daysAgo(-2), '1959-12-31T10:00:00-05:00']) {
      const { status, body } = await send({ dateCollected })
      expect([status, body.errors[0].field]).toEqual([400, 'dateCollected'])
    }
  })
})

describe('a patient who may be known already, DAY-36', () => {
  it('is asked about together with an order that one of them has; an id uses that record, SAVE makes a second one, DAY-12', async () => {
    const { send, id, patientId } = await ordered({ lastName: `Known${crypto.randomUUID().replace(/\W|\d/g, '')}` })
    const unnamed = { patientId: null }
    const first = await send({ ...unnamed, dateCollected: daysAgo(100) })
    expect(asked(first)).toEqual([
      ['SAME_PATIENT', undefined],
      ['OLD_COLLECTION', undefined],
    ])
    const both = await send(unnamed)
    expect(asked(both)).toEqual([
      ['SAME_PATIENT', undefined],
      ['DUPLICATE_ORDER', [id]],
    ])
    const [question] = both.body.current.questions
    expect(question.choices.map(({ value }: { value: string }) => value)).toEqual([String(patientId), 'SAVE'])
    const used = { SAME_PATIENT: String(patientId) }
    expect(asked(await send({ ...unnamed, answers: used }))).toEqual([['DUPLICATE_ORDER', [id]]])
    const patientOf = async (reply: { status: number; body: { data: { id: number } } }) => {
      expect(reply.status).toBe(200)
      const { rows } = await sql<{
        id: number
      }>`select patient_id as id from requisition where id = ${reply.body.data.id}`.execute(test.database.db)
      return rows[0]?.id
    }
    expect(await patientOf(await send({ ...unnamed, answers: { ...used, DUPLICATE_ORDER: 'SAVE' } }))).toBe(patientId)
    // A new person has no other order.
    expect(await patientOf(await send({ ...unnamed, answers: { SAME_PATIENT: 'SAVE' } }))).not.toBe(patientId)
  })
})

describe('specimens on the order, DAY-14', () => {
  const tube = { specimenTypeCode: 'SERUM', temperatureTypeCode: 'AMB', containerTypeCode: 'SST', tubeCount: 2 }

  it('are received in the same transaction, and an invalid one refuses the whole order with its place', async () => {
    const body = await test.given.requisitionBody()
    const staff = await test.as('STF')
    const before = await reqCount()
    const wrong = { ...tube, containerTypeCode: 'NONE' }
    const refused = await staff.post('requisitions', { ...body, specimens: [tube, wrong] })
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'specimens.1.containerTypeCode'])
    const missing = await staff.post('requisitions', { ...body, specimens: [{ ...tube, specimenTypeCode: '' }] })
    expect([missing.status, missing.body.errors[0].field]).toEqual([400, 'specimens.0.specimenTypeCode'])
    expect(await reqCount()).toBe(before)
    const { status, body: made } = await staff.post('requisitions', { ...body, specimens: [tube, tube] })
    expect(status).toBe(200)
    const { data } = (await staff.get(`requisitions/${made.data.id}/specimens`)).body
    expect(data).toMatchObject([tube, tube])
  })

  it('are refused from those who receive none', async () => {
    const client = await test.given.client()
    const body = await test.given.requisitionBody({ clientId: client.id })
    const partner = await test.as('COLA', body.collaborator)
    const before = await reqCount()
    expect((await partner.post('requisitions', { ...body, specimens: [tube] })).status).toBe(403)
    expect(await reqCount()).toBe(before)
  })
})

describe('tests on the order, DAY-14', () => {
  it('are ordered in the same transaction by every role that may create it, a panel as its tests', async () => {
    const client = await test.given.client()
    const body = await test.given.requisitionBody({ clientId: client.id })
    const partner = await test.as('COLA', body.collaborator)
    const { data } = (await partner.get('requisitions/create/tests')).body
    const panel = data.find(
      ({ isPanel, testCodes }: { isPanel: number; testCodes: string[] }) => isPanel && testCodes[1],
    )
    const single = data.find(
      ({ isPanel, code }: { isPanel: number; code: string }) => !isPanel && !panel.testCodes.includes(code),
    )
    const reply = await partner.post('requisitions', { ...body, panelIds: [panel.id], testIds: [single.id] })
    expect(reply.status).toBe(200)
    const admin = await test.as('ADM')
    const tests = (await admin.get(`requisitions/${reply.body.data.id}/req_tests`)).body.data
    expect(tests.map(({ testCode }: { testCode: string }) => testCode).sort()).toEqual(
      [...panel.testCodes, single.code].sort(),
    )
    const before = await reqCount()
    const wrong = { ...body, patientLastName: 'Other', dateCollected: daysAgo(2) }
    for (const [field, ids] of [
      ['testIds', [999_999]],
      ['panelIds', [999_999]],
    ] as const) {
      const { status, body: refused } = await partner.post('requisitions', { ...wrong, [field]: ids })
      expect([status, refused.errors[0].field]).toEqual([400, field])
    }
    expect(await reqCount()).toBe(before)
  })

  it('can be read by those who create orders alone', async () => {
    for (const role of ['SLS', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect((await (await test.as(role)).get('requisitions/create/tests')).status).toBe(403)
  })
})

describe('an edit of the times of a requisition, DAY-36', () => {
  const made = async () => {
    const { id } = await ordered({ dateCollected: `${daysAgo(3).slice(0, 10)}T09:30` })
    const staff = await test.as('STF')
    return { id, staff, save: (body: object) => staff.put(`requisitions/${id}`, body) }
  }

  it('is asked about when the sample was collected more than 90 days ago by now, and only when the date changes', async () => {
    const { id, staff, save } = await made()
    const dateCollected = `${daysAgo(200).slice(0, 10)}T09:30`
    expect(asked(await save({ dateCollected }))).toEqual([['OLD_COLLECTION', undefined]])
    expect((await save({ dateCollected, answers: { OLD_COLLECTION: 'SAVE' } })).status).toBe(200)
    expect((await save({ dateCollected, collectedBy: 'Lee' })).status).toBe(200)
    const { body } = await staff.get(`requisitions/${id}/req_hists`)
    expect(JSON.stringify(body.data)).toMatch(/collected \d+ days ago.*Save anyway/)
    const copied = await staff.post(`requisitions/${id}/copy`, { dateCollected })
    expect(asked(copied)).toEqual([['OLD_COLLECTION', undefined]])
  })

  it('is asked about when it was centrifuged before it was collected, by the clocks of the client', async () => {
    const { save } = await made()
    expect((await save({ timeCentrifuged: '09:30' })).status).toBe(200)
    expect(asked(await save({ timeCentrifuged: '09:10' }))).toEqual([['CENTRIFUGED_BEFORE_COLLECTION', undefined]])
    expect(asked(await save({ dateCollected: `${daysAgo(3).slice(0, 10)}T10:15` }))).toEqual([
      ['CENTRIFUGED_BEFORE_COLLECTION', undefined],
    ])
    const answers = { CENTRIFUGED_BEFORE_COLLECTION: 'SAVE' }
    expect((await save({ timeCentrifuged: '00:20', answers })).status).toBe(200)
    expect((await save({ collectedBy: 'Lee' })).status).toBe(200)
  })
})

describe('the question about an old collection', () => {
  it.each([
    ['an hour less than 90 days', -3_600_000, 0],
    ['an hour more than 90 days', 3_600_000, 1],
  ])('is asked from 90 days on, to the minute: %s, DAY-12', (_, moreMs, times) => {
    const ask = vi.fn()
    const collectedAt = new Date(Date.now() - 90 * 86_400_000 - moreMs).toISOString()
    askAboutAge({ questions: { ask } as unknown as Questions }, collectedAt, 'UTC')
    expect(ask).toHaveBeenCalledTimes(times)
  })

  it('names the day by the calendar of the client', () => {
    const messages: string[] = []
    const questions = { ask: ({ message }: { message: string }) => messages.push(message) } as unknown as Questions
    askAboutAge({ questions }, '2020-01-02T03:00:00Z', 'America/Los_Angeles')
    expect(messages).toEqual([expect.stringMatching(/ago, on 01\/01\/2020\.$/)])
  })

  it.each([
    [365, '365 days ago'],
    [366, 'about 1 year ago'],
    [2565, 'about 7 years ago'],
  ])('counts years beyond the first: %i days', (days, text) => {
    const messages: string[] = []
    const questions = { ask: ({ message }: { message: string }) => messages.push(message) } as unknown as Questions
    askAboutAge({ questions }, new Date(Date.now() - days * 86_400_000).toISOString(), 'America/Chicago')
    expect(messages).toEqual([expect.stringContaining(`The sample was collected ${text}, on `)])
  })
})
