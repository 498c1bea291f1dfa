import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../../test/app.ts'

const test = openTestApp()

describe('the quality control of a month', () => {
  it('QC-09 QC-10 is a PDF for the director with charts, statistics, rejected runs and actions of that month alone', async () => {
    const [admin, staff] = [await test.as('ADM'), await test.as('STF')]
    const { id: labId } = await test.given.lab({ zone: 'America/Los_Angeles', director_name: 'Dr. Ann Director' })
    const instrument = await admin.post('instruments', {
      name: 'Monthly',
      labId,
      protocol: 'FILE',
      serialNumber: 'S-7',
    })
    const instrumentId: number = instrument.body.data.id
    const of = { instrumentId, testCode: 'CHOL' }
    const material = await admin.post('qc_materials', { name: 'Monthly' })
    const lot = { materialId: material.body.data.id, level: 1, lotNumber: 'L77', expires: '2040-01-01' }
    const lotId: number = (await admin.post('qc_lots', lot)).body.data.id
    const target = { lotId, ...of, mean: '100', sd: '10', source: 'MAKER', validFrom: '2026-01-01T00:00:00Z' }
    await admin.post('qc_targets', target)
    await admin.put('qc_plans', { ...of, rules: [{ rule: '1-3s', action: 'REJECT' }], everyHours: 24 })
    const run = async (ranAt: string, value: string) =>
      expect((await staff.post('qc_runs', { ...of, ranAt, values: [{ lotId, value }] })).status).toBe(200)
    // The first is still of February there.
    await run('2026-03-01T07:59:00Z', '90')
    await run('2026-03-01T08:00:00Z', '102')
    await run('2026-03-02T18:00:00Z', '141')
    await staff.post('qc_actions', {
      ...of,
      cause: 'Drift',
      action: 'Calibrated again',
      doneAt: '2026-03-02T19:00:00Z',
    })
    await run('2026-03-02T20:00:00Z', '98')

    const print = (body: object, who = staff) =>
      who.post('qc_months/print', { instrumentId, month: '2026-03', ...body })
    const textOf = async (body: object) => {
      const { pathname, search } = new URL((await print(body)).body.data.url)
      const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(rawPayload)), { mergePages: true })
      return text.replaceAll(/\s+/g, ' ')
    }
    const text = await textOf({})
    for (const part of [
      'Quality control, 2026-03',
      'Monthly, serial number S-7',
      'CHOL (mg/dL)',
      'Level Lot Target n Mean SD CV % Bias % Rejected 1 L77 100 ± 10 3 113.6667 23.7557 20.90 13.67 1',
      'Quality control, 2026-03 Page 1 of 1',
      'Rejected 03/02/2026 10:00 PST: 1-3s',
      'Action 1, 03/02/2026 11:00 PST: Drift. Calibrated again.',
      'Reviewed by Dr. Ann Director',
      'Signature: ___',
    ])
      expect(text).toContain(part)
    expect(await textOf({ testCode: 'HDL' })).toContain('No control was measured in this month')
    expect(await textOf({ month: '2026-02' })).toContain('L77 100 ± 10 1 90')
    expect((await print({ month: '2026-13' })).status).toBe(400)
    expect((await print({ instrumentId: 999_999 })).status).toBe(404)
    expect((await print({}, await test.as('CLNT'))).status).toBe(403)
  })
})
