import { connect, createServer } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { Analyser, astmFrame, astmTime, header, resultRecords } from '../../../seeds/laboratory/analyser.ts'
import { openTestBench, until } from '../../../test/bench.ts'
import { freePort } from '../../../test/free-port.ts'
import { openMllpClient, segmentsOf } from '../../../test/mllp-client.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { encryptMessage } from '../instrument-results/messages.ts'

const bench = openTestBench()
const codes = (row: { reasons: { code: string }[] }) => row.reasons.map(({ code }) => code)
const one = async (filter: string) =>
  (
    await until(
      () => bench.resultsOf(filter),
      (rows) => rows.length > 0,
    )
  )[0]

describe('the link of an instrument', () => {
  it('BENCH-01 opens and closes within 2 seconds as the record changes, and tells its state', async () => {
    const instrument = await bench.addInstrument()
    expect(await bench.linkOf(instrument.id)).toMatchObject({ linkState: 'LISTENING', lastSeenAt: null })
    const analyser = await bench.connect(instrument)
    const connected = await until(
      () => bench.linkOf(instrument.id),
      ({ linkState }) => linkState === 'CONNECTED',
      onQuietMachine(2000),
    )
    expect(connected.linkMessage).toMatch(/Connected with/)
    await analyser.send(resultRecords([{ specimen: 1, code: 'chol', value: '5' }]))
    await expect.poll(async () => (await bench.linkOf(instrument.id)).lastSeenAt).not.toBeNull()
    await bench.admin().put(`instruments/${instrument.id}`, { isActive: 0 })
    await until(async () => analyser.socket.destroyed, Boolean, onQuietMachine(2000))
    expect(analyser.socket.destroyed).toBe(true)
    await expect.poll(async () => (await bench.linkOf(instrument.id)).linkState).toBe('CLOSED')
    await expect(bench.connect(instrument)).rejects.toThrow('ECONNREFUSED')
  })
  it('BENCH-01 says in words that a port is in use, and listens when it is free', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, () => resolve((taken.address() as { port: number }).port)),
    )
    const { id } = (
      await bench
        .admin()
        .post('instruments', { name: 'Taken', labId: (await bench.test.given.lab()).id, protocol: 'ASTM', port })
    ).body.data
    const failed = await until(
      () => bench.linkOf(id),
      ({ linkState }) => linkState === 'ERROR',
    )
    expect(failed).toMatchObject({
      linkState: 'ERROR',
      linkMessage: `Port ${port} is in use by another program or instrument`,
    })
    taken.close()
    expect(
      (
        await until(
          () => bench.linkOf(id),
          ({ linkState }) => linkState === 'LISTENING',
        )
      ).linkState,
    ).toBe('LISTENING')
  })
  it('BENCH-01 connects to an instrument that has a host', async () => {
    const port = await freePort()
    const { analyser, close } = await Analyser.listen({ port })
    const instrument = await bench.addInstrument({ host: '127.0.0.1', port })
    const reqId = await bench.order()
    await (await analyser).send(resultRecords([{ specimen: reqId, code: 'chol', value: '180' }]))
    expect((await one(`reqId:${reqId}`)).instrumentId).toBe(instrument.id)
    close()
  })
  it('BENCH-11 closes a second connection on a busy port and tells it', async () => {
    const instrument = await bench.addInstrument()
    const first = await bench.connect(instrument)
    await until(
      () => bench.linkOf(instrument.id),
      ({ linkState }) => linkState === 'CONNECTED',
    )
    const second = await bench.connect(instrument)
    await until(async () => second.socket.destroyed || second.socket.readableEnded, Boolean)
    const told = await until(
      () => bench.linkOf(instrument.id),
      ({ linkMessage }) => /second connection/.test(linkMessage),
    )
    expect(told).toMatchObject({ linkState: 'CONNECTED', linkMessage: expect.stringMatching(/second connection/) })
    await first.send(resultRecords([]))
  })
  it('BENCH-01 BENCH-11 serves on after connections that end at once, and other instruments too', async () => {
    const instrument = await bench.addInstrument()
    const knock = (how: 'end' | 'resetAndDestroy') =>
      new Promise<void>((resolve, reject) => {
        const socket = connect({ port: instrument.port, host: '127.0.0.1' }, () => socket[how]())
        socket.on('error', reject).on('close', () => resolve())
        socket.resume()
      })
    for (let count = 0; count < 20; count++) await knock(count % 2 === 0 ? 'end' : 'resetAndDestroy')
    await bench.admin().put(`instruments/${instrument.id}`, { isActive: 0 })
    const { linkState } = await until(
      () => bench.linkOf(instrument.id),
      (link) => link.linkState === 'CLOSED',
    )
    expect(linkState).toBe('CLOSED')
    const other = await bench.connect(await bench.addInstrument())
    await other.send(resultRecords([]))
  })
})

