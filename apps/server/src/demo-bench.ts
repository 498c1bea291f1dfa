import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { astmTime, resultRecords, type SentResult } from '../seeds/laboratory/analyser.ts'
import { createRule, switchRule } from './modules/autoverification/service.ts'
import { registerHandlers } from './modules/domain-event-handlers.ts'
import { createInstrument, updateInstrument } from './modules/instrument-records/service.ts'
import { acceptResults, rejectResults, rerunResults } from './modules/instrument-results/review.ts'
import { saveCodes, saveControls } from './modules/instrument-results/tables.ts'
import { storeTaken } from './modules/instruments/link-store.ts'
import { openInstrumentQueue } from './modules/instruments/work-queue.ts'
import { createLot, createMaterial, createTarget, savePlan } from './modules/quality-control/setup.ts'
import { requireRequester } from './platform/auth/requester.ts'
import type { Config } from './platform/config.ts'
import type { Pool } from './platform/db/pool.ts'
import { scopedDatabases } from './platform/db/scope.ts'
import type { WriteCall } from './platform/http/implement.ts'
import type { Log } from './platform/log.ts'

const chemistry = [
  { code: 'CHOL', mean: 180, low: '80', high: '320' },
  { code: 'HDL', mean: 52, low: '20', high: '110' },
  { code: 'TRIG', mean: 120, low: '30', high: '400' },
] as const
const minuteMs = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * minuteMs)
const sentTime = (minutes: number) => `${astmTime(ago(minutes))}+0000`

interface Order {
  specimen: number
  code: string
  /** The patient's result before. */
  earlier: string | null
}

/** A message of an instrument, and how many minutes ago it came. */
interface Sent {
  instrumentId: number
  minutes: number
  protocol: 'ASTM' | 'HL7'
  raw: string
  isCutOff?: boolean
}

/**
 * Two instruments with a day of runs: their messages take the same path as those received over a socket, and staff decide about some of the
 * results.
 */
export const loadDemoBench = async (owner: Pool, config: Config, log: Log) => {
  registerHandlers()
  const services = { config, log, databases: scopedDatabases(owner) }
  const writeAs = async (name: string) => {
    const { rows } = await owner.query<{ id: number }>('select id from app_user where user_name = $1', [name])
    const actor = await requireRequester({ system: owner }, rows[0]?.id ?? null, 'review.decide')
    return <T>(work: (call: WriteCall) => Promise<T>): Promise<T> =>
      services
        .databases(actor.scope)
        .transaction()
        .execute((db) => work({ db, actor, requestId: randomUUID() }))
  }
  const [admin, staff] = [await writeAs('admin'), await writeAs('staff')]
  const found = await owner.query<{ id: number; labId: number }>(
    `select id, lab_id as "labId" from instrument where name = 'Tosoh G11' and deleted_at is null`,
  )
  const [tosoh] = found.rows
  if (!tosoh) return
  const lots = await owner.query<{ id: number }>('select id from qc_lot order by level')
  const cobasId = await admin((call) => addInstruments(call, tosoh, lots.rows))
  const orders = await listOrders(owner)
  const queue = openInstrumentQueue(services)
  for (const { instrumentId, minutes, protocol, raw, isCutOff } of messagesOf(tosoh.id, cobasId, orders)) {
    const message = isCutOff
      ? { state: 'INCOMPLETE' as const, reason: 'The instrument hung up in the middle of the message', raw }
      : { state: 'COMPLETE' as const, raw }
    const [id] = await storeTaken(services, instrumentId, protocol, { messages: [message], pending: '' })
    await queue.work(instrumentId)
    // They were all made at this moment; here they are spread over a day.
    await owner.query('update instrument_message set received_at = $2 where id = $1', [id, ago(minutes)])
    await owner.query('update instrument_result set received_at = $2 where message_id = $1', [id, ago(minutes)])
  }
  await queue.stop()
  await staff(decideSome)
}

