import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const password = 'correct horse battery'
const test = openTestApp({ env: { DOWNTIME_PASSWORD: password } })
let staff: Caller
beforeAll(async () => {
  staff = await test.as('STF')
})

const order = async (lastName: string) => {
  const { id: labId } = await test.given.lab()
  const { id: patientId } = await test.given.patient({ last_name: lastName })
  const { id: reqId } = await test.given.requisition({ lab_id: labId, patient_id: patientId })
  return { labId, reqId }
}

/** The last file of the laboratory, as it is stored. */
const fileOf = async (labId: number): Promise<string> => {
  const row = await test.database.db
    .selectFrom('downtime_kit')
    .select('object_key')
    .where('lab_id', '=', labId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return (await buffer(await test.services.store.get(row.object_key))).toString('utf8')
}

interface Sealed {
  salt: string
  iv: string
  rounds: number
  sealed: string
}

const unseal = async ({ salt, iv, rounds, sealed }: Sealed, given: string) => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))
  const typed = await crypto.subtle.importKey('raw', new TextEncoder().encode(given), 'PBKDF2', false, ['deriveKey'])
  const key = await crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt: bytes(salt), iterations: rounds },
    typed,
    { name: 'AES-GCM', length: 256 },
    false,
    ['decrypt'],
  )
  const packed = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes(iv) }, key, bytes(sealed))
  return JSON.parse(gunzipSync(Buffer.from(packed)).toString('utf8'))
}

describe('the downtime kit', () => {
  it('DAY-34 is one encrypted HTML file per laboratory that shows nothing without the password', async () => {
    const { labId, reqId } = await order('Downtimer')
    expect((await staff.get(`labs/${labId}/downtime_kit`)).status).toBe(404)
    const made = await staff.post(`labs/${labId}/downtime_kit`, {})
    expect([made.status, Object.keys(made.body.data).sort()]).toEqual([200, ['madeAt', 'url']])
    expect((await staff.get(`labs/${labId}/downtime_kit`)).body.data.madeAt).toBe(made.body.data.madeAt)
    const page = await fileOf(labId)
    for (const secret of ['Downtimer', String(reqId), password]) expect(page).not.toContain(secret)
    expect(page).not.toMatch(/(?:src|href)=|https?:\/\/(?!www\.w3\.org)/)
    const sealed: Sealed = JSON.parse(/<div id="sealed" hidden>(.*?)<\/div>/.exec(page)?.[1] ?? '{}')
    expect(sealed.rounds).toBeGreaterThanOrEqual(600_000)
    expect((await unseal(sealed, password)).pending).toMatchObject([{ reqId, lastName: 'Downtimer' }])
    await expect(unseal(sealed, 'another password')).rejects.toThrow()
  })

  it('DAY-34 is for super roles only', async () => {
    const { labId } = await order('Nobody')
    for (const role of ['COLA', 'CLNT', 'SLS'] as const) {
      const other = await test.as(role)
      expect((await other.get(`labs/${labId}/downtime_kit`)).status).toBe(403)
      expect((await other.post(`labs/${labId}/downtime_kit`, {})).status).toBe(403)
    }
  })
})

describe('POST labs/{labId}/catch_up', () => {
  it('DAY-34 takes each entry once, also of two at the same time, and says what it refuses', async () => {
    const { labId, reqId } = await order('Catchup')
    const received = {
      entryId: 'form-1-3',
      kind: 'RECEIVED',
      reqId,
      specimenTypeCode: 'SERUM',
      temperatureTypeCode: 'AMB',
      containerTypeCode: 'SST',
      tubeCount: 2,
    }
    const note = { entryId: 'form-1-4', kind: 'NOTE', reqId, note: 'Thawed while the freezer was off' }
    const wrong = { entryId: 'form-1-5', kind: 'RESULT', reqId, testCode: 'NOSUCH', result: '5' }
    const send = (entries: object[]) => staff.post(`labs/${labId}/catch_up`, { entries })
    const both = await Promise.all([send([received, note, wrong]), send([received, note, wrong])])
    const outcomes = both.map(({ body }) => body.data.map(({ outcome }: { outcome: string }) => outcome)).sort()
    expect(outcomes).toEqual([
      ['KNOWN', 'KNOWN', 'REFUSED'],
      ['SAVED', 'SAVED', 'REFUSED'],
    ])
    expect((await staff.get(`requisitions/${reqId}/specimens`)).body.data).toMatchObject([{ tubeCount: 2 }])
    expect((await staff.get(`requisitions/${reqId}/lab_notes`)).body.data).toHaveLength(1)
    const { id: elsewhere } = await test.given.lab()
    const other = await staff.post(`labs/${elsewhere}/catch_up`, { entries: [{ ...note, entryId: 'x' }] })
    expect(other.body.data).toMatchObject([{ outcome: 'REFUSED' }])
  })

  it('DAY-34 refuses a different entry with a used number, and recognizes a repeat in any format', async () => {
    const { labId, reqId } = await order('Firstoutage')
    const { id: otherReqId } = await test.given.requisition({ lab_id: labId })
    const send = async (entry: object) =>
      (await staff.post(`labs/${labId}/catch_up`, { entries: [{ entryId: '1-3', kind: 'NOTE', ...entry }] })).body.data
    const note = 'Thawed'
    const at = '2026-11-19T10:00:00Z'
    expect(await send({ reqId, note, at })).toMatchObject([{ outcome: 'SAVED' }])
    expect(await send({ testCode: '', note: ' Thawed ', at: '2026-11-19T11:00:00+01:00', reqId })).toMatchObject([
      { outcome: 'KNOWN', message: 'Entered before' },
    ])
    const refused = {
      outcome: 'REFUSED',
      message: `1-3 was used for requisition #${reqId} before; give the line another number`,
    }
    expect(await send({ reqId: otherReqId, note, at })).toMatchObject([refused])
    expect(await send({ reqId, note: 'Broken', at })).toMatchObject([refused])
    expect((await staff.get(`requisitions/${otherReqId}/lab_notes`)).body.data).toEqual([])
    expect((await staff.get(`requisitions/${reqId}/lab_notes`)).body.data).toHaveLength(1)
    // An entry of an earlier version: only its requisition and its kind are known.
    await test.database.owner.query('update downtime_entry set entry_hash = null where lab_id = $1', [labId])
    expect(await send({ reqId, note: 'Broken' })).toMatchObject([{ outcome: 'KNOWN' }])
    expect(await send({ reqId: otherReqId, note })).toMatchObject([refused])
    expect(await send({ reqId, kind: 'RESULT', testCode: 'X', result: '5' })).toMatchObject([refused])
  })
})