describe('ASTM messages', () => {
  it('BENCH-05 BENCH-06 BENCH-24 give results with all they carry, which are not on the requisition before a person accepts them', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    const at = astmTime(new Date(Date.now() - 60_000))
    await analyser.send(
      resultRecords([
        {
          specimen: `${reqId}S`,
          code: 'chol',
          value: '212.46',
          units: 'MG/dl',
          abnormal: 'HH',
          operator: 'm.tech',
          at,
          comments: ['Clot'],
        },
      ]),
    )
    const row = await one(`reqId:${reqId}`)
    expect(row).toMatchObject({
      instrumentId: instrument.id,
      specimenId: `${reqId}S`,
      instrumentCode: 'chol',
      testCode: 'CHOL',
      value: '212.46',
      units: 'MG/dl',
      abnormalFlag: 'HH',
      flags: ['HH', 'Clot'],
      operator: 'm.tech',
      state: 'REVIEW',
      rawRecord: expect.stringContaining('R|1|^^^chol|212.46|MG/dl||HH||F||m.tech'),
    })
    expect(astmTime(new Date(row.measuredAt))).toBe(at)
    expect(codes(row)).toEqual(expect.arrayContaining(['FLAG', 'QC_DUE', 'NO_RULE']))
    expect(await bench.reqTest(reqId)).toMatchObject({ result: null, isResulted: 0, instrumentResultId: null })
    const message = (await bench.staff().get(`instrument_messages/${row.messageId}`)).body.data
    expect(message).toMatchObject({ direction: 'IN', state: 'COMPLETE', reason: null })
    expect(message.raw).toContain('R|1|^^^chol|212.46')
  })
  it.each([
    ['an unknown specimen', { specimen: '999999999' }, ['UNKNOWN_SPECIMEN']],
    ['no specimen number', { specimen: '' }, ['UNKNOWN_SPECIMEN']],
    ['an unknown code', { code: 'xyz' }, ['UNKNOWN_CODE']],
    ['a test that is not ordered', { code: 'hdl' }, ['NOT_ORDERED']],
    ['another unit', { units: 'mmol/L' }, ['UNIT']],
    ['several faults', { code: 'hdl', units: 'mmol/L' }, ['NOT_ORDERED', 'UNIT']],
  ])('BENCH-05 hold a result with %s and say why', async (_, over, reasons) => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    await analyser.send(resultRecords([{ specimen: reqId, code: 'chol', value: '180', units: 'mg/dL', ...over }]))
    const row = await one(`instrumentId:${instrument.id}`)
    expect([row.state, codes(row)]).toEqual(['HELD', reasons])
    for (const { text } of row.reasons) expect(text).toMatch(/ /)
  })
  it('BENCH-05 have held results placed again when the table of codes changes', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    await analyser.send(resultRecords([{ specimen: reqId, code: 'XC', value: '180' }]))
    expect((await one(`instrumentId:${instrument.id}`)).state).toBe('HELD')
    const saved = await bench
      .admin()
      .put(`instruments/${instrument.id}/codes`, { codes: [{ instrumentCode: 'XC', testCode: 'CHOL' }] })
    expect(saved.body.data).toEqual([{ instrumentCode: 'XC', testCode: 'CHOL', units: null, decimals: null }])
    expect(await one(`instrumentId:${instrument.id}`)).toMatchObject({ state: 'REVIEW', reqId, testCode: 'CHOL' })
  })
  it.each([
    ['a value without a digit', { value: '-----' }, 'NO_VALUE'],
    ['the status X', { value: '5', status: 'X' }, 'NO_VALUE'],
    ['the status P', { value: '180', status: 'P' }, 'PRELIMINARY'],
    ['a value beyond what can be measured', { value: '>500' }, 'NOT_NUMERIC'],
  ])('BENCH-06 with %s wait with the reason', async (_, over, reason) => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    await analyser.send(resultRecords([{ specimen: reqId, code: 'chol', ...over }]))
    const row = await one(`reqId:${reqId}`)
    expect([row.state, row.value]).toEqual(['REVIEW', over.value])
    expect(codes(row)).toContain(reason)
  })
  it('BENCH-05 with a NUL byte in a value wait like any other text', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    await analyser.send(resultRecords([{ specimen: reqId, code: 'chol', value: '1\x0080' }]))
    const row = await one(`reqId:${reqId}`)
    expect([row.state, row.value]).toEqual(['REVIEW', '1 80'])
    expect(codes(row)).toContain('NOT_NUMERIC')
  })
  it('BENCH-06 tell that the clock is off, and take times in the zone of the laboratory', async () => {
    const lab = await bench.test.given.lab({ zone: 'America/New_York' })
    const instrument = await bench.addInstrument({ labId: lab.id })
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    await analyser.send(
      resultRecords(
        [{ specimen: reqId, code: 'chol', value: '180', at: '20261101120000' }],
        astmTime(new Date(Date.now() + 3_600_000), -300),
      ),
    )
    const row = await one(`reqId:${reqId}`)
    expect(row.measuredAt).toMatch(/^2026-11-01T17:00:00/)
    expect(Math.abs(row.clockOffsetSec - 3600)).toBeLessThan(60)
    expect(Math.abs((await bench.linkOf(instrument.id)).clockOffsetSec - 3600)).toBeLessThan(60)
  })
  it('BENCH-07 sent twice give each result once; another value is a repeat', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    const sent = { specimen: reqId, code: 'chol', value: '180', at: '20261118080000' }
    for (const at of ['20261118080100', '20261118080200']) await analyser.send(resultRecords([sent], at))
    await analyser.send(resultRecords([{ ...sent, value: '190' }]))
    const rows = await until(
      () => bench.resultsOf(`reqId:${reqId}`),
      (list) => list.length > 1,
    )
    expect(rows.map((row: { value: string }) => row.value)).toEqual(['180', '190'])
    expect([codes(rows[0]).includes('REPEAT'), codes(rows[1]).includes('REPEAT')]).toEqual([false, true])
  })
  it('BENCH-07 without times are the same only if the whole message is', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    const records = (at: string) => [header(at), 'P|1', `O|1|${reqId}||^^^chol`, 'R|1|^^^chol|180', 'L|1|N']
    for (const at of ['20261118080000', '20261118080000', '20261118090000']) await analyser.send(records(at))
    const rows = await until(
      () => bench.resultsOf(`reqId:${reqId}`),
      (list) => list.length > 1,
    )
    expect(rows).toHaveLength(2)
  })
  it('BENCH-10 get NAK for a bad frame and ACK for a repeated one, and are stored once', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    const text = resultRecords([{ specimen: reqId, code: 'chol', value: '180' }])
      .map((record) => `${record}\r`)
      .join('')
    const good = astmFrame(1, text)
    expect(await analyser.ask('\x05')).toBe('\x06')
    expect(await analyser.ask(good.replace(/..\r\n$/, '00\r\n'))).toBe('\x15')
    expect(await analyser.ask(astmFrame(3, text))).toBe('\x15')
    expect(await analyser.ask(good)).toBe('\x06')
    expect(await analyser.ask(good)).toBe('\x06')
    await expect.poll(() => bench.resultsOf(`reqId:${reqId}`)).toHaveLength(1)
    analyser.write('\x04')
  })
  it('BENCH-11 count with their L record even if the instrument hangs up, and stay incomplete without it', async () => {
    const instrument = await bench.addInstrument()
    const [first, second] = [await bench.order(), await bench.order()]
    const whole = (reqId: number) => resultRecords([{ specimen: reqId, code: 'chol', value: '180' }])
    const one_ = await bench.connect(instrument)
    await one_.ask('\x05')
    await one_.sendFrame(
      1,
      whole(first)
        .map((record) => `${record}\r`)
        .join(''),
    )
    one_.close()
    expect((await one(`reqId:${first}`)).value).toBe('180')
    await until(
      () => bench.linkOf(instrument.id),
      ({ linkState }) => linkState === 'LISTENING',
    )
    const two = await bench.connect(instrument)
    await two.ask('\x05')
    await two.sendFrame(
      1,
      whole(second)
        .slice(0, -1)
        .map((record) => `${record}\r`)
        .join(''),
    )
    two.close()
    const messages = async () =>
      (await bench.staff().get(`instrument_messages?filter=[instrumentId:${instrument.id},state:INCOMPLETE]`)).body.data
    const [incomplete] = await until(messages, (list) => list.length > 0)
    expect(incomplete).toMatchObject({ direction: 'IN', reason: 'The connection ended before the L record' })
    expect(await bench.resultsOf(`reqId:${second}`)).toEqual([])
    const ended = await until(
      () => bench.linkOf(instrument.id),
      ({ linkState }) => linkState === 'LISTENING',
    )
    expect(ended.linkMessage).toBe('The connection ended before the L record')
    const three = await bench.connect(instrument)
    await three.send(whole(second))
    expect(
      await until(
        () => bench.resultsOf(`reqId:${second}`),
        (list) => list.length > 0,
      ),
    ).toHaveLength(1)
  })
  it('BENCH-04 answers a query with the open tests in the codes of the instrument', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL', 'HDL', 'LDL'])
    const analyser = await bench.connect(instrument)
    const records = await analyser.query([`${reqId}`, '999999999'])
    const fields = records.map((record) => record.split('|'))
    expect(fields.map(([type]) => type)).toEqual(['H', 'P', 'O', 'L'])
    expect([fields[1]?.[5], fields[1]?.[7], fields[1]?.[8]]).toEqual([
      expect.stringMatching(/^Patient\d+\^Pat$/),
      '19700102',
      'F',
    ])
    expect([fields[2]?.[2], fields[2]?.[4], fields[2]?.[11], fields[2]?.[25]]).toEqual([
      `${reqId}`,
      '^^^chol\\^^^hdl',
      'N',
      'Q',
    ])
    expect(records.at(-1)).toBe('L|1|F')
    expect((await analyser.query(['999999999'])).map((record) => record.slice(0, 5))).toEqual(['H|\\^&', 'L|1|I'])
    const out = (await bench.staff().get(`instrument_messages?filter=[instrumentId:${instrument.id},direction:OUT]`))
      .body.data
    expect(out.map(({ state }: { state: string }) => state)).toEqual(['COMPLETE', 'COMPLETE'])
  })
  it('BENCH-08 lose no part of an acknowledged message: another process continues with it', async () => {
    const instrument = await bench.addInstrument()
    const analyser = await bench.connect(instrument)
    await analyser.ask('\x05')
    await analyser.sendFrame(1, 'H|\\^&\rP|1\r')
    const { rows } = await sql<{
      has: boolean
    }>`select pending is not null as has from instrument_link where instrument_id = ${instrument.id}`.execute(
      bench.test.database.db,
    )
    expect(rows[0]?.has).toBe(true)
    analyser.close()
  })
})