const addInstruments = async (
  call: WriteCall,
  tosoh: { id: number; labId: number },
  lots: readonly { id: number }[],
): Promise<number> => {
  await updateInstrument(call, tosoh.id, { port: 4001 }, null)
  await saveCodes(call, tosoh.id, [{ instrumentCode: 'HbA1c', testCode: 'A1C', units: '%', decimals: 1 }])
  const controls = lots.map(({ id }, index) => ({ specimenId: `QC-L${index + 1}`, lotId: id }))
  await saveControls(call, tosoh.id, controls)
  const { id: cobasId } = await createInstrument(call, {
    name: 'Cobas c503',
    labId: tosoh.labId,
    model: 'cobas pro c 503',
    serialNumber: '2154-07',
    protocol: 'HL7',
    host: null,
    port: 4002,
    isActive: 1,
  })
  const codes = chemistry.map(({ code }) => ({ instrumentCode: code, testCode: code, units: 'mg/dL', decimals: 0 }))
  await saveCodes(call, cobasId, codes)
  const { id: materialId } = await createMaterial(call, { name: 'PreciControl ClinChem', maker: 'Roche' })
  const [opened, expires] = [ago(20 * 1440), ago(-200 * 1440)].map((at) => at.toISOString().slice(0, 10))
  const lot = { materialId, level: 1, lotNumber: '61204', opened: opened as string, expires: expires as string }
  const { id: lotId } = await createLot(call, { ...lot, isParallel: 0 })
  await saveControls(call, cobasId, [{ specimenId: 'PCCC-1', lotId }])
  const everywhere = {
    labId: null,
    colaId: null,
    deltaLimit: null,
    deltaKind: null,
    deltaDays: null,
    maxSpecimenHours: null,
  }
  const rules = [
    { ...everywhere, testCode: 'A1C', instrumentId: tosoh.id, low: '4', high: '9' },
    ...chemistry.map(({ code, low, high }) => ({ ...everywhere, testCode: code, instrumentId: cobasId, low, high })),
  ]
  for (const { code, mean } of chemistry) {
    const validFrom = ago(20 * 1440).toISOString()
    const of = { testCode: code, instrumentId: cobasId }
    const limits = { mean: String(mean), sd: String(mean / 40), source: 'MAKER' as const }
    await createTarget(call, { lotId, ...of, ...limits, validFrom, validTo: null })
    const plan = { everyHours: 24, everyResults: null, allowedErrorPct: '10' }
    await savePlan(call, { ...of, ...plan, rules: [{ rule: '1-3s', action: 'REJECT' }] }, null)
  }
  for (const rule of rules) {
    const { id } = await createRule(call, rule)
    await switchRule(call, id, { isActive: 1, reason: 'Validated on 120 results of the last quarter' })
  }
  return cobasId
}

/** Open tests of requisitions in Processing: neither the newest nor the oldest, which people look at first. */
const listOrders = async (owner: Pool): Promise<Order[]> => {
  const { rows } = await owner.query<Order>(
    `select r.id::int as specimen, t.code, (select e.result from requisition q join requisition_test e on e.requisition_id = q.id and e.test_id = rt.test_id
         where q.patient_id = r.patient_id and q.id <> r.id and e.result_num is not null and q.deleted_at is null order by e.process_date desc limit 1) as earlier
     from requisition r join requisition_test rt on rt.requisition_id = r.id and rt.deleted_at is null and rt.result is null
       join test t on t.id = rt.test_id and t.code in ('A1C', 'CHOL', 'HDL', 'TRIG')
     where r.id in (select id from requisition where status_code = 'PROCESS' and deleted_at is null order by id offset 40 limit 40)
     order by r.id, t.code`,
  )
  return rows
}

