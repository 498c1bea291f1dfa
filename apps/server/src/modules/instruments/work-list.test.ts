import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { openTestBench } from '../../../test/bench.ts'

const bench = openTestBench()

describe('the work list of an instrument', () => {
  it('BENCH-04 has the open tests of a rack in the order of its places, and names a specimen with nothing open', async () => {
    const instrument = await bench.addInstrument()
    const [first, second, other] = [
      await bench.order(['CHOL', 'HDL']),
      await bench.order(['TRIG']),
      await bench.order(['A1C']),
    ]
    const { body } = await bench
      .staff()
      .get(`instruments/${instrument.id}/work_list?specimens=${second}S,${first},${other}`)
    expect(body.data).toMatchObject([
      { position: 1, specimenId: `${second}S`, reqId: second, instrumentCodes: ['trig'], testCodes: ['TRIG'] },
      { position: 2, reqId: first, instrumentCodes: ['chol', 'hdl'], patientName: expect.stringContaining(', ') },
      { position: 3, specimenId: String(other), reqId: null, instrumentCodes: [] },
    ])
    const twice = await bench
      .staff()
      .get(`instruments/${instrument.id}/work_list?specimens=${first},${first},${second}`)
    expect(twice.body.data.map(({ reqId }: { reqId: number }) => reqId)).toEqual([first, first, second])
  })

  it('BENCH-04 has all that is open in the laboratory of the instrument when no rack is given', async () => {
    const instrument = await bench.addInstrument()
    const [own, foreign] = [await bench.order(['CHOL'], { lab_id: instrument.labId }), await bench.order(['CHOL'])]
    const { data } = (await bench.staff().get(`instruments/${instrument.id}/work_list`)).body
    const ids = data.map(({ reqId }: { reqId: number }) => reqId)
    expect([ids.includes(own), ids.includes(foreign)]).toEqual([true, false])
  })

  it('BENCH-04 is printed with its places, patients and the codes of the instrument', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL', 'HDL'])
    const print = (specimens: string[]) =>
      bench.staff().post(`instruments/${instrument.id}/work_list/print`, { specimens })
    const { pathname, search } = new URL((await print([String(reqId), '999999999'])).body.data.url)
    const { rawPayload } = await bench.test.app.inject({ method: 'GET', url: pathname + search })
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(rawPayload)), { mergePages: true })
    for (const part of [`Work list of ${instrument.name}`, String(reqId), 'chol, hdl', '999999999', 'Nothing open'])
      expect(text.replaceAll(/\s+/g, ' ')).toContain(part)
  })

  it('BENCH-04 is sent to an instrument that is connected over ASTM, and to no other', async () => {
    const instrument = await bench.addInstrument()
    const [first, second] = [await bench.order(['CHOL', 'HDL']), await bench.order(['TRIG'])]
    const send = (specimens: string[]) =>
      bench.staff().post(`instruments/${instrument.id}/work_list/send`, { specimens })
    const early = await send([String(first)])
    expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('not connected over ASTM')])
    const analyser = await bench.connect(instrument)
    await bench.until(
      () => bench.linkOf(instrument.id),
      ({ linkState }) => linkState === 'CONNECTED',
    )
    expect((await send(['999999999'])).status).toBe(409)
    const { status, body } = await send([`${second}S`, String(first), String(first)])
    expect(status).toBe(200)
    const { records } = await analyser.receive()
    const fields = records.map((record) => record.split('|'))
    expect(fields.map(([type]) => type)).toEqual(['H', 'P', 'O', 'P', 'O', 'L'])
    const orders = fields.filter(([type]) => type === 'O')
    expect(orders.map((order) => [order[2], order[4], order[11], order[25]])).toEqual([
      [`${second}S`, '^^^trig', 'N', 'O'],
      [String(first), '^^^chol\\^^^hdl', 'N', 'O'],
    ])
    expect(fields.at(-1)).toEqual(['L', '1', 'N'])
    const message = await bench.until(
      async () => (await bench.staff().get(`instrument_messages/${body.data.id}`)).body.data,
      ({ state }) => state === 'COMPLETE',
    )
    expect(message).toMatchObject({ direction: 'OUT', state: 'COMPLETE', reason: null })
    expect(message.requisitions).toEqual(expect.arrayContaining([{ reqId: first }, { reqId: second }]))
    analyser.close()
  })
})