describe('an error of this system', () => {
  it('BENCH-05 BENCH-08 loses no acknowledged message: it is retried with growing pauses, shown, and processed once possible', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const message = resultRecords([{ specimen: reqId, code: 'chol', value: '180' }])
    const { owner } = bench.test.database
    const { rows } = await owner.query(
      `insert into instrument_message (instrument_id, direction, protocol, state, raw, content_hash, is_waiting, failures)
        values ($1, 'IN', 'ASTM', 'COMPLETE', 'cannot be decrypted', 'x', true, 4) returning id`,
      [instrument.id],
    )
    const { linkMessage } = await until(
      () => bench.linkOf(instrument.id),
      (link) => /could not be processed/.test(link.linkMessage),
    )
    expect(linkMessage).toContain('It is tried again')
    const stateOf = async () =>
      (
        await owner.query(
          'select is_waiting, failures, next_try_at - now() as pause, reason from instrument_message where id = $1',
          [rows[0].id],
        )
      ).rows[0]
    const failed = await stateOf()
    expect(failed).toMatchObject({ is_waiting: true, failures: 5, reason: expect.stringContaining('tried again') })
    expect(failed.pause.minutes).toBeGreaterThanOrEqual(1)
    const raw = encryptMessage(bench.test.services, message.map((record) => `${record}\r`).join(''))
    await owner.query('update instrument_message set raw = $2, next_try_at = now() where id = $1', [rows[0].id, raw])
    expect((await one(`reqId:${reqId}`)).value).toBe('180')
    expect(await stateOf()).toMatchObject({ is_waiting: false, reason: null })
    expect((await bench.linkOf(instrument.id)).linkMessage).toBeNull()
  })
})

