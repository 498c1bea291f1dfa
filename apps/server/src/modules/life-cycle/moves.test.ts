import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const query = (text: string, values: unknown[] = []) => test.database.owner.query(text, values)
const statusOf = async (id: number) =>
  (await query('select status_code from requisition where id = $1', [id])).rows[0].status_code
const addTest = async (id: number) =>
  test.given.store('requisition_test', { requisition_id: id, test_id: await test.given.firstId('test') })
const addSpecimen = (id: number) =>
  test.given.store('specimen', {
    requisition_id: id,
    type_code: 'SERUM',
    temperature_code: 'FROZEN',
    container_code: 'SST',
    received_at: '2026-07-02T15:00:00Z',
    received_zone: 'America/New_York',
  })
const addReport = (id: number, lab_qc_status_code = 'PENDING') =>
  test.given.store('report', { requisition_id: id, lab_qc_status_code })
const ready = async () => {
  const { id } = await test.given.requisition()
  await addTest(id)
  await addSpecimen(id)
  return id
}
const move = (from: string, ids: number[], body: object = { callSource: from }, headers = {}) =>
  staff.put(`requisitions/${from}/next_status/bulk_move?id=${ids.join(',')}`, body, headers)

describe('the bulk move to the next status', () => {
  it('LIST-191 LIST-200 moves what can be moved, and gives the reason for each other one', async () => {
    const [good, noTest, noSpecimen] = [
      await ready(),
      (await test.given.requisition()).id,
      (await test.given.requisition()).id,
    ]
    await addSpecimen(noTest)
    await addTest(noSpecimen)
    const { status, body } = await move('LOG', [good, noTest, noSpecimen, 999_999_999])
    expect([status, body.message]).toEqual([200, '1 requisition(s) moved to Accessioned, 3 not done'])
    expect(body.data.moved).toEqual([good])
    expect(
      body.data.refused.map(({ id, reason, tabSlug }: { id: number; reason: string; tabSlug: string }) => [
        id,
        reason,
        tabSlug,
      ]),
    ).toEqual([
      [noTest, `Requisition #${noTest} has no test`, 'tests'],
      [noSpecimen, `Requisition #${noSpecimen} has no received specimen`, 'specimens'],
      [999_999_999, 'Requisition #999999999 not found', null],
    ])
    expect(body.data.refused[0].label).toMatch(/^#\d+ \| .+, .+ \(\d\d\/\d\d\/\d{4}\)$/)
    expect([await statusOf(good), await statusOf(noTest)]).toEqual(['ACC', 'LOG'])
  })

  it('a dry run says the same and moves nothing', async () => {
    const id = await ready()
    const { body } = await move('LOG', [id], { callSource: 'LOG', dryRun: true })
    expect(body.data).toEqual({ moved: [id], refused: [] })
    expect(await statusOf(id)).toBe('LOG')
  })

  it('LIST-192..LIST-195 moves stage by stage as conditions are met', async () => {
    const id = await ready()
    await move('LOG', [id])
    await move('ACC', [id])
    expect(await statusOf(id)).toBe('PROCESS')
    await query("update requisition set status_code = 'RESULT' where id = $1", [id])
    expect((await move('RESULT', [id])).body.data.refused[0].reason).toBe(`Requisition #${id} has no report file`)
    const report = await addReport(id)
    expect((await move('RESULT', [id])).body.data.moved).toEqual([id])
    expect((await move('REPORT', [id])).body.data.refused[0].reason).toBe(
      `Requisition #${id} has not passed demographic QC; Requisition #${id} has no report with lab QC result RELEASE`,
    )
    await staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
    await query("update report set lab_qc_status_code = 'RELEASE', release_at = now() where id = $1", [report.id])
    expect((await move('REPORT', [id])).body.data.moved).toEqual([id])
    expect((await move('RELEASE', [id])).body.data.moved).toEqual([id])
    expect(await statusOf(id)).toBe('DELIVER')
    const { rows } = await query(
      'select from_code, to_code from requisition_status_event where requisition_id = $1 order by id',
      [id],
    )
    expect(rows.map((row) => `${row.from_code}>${row.to_code}`)).toEqual([
      'LOG>ACC',
      'ACC>PROCESS',
      'RESULT>REPORT',
      'REPORT>RELEASE',
      'RELEASE>DELIVER',
    ])
    const audit = await query("select count(*) as n from audit_entry where requisition_id = $1 and action = 'STATUS'", [
      id,
    ])
    expect(audit.rows[0].n).toBe(5)
  })

  it('TEST-G14 skips Processing when all tests are finished, but not a second time, when results are to be corrected', async () => {
    const [failed, open] = [await ready(), await ready()]
    await move('LOG', [failed, open])
    const { rows: tests } = await query('select id from requisition_test where requisition_id = $1', [failed])
    const { rows: codes } = await query(
      "select id from reason where type_code = 'FAIL' and is_active and scope in ('TEST', 'BOTH') order by id limit 1",
    )
    const coded = await staff.put(`requisitions/${failed}/req_tests/${tests[0].id}/fail_codes`, {
      failIds: [codes[0].id],
    })
    expect([coded.status, await statusOf(failed)]).toEqual([200, 'ACC'])
    const { body } = await move('ACC', [failed, open])
    expect(body.data).toMatchObject({ moved: [failed, open], movedOn: [failed] })
    expect(body.message).toBe('2 requisition(s) moved to Processing, 1 of them on to Resulted: nothing is missing')
    expect([await statusOf(failed), await statusOf(open)]).toEqual(['RESULT', 'PROCESS'])
    await query("update requisition set status_code = 'RELEASE' where id = $1", [failed])
    await staff.put('requisitions', { id: failed, reqStatusCode: 'ACC' })
    expect((await move('ACC', [failed])).body.message).toBe('1 requisition(s) moved to Processing')
    expect(await statusOf(failed)).toBe('PROCESS')
    const { rows } = await query(
      'select from_code, to_code from requisition_status_event where requisition_id = $1 order by id',
      [failed],
    )
    expect(rows.map((row) => `${row.from_code}>${row.to_code}`)).toEqual([
      'LOG>ACC',
      'ACC>PROCESS',
      'PROCESS>RESULT',
      'RELEASE>ACC',
      'ACC>PROCESS',
    ])
  })

  it('LIST-196 has no button for Processing', async () => {
    expect((await staff.put('requisitions/PROCESS/next_status/bulk_move?id=1', {})).status).toBe(400)
  })

  it('sent twice moves once, and the second reply says so', async () => {
    const id = await ready()
    await move('LOG', [id])
    const { body } = await move('LOG', [id])
    expect(body.data.refused).toMatchObject([{ id, reason: `Requisition #${id} is already Accessioned` }])
    const key = { 'idempotency-key': `move-${id}` }
    const first = await move('ACC', [id], {}, key)
    const second = await move('ACC', [id], {}, key)
    expect(second.body).toEqual(first.body)
  })

  it('ten people moving the same rows at once move them once', async () => {
    const ids = [await ready(), await ready(), await ready()]
    const callers = await Promise.all(Array.from({ length: 10 }, () => test.as('STF')))
    const replies = await Promise.all(
      callers.map((caller, turn) =>
        caller.put(`requisitions/LOG/next_status/bulk_move?id=${(turn % 2 ? ids : [...ids].reverse()).join(',')}`, {
          callSource: 'LOG',
        }),
      ),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(replies.flatMap(({ body }) => body.data.moved).sort()).toEqual([...ids].sort())
    const { rows } = await query('select count(*) as n from requisition_status_event where requisition_id = any($1)', [
      ids,
    ])
    expect(rows[0].n).toBe(3)
  })

  it('LOOK-117 LOOK-118 accepts the source of each tab that moves', async () => {
    const id = await ready()
    for (const callSource of ['LOG', 'ACC'])
      expect((await move(callSource, [id], { callSource, dryRun: true })).status).toBe(200)
  })

  it('refuses wrong ids, another callSource and too many', async () => {
    expect((await staff.put('requisitions/LOG/next_status/bulk_move?id=1,x', {})).body.errors[0].field).toBe('id')
    expect((await move('LOG', [1], { callSource: 'ACC' })).body.errors[0].field).toBe('callSource')
    const { status, body } = await staff.put(
      `requisitions/LOG/next_status/bulk_move?id=${Array.from({ length: 10_001 }, (_, n) => n + 1).join(',')}`,
      {},
    )
    expect([status, body.message]).toEqual([400, 'id: at most 10000 at once'])
  })

  it('ten thousand ids at once, nearly all unknown, get a clear answer; only existing ones move', async () => {
    const id = await ready()
    const ids = [id, ...Array.from({ length: 9_999 }, (_, n) => 50_000_000 + n)]
    const { status, body } = await move('LOG', ids)
    expect([status, body.data.moved, body.data.refused.length]).toEqual([200, [id], 9_999])
    expect(body.data.refused[0].reason).toBe('Requisition #50000000 not found')
    const others = await staff.del(`requisitions/bulk_delete?id=${ids.slice(1).join(',')}`)
    expect(others.status).toBe(404)
  })

  it.each(roles.filter((role) => !can(role, 'requisitions.move')))('refuses %s', async (role) => {
    const id = await ready()
    expect(
      (await (await test.as(role)).put(`requisitions/LOG/next_status/bulk_move?id=${id}`, { callSource: 'LOG' }))
        .status,
    ).toBe(403)
  })

  it('keeps the list, its counters and the audit consistent', async () => {
    const { rows } = await query(`
      select 1 from requisition_list l full join requisition_list_source s using (requisition_id) where l.* is distinct from s.*`)
    expect(rows).toEqual([])
  })
})

describe('moving back', () => {
  it('LIST-198 LIST-199 LIST-G11 one Released row returns to Accessioned, with its reason in the history', async () => {
    const { id } = await test.given.requisition({ status_code: 'RELEASE' })
    const { status, body } = await staff.put('requisitions', { id, reqStatusCode: 'ACC' })
    expect([status, body.message, await statusOf(id)]).toEqual([200, 'Successfully updated status', 'ACC'])
    const { rows } = await query('select reason from requisition_status_event where requisition_id = $1', [id])
    expect(rows[0].reason).toBe('Returned to Accessioned')
  })
  it('LIST-G10 is refused from any other status', async () => {
    const { id } = await test.given.requisition({ status_code: 'DELIVER' })
    const { status, body } = await staff.put('requisitions', { id, reqStatusCode: 'ACC' })
    expect([status, body.message]).toEqual([409, `Requisition #${id} is Delivered, not Released`])
  })
})

describe('editable cells', () => {
  const reasons = async (type: string, scope = ['REQ', 'BOTH']) =>
    (
      await query('select id, code from reason where type_code = $1 and scope = any($2) order by id limit 2', [
        type,
        scope,
      ])
    ).rows

  it('LIST-144 LIST-148 LIST-145 LIST-149 pass and fail codes replace what was there, with their messages', async () => {
    const { id } = await test.given.requisition()
    const [one, two] = await reasons('PASS')
    const saved = await staff.put(`requisitions/${id}/pass_codes`, { passIds: [one.id, two.id] })
    expect([saved.status, saved.body.message]).toEqual([200, 'Pass Codes successfully updated'])
    await staff.put(`requisitions/${id}/pass_codes`, { passIds: [two.id] })
    const row = (await staff.get(`requisitions/ALL?filter=${encodeURIComponent(`[id:${id}]`)}`)).body.data[0]
    expect(row.reqPassCodes.map((code: { passCode: string }) => code.passCode)).toEqual([two.code])
    const [fail] = await reasons('FAIL')
    expect((await staff.put(`requisitions/${id}/fail_codes`, { failIds: [fail.id] })).body.message).toBe(
      'Fail Codes successfully updated',
    )
    const { body } = await staff.get(`requisitions/${id}/req_reasons`)
    expect(body.data.map((row: { reasonId: number }) => row.reasonId).toSorted()).toEqual([two.id, fail.id].toSorted())
  })
  it('refuses a fail code among the pass codes, and codes that do not exist', async () => {
    const { id } = await test.given.requisition()
    const [fail] = await reasons('FAIL')
    for (const passIds of [[fail.id], [999_999]]) {
      const { status, body } = await staff.put(`requisitions/${id}/pass_codes`, { passIds })
      expect([status, body.errors]).toEqual([400, [{ field: 'passIds', message: 'Pass Codes is invalid' }]])
    }
  })
  it('LIST-146 LIST-143 demographic QC and notification check the version', async () => {
    const { id } = await test.given.requisition()
    const first = await staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 }, { 'if-match': '"1"' })
    expect([first.status, first.body.data.version]).toEqual([200, 2])
    const late = await staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 0 }, { 'if-match': '"1"' })
    expect([late.status, late.body.current]).toMatchObject([409, { version: 2, isDemQcPass: 1, isSendNotif: 0 }])
    expect((await staff.put(`requisitions/${id}/send_notif`, { isSendNotif: 1 })).status).toBe(200)
    expect((await staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 2 })).status).toBe(400)
    const { rows } = await query('select action from audit_entry where requisition_id = $1 order by id', [id])
    expect(rows.map((row) => row.action)).toEqual(['DEMQC', 'NOTIFY'])
  })
  it('a save of codes with an outdated version gets who stored which, to compare', async () => {
    const { id } = await test.given.requisition()
    const [one, two] = await reasons('PASS')
    await staff.put(`requisitions/${id}/pass_codes`, { passIds: [two.id, one.id] }, { 'if-match': '"1"' })
    const late = await staff.put(`requisitions/${id}/pass_codes`, { passIds: [] }, { 'if-match': '"1"' })
    expect([late.status, late.body.current]).toMatchObject([
      409,
      { version: 2, passIds: [one.id, two.id], failIds: [], flagIds: [], changedBy: expect.any(String) },
    ])
    const settled = await staff.put(`requisitions/${id}/pass_codes`, { passIds: [] }, { 'if-match': '"2"' })
    expect(settled.status).toBe(200)
  })
  it.each(roles.filter((role) => !can(role, 'codes.edit')))('refuses %s', async (role) => {
    const { id } = await test.given.requisition()
    const caller = await test.as(role)
    expect((await caller.put(`requisitions/${id}/pass_codes`, { passIds: [] })).status).toBe(403)
    expect((await caller.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })).status).toBe(403)
    expect((await caller.put(`requisitions/${id}/send_notif`, { isSendNotif: 1 })).status).toBe(403)
  })
})

