import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let staff: Caller
beforeAll(async () => {
  staff = await test.as('STF')
})

const scan = async (body: object, who = staff) => (await who.post('scans', body)).body
const undo = (id: number) => staff.post(`undo_actions/${id}/undo`, {})
const specimensOf = async (id: number) => (await staff.get(`requisitions/${id}/specimens`)).body.data
const placesOf = async (id: number) =>
  (await staff.get(`requisitions/${id}/spec_locs`)).body.data.map(
    ({ status, trackerIds }: { status: string; trackerIds: number[] }) => [status, trackerIds[0]],
  )
const stored = async () => {
  const { id: lab } = await test.given.lab()
  const { id } = await test.given.requisition({ lab_id: lab })
  const box = await test.given.freezerBox(lab)
  return { id, slots: box.slotIds, boxCode: `B-${lab}-${box.freezer}-${box.shelf}-${box.rack}-${box.box}` }
}

describe('POST scans', () => {
  it('DAY-20 opens and finds without a change, and says so when nobody knows the code', async () => {
    const { id, boxCode } = await stored()
    expect(await scan({ code: String(id), mode: 'Open' })).toMatchObject({
      data: { outcome: 'DONE', kind: 'REQUISITION', reqId: id, href: `/requisitions/${id}/show`, undoId: null },
    })
    expect((await scan({ code: `${id}S`, mode: 'FIND' })).data.message).toContain('no sample is stored')
    expect((await scan({ code: boxCode, mode: 'FIND' })).data).toMatchObject({ outcome: 'DONE', kind: 'BOX' })
    for (const mode of ['OPEN', 'RECEIVE', 'PLACE', 'FIND', 'DISCARD', 'PULL'])
      expect((await scan({ code: 'X-4711', mode })).data).toMatchObject({
        outcome: 'UNKNOWN',
        message: 'The code X-4711 is not known',
        undoId: null,
      })
    expect((await staff.post('scans', { code: String(id), mode: 'EAT' })).status).toBe(400)
  })

  it('DAY-20 DAY-32 receives the tube of a label, and the undo takes that back', async () => {
    const { id } = await stored()
    const { data, undoId } = await scan({ code: `${id}S`, mode: 'RECEIVE' })
    expect([data.outcome, data.undoId]).toEqual(['DONE', undoId])
    expect(await specimensOf(id)).toMatchObject([{ specimenTypeCode: 'SERUM', containerTypeCode: 'SST' }])
    expect((await undo(undoId)).status).toBe(200)
    expect(await specimensOf(id)).toEqual([])
    expect((await scan({ code: String(id), mode: 'RECEIVE' })).data).toMatchObject({ outcome: 'REFUSED' })
  })

  it('DAY-20 receives a label once: scanned again it says when and by whom, and makes no second receipt by itself', async () => {
    const { id } = await stored()
    const receive = (more: object = {}, code = `${id}S`) => scan({ code, mode: 'RECEIVE', ...more })
    const both = await Promise.all([receive(), receive()])
    expect(both.map(({ data }) => data.outcome).sort()).toEqual(['DONE', 'REFUSED'])
    const again = await receive()
    expect(again.data).toMatchObject({ outcome: 'REFUSED', isReceivedBefore: true, undoId: null })
    expect(again.data.message).toMatch(/^Already received at \d\d:\d\d [A-Z]{2,4} by \S+ \S+: #/)
    // The plain number may be on the same tube.
    expect((await receive({ specimenTypeCode: 'SERUM' }, String(id))).data.isReceivedBefore).toBe(true)
    expect(await specimensOf(id)).toHaveLength(1)
    const { data, undoId } = await receive({ isAnotherTube: true })
    expect([data.outcome, data.isReceivedBefore]).toEqual(['DONE', false])
    expect(await specimensOf(id)).toHaveLength(2)
    await undo(undoId)
    expect(await specimensOf(id)).toHaveLength(1)
  })

  it('DAY-20 receives the tubes of different labels and types without asking, and one that was taken back again', async () => {
    const { id } = await stored()
    const outcome = async (code: string, more: object = {}) =>
      (await scan({ code, mode: 'RECEIVE', ...more })).data.outcome
    const { undoId } = await scan({ code: `${id}S`, mode: 'RECEIVE' })
    expect(await outcome(`${id}DP`)).toBe('DONE')
    expect(await outcome(`${id}DP`)).toBe('REFUSED')
    expect(await outcome(String(id), { specimenTypeCode: 'EDTAWB', containerTypeCode: 'LAV' })).toBe('DONE')
    expect((await undo(undoId)).status).toBe(200)
    expect(await outcome(`${id}S`)).toBe('DONE')
  })

  it('DAY-20 a tube that was received in the form is known to its label, with the day of another day', async () => {
    const { id } = await test.given.requisition()
    await test.given.specimen(id)
    await test.database.owner.query(
      `update specimen set type_code = 'SERUM', received_at = now() - interval '3 days' where requisition_id = $1`,
      [id],
    )
    const { data } = await scan({ code: `${id}S`, mode: 'RECEIVE' })
    expect(data).toMatchObject({ outcome: 'REFUSED', isReceivedBefore: true })
    expect(data.message).toMatch(/^Already received on \d\d\/\d\d\/\d\d at /)
  })

  it('DAY-20 DAY-32 places samples in the next free slots of a scanned box, with undo', async () => {
    const { id, slots, boxCode } = await stored()
    expect((await scan({ code: String(id), mode: 'PLACE' })).data).toMatchObject({
      outcome: 'REFUSED',
      message: 'Please scan the box first',
    })
    const first = await scan({ code: String(id), mode: 'PLACE', boxCode })
    const second = await scan({ code: String(id), mode: 'PLACE', boxCode })
    expect([first.data.outcome, second.data.outcome]).toEqual(['DONE', 'DONE'])
    // The whole address: a box that was scanned by mistake is noticed.
    expect(first.data.message).toContain(`Placed in ${boxCode.split('-').slice(2).join(' / ')} / A1: #${id}`)
    expect((await placesOf(id)).map(([, slot]: [string, number]) => slot).sort()).toEqual(slots.slice(0, 2).sort())
    expect((await undo(second.undoId)).status).toBe(200)
    expect(await placesOf(id)).toHaveLength(1)
  })

  it.each(['DISCARD', 'PULL'])(
    'DAY-20 DAY-32 %s frees the slot of one sample, never of one among several',
    async (mode) => {
      const { id, boxCode } = await stored()
      await scan({ code: String(id), mode: 'PLACE', boxCode })
      await scan({ code: String(id), mode: 'PLACE', boxCode })
      expect((await scan({ code: String(id), mode })).data).toMatchObject({ outcome: 'REFUSED', undoId: null })
      const { body } = await staff.get(`requisitions/${id}/spec_locs`)
      const { data, undoId } = await scan({ code: `S-${body.data[0].id}`, mode })
      expect(data.outcome).toBe('DONE')
      const states = async () => (await placesOf(id)).map(([status]: [string]) => status).sort()
      expect(await states()).toEqual(['Discard', 'Placed'])
      expect((await undo(undoId)).status).toBe(200)
      expect(await states()).toEqual(['Placed', 'Placed'])
    },
  )

  it('DAY-20 a practice scans nothing into or out of the laboratory, and nothing of others', async () => {
    const { id } = await stored()
    const stranger = await test.as('CLNT')
    expect((await scan({ code: String(id), mode: 'OPEN' }, stranger)).data.outcome).toBe('UNKNOWN')
    for (const mode of ['RECEIVE', 'PLACE', 'DISCARD', 'PULL'])
      expect((await stranger.post('scans', { code: String(id), mode })).status).toBe(403)
  })
})