describe('controls', () => {
  it('QC-02 BENCH-05 become one run per test, never a result; unknown ones are held', async () => {
    const instrument = await bench.addInstrument()
    const { lotId } = await bench.putInControl(instrument.id)
    const reqId = await bench.order()
    const path = `instruments/${instrument.id}/controls`
    expect((await bench.admin().put(path, { controls: [{ specimenId: '1000001S', lotId }] })).status).toBe(400)
    const { body } = await bench.admin().put(path, { controls: [{ specimenId: 'QC-L1', lotId }] })
    expect(body.data).toEqual([{ specimenId: 'QC-L1', lotId }])
    const analyser = await bench.connect(instrument)
    await analyser.send(
      resultRecords([
        { specimen: 'QC-L1', code: 'chol', value: '104' },
        { specimen: reqId, code: 'chol', value: '180', isControl: true },
      ]),
    )
    const [control, unknown] = await until(
      () => bench.resultsOf(`instrumentId:${instrument.id}`),
      (list) => list.length > 1,
    )
    expect([control.state, control.reqId]).toEqual(['CONTROL', null])
    expect([unknown.state, unknown.reqId, codes(unknown)]).toEqual(['HELD', null, ['UNKNOWN_CONTROL']])
    const runs = (await bench.staff().get(`qc_runs?instrumentId=${instrument.id}&testCode=CHOL`)).body.data
    expect(runs[0].values).toMatchObject([{ lotId, value: '104' }])
  })
})

