import { randomUUID } from 'node:crypto'
import { Random, streams } from '../seeds/laboratory/random.ts'
import { addAttempt, createLimit } from './modules/critical-calls/service.ts'
import { registerHandlers } from './modules/domain-event-handlers.ts'
import { saveResults } from './modules/lab-tests/service.ts'
import { settleLookbacks } from './modules/quality-control/lookbacks.ts'
import { createAction, createRun } from './modules/quality-control/runs.ts'
import { createLot, createMaterial, createTarget, savePlan } from './modules/quality-control/setup.ts'
import type { Actor } from './platform/auth/actor.ts'
import { requireRequester } from './platform/auth/requester.ts'
import type { Pool } from './platform/db/pool.ts'
import { scopedDatabases } from './platform/db/scope.ts'
import { announce } from './platform/domain-events.ts'
import type { WriteCall } from './platform/http/implement.ts'

const testCode = 'A1C'
const levels = [
  { mean: 5.32, sd: 0.08 },
  { mean: 7.6, sd: 0.11 },
  { mean: 10.45, sd: 0.16 },
] as const
const days = 30
const runsPerDay = 3
const hourMs = 3_600_000

/** What went wrong: by how many SD the levels were off in a run, and the corrective action that ended it. */
interface Incident {
  day: number
  shift: readonly [number, number, number]
  cause: string
  action: string
  reason: string
}

const incidents: readonly Incident[] = [
  {
    day: 18,
    shift: [2.4, 2.6, 0.6],
    cause: 'Calibration drift',
    action: 'Calibrated again with a new calibrator lot',
    reason: 'Repeated after the calibration: all within 0.1 % A1C',
  },
  {
    day: 5,
    shift: [0.3, 3.6, 0.9],
    cause: 'Control vial of level 2 was left open overnight',
    action: 'New vial of the same lot',
    reason: 'The other levels were in control: results confirmed',
  },
]

/** The controls of the last thirty days and the critical calls of the morning, by the same services as those that people enter. */
export const loadDemoControls = async (owner: Pool) => {
  registerHandlers()
  const actorNamed = async (name: string) => {
    const { rows } = await owner.query<{ id: number }>('select id from app_user where user_name = $1', [name])
    return requireRequester({ system: owner }, rows[0]?.id ?? null, 'qc.run')
  }
  const [admin, staff] = [await actorNamed('admin'), await actorNamed('staff')]
  const databases = scopedDatabases(owner)
  const write = <T>(actor: Actor, work: (call: WriteCall) => Promise<T>): Promise<T> =>
    databases(actor.scope)
      .transaction()
      .execute((db) => work({ db, actor, requestId: randomUUID() }))
  const { rows } = await owner.query<{ id: number }>(
    `insert into instrument (name, lab_id, model, serial_number, protocol, created_at)
     select 'Tosoh G11', id, 'HLC-723 G11', '20417', 'ASTM', now() - interval '200 days' from lab where is_default returning id`,
  )
  const instrumentId = rows[0]?.id
  if (instrumentId === undefined) return
  const lots = await write(admin, (call) => addLots(call, instrumentId))
  for (const step of stepsOf(instrumentId, lots)) await write(staff, step)
  await write(admin, addLimits)
  await write(staff, addCalls)
}

const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString()

const addLots = async (call: WriteCall, instrumentId: number): Promise<number[]> => {
  const { id: materialId } = await createMaterial(call, { name: 'Lyphochek Diabetes', maker: 'Bio-Rad' })
  const [opened, expires] = [ago((days + 17) * 24).slice(0, 10), ago(-133 * 24).slice(0, 10)]
  const lots: number[] = []
  for (const [index, { mean, sd }] of levels.entries()) {
    const { id: lotId } = await createLot(call, {
      materialId,
      level: index + 1,
      lotNumber: `8821${index + 1}`,
      opened,
      expires,
      isParallel: 0,
    })
    const validFrom = ago((days + 2) * 24)
    await createTarget(call, {
      lotId,
      testCode,
      instrumentId,
      mean: String(mean),
      sd: String(sd),
      source: 'OWN',
      validFrom,
      validTo: null,
    })
    lots.push(lotId)
  }
  await savePlan(
    call,
    {
      testCode,
      instrumentId,
      rules: [
        { rule: '1-2s', action: 'WARN' },
        { rule: '1-3s', action: 'REJECT' },
        { rule: '2-2s', action: 'REJECT' },
        { rule: 'R-4s', action: 'REJECT' },
        { rule: '4-1s', action: 'WARN' },
        { rule: '10-x', action: 'WARN' },
      ],
      everyHours: 24,
      everyResults: null,
      allowedErrorPct: '6',
    },
    null,
  )
  return lots
}