describe('deleting', () => {
  it('LIST-046 removes Logged and Accessioned ones from every list, and names the others', async () => {
    const [logged, done] = [
      (await test.given.requisition()).id,
      (await test.given.requisition({ status_code: 'DELIVER' })).id,
    ]
    const plan = await staff.del(`requisitions/bulk_delete?id=${logged},${done}&dryRun=1`)
    expect((await staff.get(`requisitions/ALL?filter=${encodeURIComponent(`[id:${logged}]`)}`)).body.total).toBe(1)
    const { body } = await staff.del(`requisitions/bulk_delete?id=${logged},${done}`)
    expect({ ...plan.body.data, undoId: body.data.undoId }).toEqual(body.data)
    expect(body.data.undoId).toEqual(expect.any(Number))
    expect(body.data.moved).toEqual([logged])
    expect(body.data.refused).toMatchObject([
      { id: done, reason: `Requisition #${done} is Delivered and can no longer be deleted` },
    ])
    expect((await staff.get(`requisitions/ALL?filter=${encodeURIComponent(`[id:${logged}]`)}`)).body.total).toBe(0)
    expect((await staff.del(`requisitions/${done}`)).status).toBe(409)
    expect((await staff.del(`requisitions/${logged}`)).status).toBe(404)
  })
  it('LIST-046 is refused while a sample is stored in a freezer, and after a report was released', async () => {
    const lab = await test.given.lab()
    const { slotIds } = await test.given.freezerBox(lab.id)
    const [stored, reported] = [
      (await test.given.requisition({ lab_id: lab.id, status_code: 'ACC' })).id,
      (await test.given.requisition({ status_code: 'ACC' })).id,
    ]
    const placed = await staff.post(`requisitions/${stored}/spec_locs`, {
      specLocTypeCode: 'SERUM',
      sampleSizeCode: 'CRYO10',
      aliquot: 1,
      trackerIds: [slotIds[0]],
    })
    await test.given.store('report', {
      requisition_id: reported,
      lab_qc_status_code: 'HOLD',
      release_at: new Date().toISOString(),
    })
    const { body } = await staff.del(`requisitions/bulk_delete?id=${stored},${reported}&dryRun=1`)
    expect(body.data.moved).toEqual([])
    expect(body.data.refused).toMatchObject([
      {
        id: stored,
        reason: `Requisition #${stored} has samples in a freezer: discard them first`,
        tabSlug: 'locations',
      },
      { id: reported, reason: `Requisition #${reported} has a report that was released and can no longer be deleted` },
    ])
    expect((await staff.del(`requisitions/${stored}`)).status).toBe(409)
    await staff.del(`requisitions/${stored}/spec_locs/bulk_discard?id=${placed.body.data.ids[0]}`)
    expect((await staff.del(`requisitions/${stored}`)).status).toBe(200)
  })
  it('LIST-046 is refused while there are payments, and after billing', async () => {
    const [paid, billed, waiting] = [
      (await test.given.requisition({ status_code: 'ACC' })).id,
      (await test.given.requisition({ status_code: 'ACC' })).id,
      (await test.given.requisition({ status_code: 'ACC' })).id,
    ]
    const payment = await staff.post(`requisitions/${paid}/payments`, {
      paymentTypeCode: 'CHECK',
      payerTypeCode: 'INS',
      payer: 'Alder Mutual Health',
      amount: '10.10',
      paymentNote: 'By remittance',
      paymentDate: '11/5/2026',
      paymentNo: '1001',
    })
    const sent = await test.given.store('billing_batch', { send_status_code: 'SENT' })
    const open = await test.given.store('billing_batch', {})
    await query(
      'insert into billing_batch_item (batch_id, requisition_id, is_open) values ($1, $2, false), ($3, $4, true)',
      [sent.id, billed, open.id, waiting],
    )
    const { body } = await staff.del(`requisitions/bulk_delete?id=${paid},${billed},${waiting}&dryRun=1`)
    const inBatch = (id: number) => `Requisition #${id} is in a billing batch and can no longer be deleted`
    expect(body.data).toMatchObject({
      moved: [],
      refused: [
        { id: paid, reason: `Requisition #${paid} has payments: delete them first`, tabSlug: 'payments' },
        { id: billed, reason: inBatch(billed), tabSlug: 'billing' },
        { id: waiting, reason: inBatch(waiting), tabSlug: 'billing' },
      ],
    })
    expect((await staff.del(`requisitions/${paid}`)).status).toBe(409)
    await staff.del(`requisitions/${paid}/payments/${payment.body.data.id}`)
    expect((await staff.del(`requisitions/${paid}`)).status).toBe(200)
  })
  it.each(roles.filter((role) => !can(role, 'requisitions.delete')))('refuses %s', async (role) => {
    const { id } = await test.given.requisition()
    expect((await (await test.as(role)).del(`requisitions/${id}`)).status).toBe(403)
  })
})

describe('a thousand at once', () => {
  it('moves in one call', async () => {
    const { id: model } = await test.given.requisition({ status_code: 'ACC' })
    await query(
      `insert into requisition (status_code, patient_id, client_id, collaborator_id, lab_id, ordering_client_physician_id, event_id, physician_id, collected_at, collected_zone)
       select status_code, patient_id, client_id, collaborator_id, lab_id, ordering_client_physician_id, event_id, physician_id, collected_at, collected_zone
       from requisition, generate_series(1, 1000) where id = $1`,
      [model],
    )
    const { rows } = await query(
      "select array_agg(id) as ids from requisition where status_code = 'ACC' and client_id = (select client_id from requisition where id = $1)",
      [model],
    )
    const started = performance.now()
    const { body } = await move('ACC', rows[0].ids)
    expect(body.data.moved).toHaveLength(1001)
    // The target is 2 s on a quiet machine; this only guards against a loop.
    expect(performance.now() - started).toBeLessThan(onQuietMachine(15_000))
  })
})