describe('HL7 messages', () => {
  const oru = (reqId: number, controlId: string, more: string[] = []) =>
    [
      `MSH|^~\\&|SIM|LAB|LIS|LAB|20261118120000+0000||ORU^R01|${controlId}|P|2.5.1`,
      'PID|1||1',
      `OBR|1||${reqId}|X`,
      'OBX|1|NM|chol^Cholesterol||181.2|mg/dL||H~A|||F|||||m.tech|||20261118115900+0000',
      ...more,
    ].join('\r')

  it('BENCH-03 are answered AA when they are stored, and give results once', async () => {
    const instrument = await bench.addInstrument({ protocol: 'HL7' })
    const reqId = await bench.order()
    const client = await openMllpClient(instrument.port)
    const message = oru(reqId, 'M1', ['SPM|1||||||||||P', 'INV|1|||||||||||||||LOT-7', 'NTE|1||Hemolysis|I'])
    for (let times = 0; times < 2; times++)
      expect(segmentsOf(await client.ask(message), 'MSA')[0]?.slice(1, 3)).toEqual(['AA', 'M1'])
    const rows = await until(
      () => bench.resultsOf(`reqId:${reqId}`),
      (list) => list.length > 0,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      value: '181.2',
      units: 'mg/dL',
      flags: ['A', 'Hemolysis'],
      abnormalFlag: 'H A',
      operator: 'm.tech',
      reagentLot: 'LOT-7',
      measuredAt: expect.stringMatching(/^2026-11-18T11:59:00/),
    })
    client.close()
  })
  it('BENCH-03 in OUL take the specimen of SPM-2 and structured numbers', async () => {
    const instrument = await bench.addInstrument({ protocol: 'HL7' })
    const reqId = await bench.order()
    const client = await openMllpClient(instrument.port)
    const answer = await client.ask(
      [
        'MSH|^~\\&|SIM|LAB|LIS|LAB|20261118120000+0000||OUL^R22|M2|P|2.5.1',
        `SPM|1|${reqId}DP`,
        'OBR|1||7|X',
        'OBX|1|SN|chol||>^500|mg/dL|||||F',
      ].join('\r'),
    )
    expect(segmentsOf(answer, 'MSA')[0]?.[1]).toBe('AA')
    expect(await one(`reqId:${reqId}`)).toMatchObject({ specimenId: `${reqId}DP`, value: '>500', state: 'REVIEW' })
    client.close()
  })
  it('BENCH-03 of another type are refused, and shown as incomplete', async () => {
    const instrument = await bench.addInstrument({ protocol: 'HL7' })
    const client = await openMllpClient(instrument.port)
    const answer = await client.ask(oru(1, 'M3').replace('ORU^R01', 'ORM^O01'))
    expect([segmentsOf(answer, 'MSA')[0]?.[1], segmentsOf(answer, 'ERR')[0]?.[3]?.split('^')[0]]).toEqual(['AR', '200'])
    const { data } = (await bench.staff().get(`instrument_messages?filter=[instrumentId:${instrument.id}]`)).body
    expect(data).toMatchObject([{ state: 'INCOMPLETE', reason: expect.stringContaining('Unsupported message type') }])
    client.close()
  })
})
