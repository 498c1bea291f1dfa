import { expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

it('DAY-20 says what each known code stands for, in any case, and knows no other within the scope', async () => {
  const staff = await test.as('STF')
  const { id: lab } = await test.given.lab()
  const { id } = await test.given.requisition({ lab_id: lab })
  const box = await test.given.freezerBox(lab)
  const placed = await staff.post(`requisitions/${id}/spec_locs`, {
    specLocTypeCode: 'SERUM',
    sampleSizeCode: 'CRYO10',
    aliquot: 1,
    trackerIds: [box.slotIds[0]],
  })
  const sample = placed.body.data.ids[0]
  const boxCode = `B-${lab}-${box.freezer}-${box.shelf}-${box.rack}-${box.box}`
  const lookUp = async (code: string, who = staff) =>
    (await who.get(`scan_codes/${encodeURIComponent(code)}`)).body.data
  expect(await lookUp(String(id))).toMatchObject({
    kind: 'REQUISITION',
    id,
    reqId: id,
    href: `/requisitions/${id}/show`,
  })
  for (const code of [`${id}S`, `${id}dp`]) expect(await lookUp(code)).toMatchObject({ kind: 'TUBE', id, reqId: id })
  expect(await lookUp(`s-${sample}`)).toMatchObject({ kind: 'SAMPLE', id: sample, reqId: id })
  expect(await lookUp(boxCode)).toMatchObject({ kind: 'BOX', id: box.id, reqId: null })
  const stranger = await test.as('CLNT')
  for (const code of [String(id), `${id}S`, `S-${sample}`, boxCode])
    expect([code, (await stranger.get(`scan_codes/${code}`)).status]).toEqual([code, 404])
  for (const code of ['999999999', 'S-999999999', 'B-1-no-such-box', 'nonsense', `${id}X`])
    expect([code, (await staff.get(`scan_codes/${code}`)).status]).toEqual([code, 404])
})
