import { type QcAction, qcTopic } from '@lis/contract/quality-control.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError, conflict, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Origin } from '../../platform/identity/origin.ts'
import { requirePassword } from '../../platform/identity/signature-components.ts'
import { endLockedSigner, requireOwnSession } from '../../platform/identity/signer-session.ts'
import type { Services } from '../../platform/services.ts'
import { lockControl } from './control.ts'
import { listActions } from './queries.ts'

/** Checked outside of any transaction: a refusal must not roll back the count of wrong attempts. */
export const requireOwnPassword = async (services: Services, actor: Actor, origin: Origin, password: string) => {
  requireOwnSession(actor)
  const { databases, identity, config } = services
  const context = { db: databases(systemScope), secret: config.secret, identity }
  try {
    await requirePassword(context, { userName: actor.userName, origin }, password)
  } catch (error) {
    if (error instanceof AppError && error.code === 'locked')
      await endLockedSigner(services, actor, { what: 'a corrective action' })
    throw error
  }
}

/** The last step of a corrective action: the test is in control again, and the patient results were reviewed. */
export const signAction = async (call: WriteCall, id: number): Promise<QcAction> => {
  const { db, actor, requestId } = call
  const found = await db
    .selectFrom('qc_action')
    .select(['instrument_id as instrumentId', 'test_id as testId'])
    .where('id', '=', bigint(id))
    .executeTakeFirst()
  if (!found) throw notFound('Corrective action')
  const { state } = await lockControl(db, found)
  const { rows } = await sql<{ code: string; signedBy: string | null; isTested: boolean; open: number }>`
    select t.code, a.signed_by_name as "signedBy",
      exists (select from qc_run q where q.instrument_id = a.instrument_id and q.test_id = a.test_id and not q.is_void
        and q.ran_at > a.done_at and q.state in ('IN', 'WARNING')) as "isTested",
      (select count(*)::int from qc_lookback l join qc_run q on q.id = l.qc_run_id
        where l.state = 'OPEN' and q.instrument_id = a.instrument_id and q.test_id = a.test_id) as open
    from qc_action a join test t on t.id = a.test_id where a.id = ${id}::bigint`.execute(db)
  const { code, signedBy, isTested, open } = rows[0] as (typeof rows)[number]
  if (signedBy !== null) throw conflict(`${signedBy} has signed this action already`)
  if (state === 'OUT' || !isTested) throw conflict('The controls have to be run again, and be in, before it is signed')
  if (open > 0)
    throw conflict(
      `${open === 1 ? '1 result is' : `${open} results are`} still to be looked at again before it is signed`,
    )
  await sql`update qc_action set signed_at = now(), signed_by = ${actor.userId}, signed_by_name = ${actor.name} where id = ${id}::bigint`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, {
    entity: 'qc_action',
    entityId: id,
    action: 'SIGN',
    new: { signedBy: actor.name },
  })
  await publish(db, { topic: qcTopic, data: { action: 1 } })
  const actions = await listActions(db, { instrumentId: found.instrumentId, testCode: code })
  return actions.find((one) => one.id === id) as QcAction
}
