import { describe, expect, it } from 'vitest'
import { astmTime, resultRecords } from '../../../seeds/laboratory/analyser.ts'
import { openTestBench } from '../../../test/bench.ts'
import { unzip } from '../../../test/unzip.ts'

const bench = openTestBench()

const dossierOf = async (reqId: number) => {
  const { body } = await bench.staff().post(`requisitions/${reqId}/dossier`, {})
  const { pathname, search } = new URL(body.data.url, 'http://localhost')
  const { rawPayload } = await bench.test.app.inject({ method: 'GET', url: pathname + search })
  return JSON.parse(String(new Map(Object.entries(await unzip(rawPayload))).get('dossier.json')))
}

describe('the dossier of a requisition with results of an instrument', () => {
  it('SOUT-09 BENCH-06 names the quality control, the run and the clock of each result, its repeats and what was replaced', async () => {
    const instrument = await bench.addInstrument()
    const { lotId } = await bench.putInControl(instrument.id)
    const reqId = await bench.order(['CHOL', 'HDL'])
    const analyser = await bench.connect(instrument)
    const accept = async (value: string, reason?: string) => {
      const measured = { at: astmTime(new Date(Date.now() - 20_000)), units: 'mg/dL', operator: 'm.reyes' }
      await analyser.send(resultRecords([{ specimen: reqId, code: 'chol', value, ...measured }]))
      const [{ id, version }] = await bench.until(
        () => bench.resultsOf(`reqId:${reqId},state:REVIEW`),
        (list) => list.length > 0,
      )
      const { body } = await bench.staff().post('review_results/accept', { items: [{ id, version }], reason })
      expect(body.data).toEqual({ done: [id], refused: [] })
    }
    await accept('190')
    await accept('196', 'The first was measured from the bottom of the tube')
    analyser.close()
    await bench.staff().post('qc_runs', {
      instrumentId: instrument.id,
      testCode: 'CHOL',
      ranAt: new Date().toISOString(),
      values: [{ lotId, value: '300' }],
    })

    const dossier = await dossierOf(reqId)
    const result = dossier.results.find(({ testCode }: { testCode: string }) => testCode === 'CHOL')
    expect(result).toMatchObject({
      reportableResult: '196',
      instrument: instrument.name,
      qc: { state: 'IN', values: [{ level: 1, lotNumber: expect.any(String), value: 100, state: 'IN' }] },
      qcAfter: { state: 'REJECTED' },
      lookBacks: [{ value: '196', state: 'OPEN', qcRunId: result.qcAfter.id }],
      measurement: { value: '196', operator: 'm.reyes', clockOffsetSec: expect.any(Number), state: 'ACCEPTED' },
    })
    expect(result.measurements).toMatchObject([
      { value: '190', state: 'SUPERSEDED', runId: expect.any(Number), clockOffsetSec: expect.any(Number) },
      { value: '196', state: 'ACCEPTED', decisionReason: 'The first was measured from the bottom of the tube' },
    ])
    expect(result.measurements[0].runId).not.toBe(result.measurements[1].runId)
    expect(result.versions).toMatchObject([
      {
        reportableResult: '190',
        instrument: instrument.name,
        measurementId: result.measurements[0].id,
        qc: { id: result.qc.id },
      },
      {
        reportableResult: '196',
        instrument: instrument.name,
        measurementId: result.measurements[1].id,
        qc: { id: result.qc.id },
      },
    ])
  })
})
