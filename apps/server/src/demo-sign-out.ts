import { randomUUID } from 'node:crypto'
import { readBackCriticalCall } from './demo-controls.ts'
import { registerHandlers } from './modules/domain-event-handlers.ts'
import { openModification } from './modules/lab-tests/ordering.ts'
import { saveResults } from './modules/lab-tests/service.ts'
import { addSigner } from './modules/labs/service.ts'
import { correctFromResults } from './modules/reports/corrections.ts'
import { makeReport } from './modules/reports/make.ts'
import { setLabQc } from './modules/reports/service.ts'
import type { Tools } from './modules/reports/store-report.ts'
import type { Actor } from './platform/auth/actor.ts'
import { requireRequester } from './platform/auth/requester.ts'
import type { Pool } from './platform/db/pool.ts'
import { scopedDatabases } from './platform/db/scope.ts'
import { announce } from './platform/domain-events.ts'
import type { WriteCall } from './platform/http/implement.ts'

const labCode = 'GLL'
const resulted = 12

/**
 * Reports of the second laboratory that wait for a signature: normal and abnormal ones, one with a critical value that was called, and one that was
 * corrected; and the people who may sign them. Made by the same services as those that people use.
 */
export const loadDemoSignOut = async (owner: Pool, tools: Tools) => {
  registerHandlers()
  const databases = scopedDatabases(owner)
  const actorNamed = async (name: string) => {
    const { rows } = await owner.query<{ id: number }>('select id from app_user where user_name = $1', [name])
    return requireRequester({ system: owner }, rows[0]?.id ?? null, 'reports.edit')
  }
  const write = <T>(actor: Actor, work: (call: WriteCall) => Promise<T>): Promise<T> =>
    databases(actor.scope)
      .transaction()
      .execute((db) => work({ db, actor, requestId: randomUUID() }))
  const [admin, management, staff] = [
    await actorNamed('admin'),
    await actorNamed('management'),
    await actorNamed('staff'),
  ]
  const { rows: labs } = await owner.query<{ id: number }>('select id from lab where lab_code = $1', [labCode])
  const labId = labs[0]?.id
  if (labId === undefined) return
  await write(admin, (call) => grant(call, labId, management.userId, 'MD, FCAP'))
  await write(management, (call) => grant(call, labId, staff.userId, 'MT (ASCP)'))
  for (const id of await withoutReport(owner, labId)) await write(staff, (call) => makeReport(call, tools, id))
  const [critical, corrected] = await inProcessing(owner, labId)
  if (critical !== undefined) await write(staff, (call) => reportCritical(call, tools, critical))
  if (corrected !== undefined) {
    const reportId = await write(staff, (call) => reportAndRelease(call, tools, corrected))
    await write(staff, (call) => correct(call, tools, corrected, reportId))
  }
}

const grant = (call: WriteCall, labId: number, userId: number, qualifications: string) =>
  addSigner(call, labId, {
    userId,
    deptIds: [],
    qualifications,
    identityCheckedBy: 'Human resources, passport seen',
    validFrom: '2026-01-01',
    validTo: null,
  })

const withoutReport = async (owner: Pool, labId: number): Promise<number[]> => {
  const { rows } = await owner.query<{ id: number }>(
    `select r.id from requisition r where r.lab_id = $1 and r.status_code = 'RESULT' and r.deleted_at is null
       and not exists (select from report p where p.requisition_id = r.id)
       and exists (select from requisition_test t where t.requisition_id = r.id and t.deleted_at is null and t.result is not null)
     order by r.id limit $2`,
    [labId, resulted],
  )
  return rows.map(({ id }) => id)
}

/** Two orders in Processing whose triglycerides and HDL are still open. */
const inProcessing = async (owner: Pool, labId: number): Promise<number[]> => {
  const { rows } = await owner.query<{ id: number }>(
    `select r.id from requisition r join client c on c.id = r.client_id and c.phone is not null
     where r.lab_id = $1 and r.status_code = 'PROCESS' and r.deleted_at is null and 2 = (
       select count(*) from requisition_test rt join test t on t.id = rt.test_id
       where rt.requisition_id = r.id and rt.deleted_at is null and rt.result is null and t.code in ('TRIG', 'HDL'))
     order by r.id limit 2`,
    [labId],
  )
  return rows.map(({ id }) => id)
}

const enter = async (call: WriteCall, requisitionId: number, testCode: string, result: string) => {
  const processDate = new Date(Date.now() - 600_000).toISOString()
  await saveResults(call, [{ requisitionId, testCode, result, processDate, isConfirmed: true }])
  await announce(call, 'resultsChanged', { requisitionIds: [requisitionId] })
}

const reportCritical = async (call: WriteCall, tools: Tools, id: number) => {
  await enter(call, id, 'TRIG', '1105')
  await readBackCriticalCall(call, id, '1105')
  await makeReport(call, tools, id)
}

const reportAndRelease = async (call: WriteCall, tools: Tools, id: number): Promise<number> => {
  await enter(call, id, 'HDL', '31')
  const report = await makeReport(call, tools, id)
  await setLabQc(call, { reqID: id, reportID: report.id }, 'RELEASE', { tools })
  return report.id
}

const correct = async (call: WriteCall, tools: Tools, id: number, reportID: number) => {
  const test = await call.db
    .selectFrom('requisition_test as rt')
    .innerJoin('test as t', 't.id', 'rt.test_id')
    .select('rt.id')
    .where('rt.requisition_id', '=', id)
    .where('t.code', '=', 'HDL')
    .where('rt.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  await openModification(call, id, test.id)
  await enter(call, id, 'HDL', '51')
  await correctFromResults(
    call,
    tools,
    { reqID: id, reportID },
    { reason: 'The tube of another patient was measured', expected: null },
  )
}
