import { describe, expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'

const world = openDeliveries()
const { test, released, ledgerOf, statusOf, work } = world

const move = (ids: number[], body: object = {}) =>
  world.staff.put(`requisitions/RELEASE/next_status/bulk_move?id=${ids.join(',')}`, body)

describe('the next status of Released', () => {
  it('says in the dry run which were never sent', async () => {
    const [sent, unsent] = [await released({ transmit_method_code: 'EMAIL' }), await released()]
    await world.staff.post(`requisitions/${sent.id}/rep_delivery`, {})
    await work()
    await test.database.owner.query("update requisition set status_code = 'RELEASE' where id = $1", [sent.id])
    const { body } = await move([sent.id, unsent.id], { dryRun: true })
    expect(body.data).toEqual({ moved: [sent.id, unsent.id], refused: [], neverSent: [unsent.id] })
  })

  it('is refused while demographic QC is open again, in the dry run too, and goes once it has passed', async () => {
    const { id } = await released()
    const setQc = (isDemQcPass: 0 | 1) => world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass })
    for (const isPassed of [1, 0] as const) expect((await setQc(isPassed)).status).toBe(200)
    const answers = { NEVER_SENT: 'HAND' }
    const reason = `Requisition #${id} has not passed demographic QC`
    for (const more of [{ dryRun: true }, { answers }])
      expect(JSON.stringify((await move([id], more)).body)).toContain(reason)
    expect(await statusOf(id)).toBe('RELEASE')
    await setQc(1)
    expect((await move([id], { answers })).body.data.moved).toEqual([id])
  })

  it('DAY-36 asks how reports that were never sent were delivered, and moves nothing before', async () => {
    const { id } = await released()
    const { status, body } = await move([id])
    expect([status, body.code]).toEqual([409, 'question'])
    expect(body.current.questions).toMatchObject([
      { code: 'NEVER_SENT', reqIds: [id], choices: [{ value: 'HAND' }, { value: 'POST' }, { value: 'FAXED' }] },
    ])
    expect(body.message).toContain(`The report was never sent: #${id}.`)
    expect((await move([id], { answers: { NEVER_SENT: 'SAVE' } })).status).toBe(409)
    expect(await statusOf(id)).toBe('RELEASE')
    expect(await ledgerOf(id)).toEqual([])
  })

  it('keeps the answer in ledger and history, so that a later correction is printed for the same receiver', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const { body } = await move([id], { answers: { NEVER_SENT: 'HAND' } })
    expect(body.data).toEqual({ moved: [id], refused: [], neverSent: [id] })
    expect(body.message).toBe('1 requisition(s) moved to Delivered, 1 of them never sent from here')
    expect(await statusOf(id)).toBe('DELIVER')
    expect(await ledgerOf(id)).toMatchObject([
      {
        reportId: report,
        transmitMethodCode: 'PRINT',
        deliveryState: 'CONFIRMED',
        answer: 'Handed over by hand, not sent from here',
        requestedByName: expect.stringMatching(/^Test User/),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    const history = (await world.staff.get(`requisitions/${id}/req_hists`)).body.data
    expect(history).toContainEqual(
      expect.objectContaining({
        reqActionCode: 'STATUS',
        reason: 'Handed over by hand',
        modifiedByName: expect.any(String),
      }),
    )
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong unit' })
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    expect((await ledgerOf(id))[0]).toMatchObject({
      transmitMethodCode: 'PRINT',
      deliveryState: 'QUEUED',
      versionNo: 2,
    })
  })

  it('takes what waits for a printer as handed over, and moves the others of the same call', async () => {
    const [printed, sent] = [await released({ transmit_method_code: 'PRINT' }), await released()]
    await world.staff.post(`requisitions/${printed.id}/rep_delivery`, {})
    await world.staff.post(`requisitions/${sent.id}/rep_delivery`, {})
    await test.database.owner.query("update requisition set status_code = 'RELEASE' where id = $1", [sent.id])
    const { body } = await move([printed.id, sent.id], { answers: { NEVER_SENT: 'POST' } })
    expect(body.data).toMatchObject({ moved: [printed.id, sent.id], neverSent: [printed.id] })
    expect(await ledgerOf(printed.id)).toMatchObject([
      { deliveryState: 'CONFIRMED', answer: 'Sent by post, not sent from here' },
    ])
  })

  it('is asked by the status select too', async () => {
    const { id } = await released()
    const admin = await test.as('ADM')
    const select = (body: object) => admin.put(`requisitions/${id}`, { reqStatusCode: 'DELIVER', ...body })
    expect((await select({})).body.code).toBe('question')
    expect((await select({ answers: { NEVER_SENT: 'FAXED' } })).status).toBe(200)
    expect((await ledgerOf(id))[0].answer).toBe('Faxed from a machine, not sent from here')
  })
})