type Step = (call: WriteCall) => Promise<unknown>

/**
 * Every run in the order of time; after a rejected one the corrective action, the run in control, and what was decided about the patient
 * results.
 */
const stepsOf = (instrumentId: number, lots: readonly number[]): Step[] => {
  const random = new Random(1, streams.control, 1)
  const of = { instrumentId, testCode }
  const run = (hoursAgo: number, shift: readonly number[]): Step => {
    const values = levels.map(({ mean, sd }, index) => {
      // Closer to the mean than random values, so that no run is rejected by accident.
      const z = Math.max(-1.8, Math.min(1.8, random.normal() * 0.8))
      const shifted = shift[index] === undefined ? z : shift[index]
      return { lotId: lots[index] as number, value: (mean + shifted * sd).toFixed(2) }
    })
    return (call) => createRun(call, { ...of, ranAt: ago(hoursAgo), operator: null, runNo: null, values })
  }
  const steps: Step[] = []
  for (let n = days * runsPerDay; n >= 0; n--) {
    const hoursAgo = (n * 24) / runsPerDay + 2
    const incident = incidents.find(({ day }) => day * runsPerDay === n)
    if (!incident) {
      steps.push(run(hoursAgo, []))
      continue
    }
    const { shift, cause, action, reason } = incident
    steps.push(
      run(hoursAgo, shift),
      (call) => createAction(call, { ...of, cause, action, doneAt: ago(hoursAgo - 0.7) }),
      run(hoursAgo - 1, []),
      async (call) => {
        const open = await call.db.selectFrom('qc_lookback').select('id').where('state', '=', 'OPEN').execute()
        if (open.length > 0)
          await settleLookbacks(call, { ids: open.map(({ id }) => id), outcome: 'CONFIRMED', reason })
      },
    )
  }
  return steps
}

const addLimits = async (call: WriteCall) => {
  const limit = { sexCode: null, ageFrom: null, ageTo: null, colaId: null, lo: null, callMinutes: 30 }
  await createLimit(call, { ...limit, testCode: 'TRIG', hi: '1000' })
  await createLimit(call, { ...limit, testCode: 'A1C', hi: '14' })
}

/** Two critical results: one was called and read back, the other waits. */
const addCalls = async (call: WriteCall) => {
  const orders = await call.db
    .selectFrom('requisition_test as rt')
    .innerJoin('requisition as r', 'r.id', 'rt.requisition_id')
    .innerJoin('test as t', 't.id', 'rt.test_id')
    .innerJoin('client as c', 'c.id', 'r.client_id')
    .select('r.id')
    .where('r.status_code', '=', 'PROCESS')
    .where('r.deleted_at', 'is', null)
    .where('t.code', '=', 'TRIG')
    .where('rt.result', 'is', null)
    .where('rt.deleted_at', 'is', null)
    .where('c.phone', 'is not', null)
    .orderBy('r.id', 'desc')
    .limit(2)
    .execute()
  for (const [index, { id }] of orders.entries()) {
    const [result, processDate] = [index === 0 ? '1240' : '1105', ago(0.05)]
    await saveResults(call, [{ requisitionId: id, testCode: 'TRIG', result, processDate, isConfirmed: true }], {
      isPartial: true,
    })
    await announce(call, 'resultsChanged', { requisitionIds: [id] })
    if (index > 0) await readBackCriticalCall(call, id, result)
  }
}

/** Closes the critical call of a requisition, if it has one: the physician reads the value back. */
export const readBackCriticalCall = async (call: WriteCall, requisitionId: number, readBack: string) => {
  const open = await call.db
    .selectFrom('critical_call')
    .select('id')
    .where('requisition_id', '=', requisitionId)
    .executeTakeFirst()
  if (!open) return
  await addAttempt(call, open.id, {
    outcome: 'REACHED',
    calledTo: 'Ada Okonjo, MD',
    role: 'Ordering physician',
    phone: null,
    calledAt: null,
    readBack,
    note: null,
  })
}