const messagesOf = (tosohId: number, cobasId: number, orders: readonly Order[]): Sent[] => {
  const a1c = orders.filter(({ code }) => code === 'A1C').slice(0, 14)
  const lipids = orders.filter(({ code }) => code !== 'A1C').slice(0, 18)
  const tosoh = (minutes: number, results: readonly SentResult[]): Sent => {
    const measured = results.map((result) => ({
      units: '%',
      operator: 'm.reyes',
      ...result,
      at: sentTime(minutes + 2),
    }))
    const raw = resultRecords(measured, sentTime(0))
      .map((record) => `${record}\r`)
      .join('')
    return { instrumentId: tosohId, minutes, protocol: 'ASTM', raw }
  }
  const cobas = (minutes: number, results: readonly SentResult[]): Sent => ({
    instrumentId: cobasId,
    minutes,
    protocol: 'HL7',
    raw: hl7Of(minutes, results),
  })
  const [first, second] = [a1c.slice(0, 9), a1c.slice(9)]
  const of = (order: Order | undefined, value: string, more: Partial<SentResult> = {}): SentResult[] =>
    order ? [{ specimen: order.specimen, code: order.code === 'A1C' ? 'HbA1c' : order.code, value, ...more }] : []
  const near = ({ earlier, code }: Order) => {
    const usual = Number(earlier ?? chemistry.find((test) => test.code === code)?.mean ?? 5.4)
    return code === 'A1C' ? (usual + 0.1).toFixed(1) : String(Math.round(usual * 1.03))
  }
  const normal = (list: readonly Order[]) => list.flatMap((order) => of(order, near(order)))
  const chem = (more: number) =>
    chemistry.map(({ code, mean }) => ({ specimen: 'PCCC-1', code, value: String(mean + more), isControl: true }))
  const [odd, faulty, high, empty, rerun] = second
  const tail = lipids.slice(-4)
  return [
    cobas(540, chem(1)),
    tosoh(
      530,
      ['5.30', '7.65', '10.50'].map((value, index) => ({ specimen: `QC-L${index + 1}`, code: 'HbA1c', value })),
    ),
    tosoh(500, normal(first)),
    cobas(455, normal(lipids.slice(0, 8))),
    cobas(340, normal(lipids.slice(8, -4))),
    { ...tosoh(265, normal(first.slice(0, 1))), isCutOff: true },
    tosoh(210, [
      ...of(odd, odd ? (Number(odd.earlier ?? 5.5) + 3.4).toFixed(1) : '', { abnormal: 'H' }),
      ...of(faulty, '6.1', { comments: ['Hb variant'], abnormal: 'A' }),
      ...of(high, '>16.0', { abnormal: 'H' }),
      ...of(empty, '-----'),
      ...of(rerun, '3.2', { abnormal: 'L' }),
    ]),
    cobas(115, [
      ...of(tail[0], '612', { abnormal: 'H' }),
      ...of(tail[1], '188', { abnormal: 'A' }),
      ...of(tail[2], '71'),
      ...of(tail[3], '402', { abnormal: 'H' }),
      { specimen: '88120417X', code: 'CHOL', value: '204' },
      ...of(tail[3], '92').map((result) => ({ ...result, code: 'GLUC3' })),
    ]),
    cobas(45, of(tail[2], '79')),
  ]
}

const hl7Of = (minutes: number, results: readonly SentResult[]): string =>
  [
    `MSH|^~\\&|COBAS|BENCH|LIS|LAB|${sentTime(0)}||OUL^R22|${randomUUID()}|P|2.5.1`,
    ...results.flatMap(({ specimen, code, value, abnormal = '', isControl }) => [
      `SPM|1|${specimen}|||||||||${isControl ? 'Q' : 'P'}`,
      `OBR|1|${specimen}||${code}`,
      `OBX|1|NM|${code}||${value}|mg/dL||${abnormal}|||F|||||t.ngata|||${sentTime(minutes + 2)}`,
    ]),
  ].join('\r')

/** Of the waiting results of each instrument, one is rerun, one accepted and one rejected; where a test has two results, one is chosen. */
const decideSome = async (call: WriteCall) => {
  const { rows } = await sql<{ id: number; version: number; value: string; code: string; test: number | null }>`
    select id::int, version, value, instrument_code as code, requisition_test_id::int as test from instrument_result where state = 'REVIEW' order by id`.execute(
    call.db,
  )
  const item = (row: { id: number; version: number } | undefined) => (row ? [{ id: row.id, version: row.version }] : [])
  const decide = async (
    how: typeof acceptResults,
    row: { id: number; version: number } | undefined,
    reason: string | null,
  ) => {
    if (row) await how(call, { items: item(row), reason, dryRun: false })
  }
  const twice = rows.filter((row) => rows.some((other) => other.test === row.test && other.id !== row.id))
  const once = rows.filter((row) => !twice.includes(row))
  await decide(
    rerunResults,
    once.find(({ value }) => value === '3.2'),
    'Short sample',
  )
  await decide(
    rerunResults,
    once.find(({ value }) => value === '402'),
    'Air bubble in the reagent',
  )
  await decide(
    rejectResults,
    once.find(({ value }) => value === '188'),
    'Lipemic, to be diluted',
  )
  await decide(
    acceptResults,
    once.find(({ value }) => value === '612'),
    null,
  )
  await decide(acceptResults, twice.at(-1), 'The first was measured from the bottom of the tube')
}
