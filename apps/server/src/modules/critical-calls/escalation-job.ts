import { criticalTopic } from '@lis/contract/critical-calls.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { publish } from '../../platform/events/publish.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import type { Services } from '../../platform/services.ts'

const by = { userId: null, name: 'Critical calls' }

/** Every minute: notifies the department of a call that nobody has taken, and management of a late one. */
export const escalateCallsJob = defineJob({
  kind: 'critical-calls.escalate',
  schedule: async () => ({ cron: '* * * * *', zone: 'UTC' }),
  run: ({ services }) => escalateCalls(services),
})

interface Escalated {
  id: number
  requisitionId: number
  escalation: 1 | 2
}

/** A call has to be taken within half of the time. Each level is notified once. */
export const escalateCalls = ({ databases, config }: Pick<Services, 'databases' | 'config'>) =>
  databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      const { rows } = await sql<Escalated>`
        update critical_call c set escalation = n.level, version = c.version + 1
        from (select id, case when due_at <= now() then 2 else 1 end as level from critical_call
          where state in ('OPEN', 'TAKEN') and (due_at <= now() or (state = 'OPEN' and raised_at + (due_at - raised_at) / 2 <= now()))
          order by id for update skip locked) n
        where c.id = n.id and c.escalation < n.level returning c.id, c.requisition_id as "requisitionId", c.escalation`.execute(
        trx,
      )
      for (const { id, requisitionId, escalation } of rows) {
        await recordAudit(trx, by, null, {
          entity: 'requisition',
          entityId: requisitionId,
          requisitionId,
          action: 'CRITICAL',
          new: {
            'Critical call':
              escalation === 2 ? 'Late: management is notified' : 'Not taken: the department is notified',
          },
        })
        for (const to of await findReceivers(trx, escalation)) {
          await queueMessage(trx, {
            channel: 'EMAIL',
            to,
            subject: escalation === 2 ? 'A critical call is late' : 'Nobody has taken a critical call',
            body: `A critical result of requisition #${requisitionId} has not been called.\n\n${config.publicUrl}/critical-calls/${id}`,
          })
        }
      }
      if (rows.length > 0) await publish(trx, { topic: criticalTopic, data: { escalated: rows.length } })
      return { escalated: rows.length }
    })

/** Without patient data in the message, so that it may go to any mailbox. */
const findReceivers = async (trx: Trx, escalation: 1 | 2): Promise<string[]> => {
  const isReceiver =
    escalation === 2
      ? sql`u.role_code = 'MGMT'`
      : sql`u.role_code in ('ADM', 'MGMT', 'STF') and exists (select from app_user_department d join department x on x.id = d.department_id
          where d.user_id = u.id and x.code = 'LAB')`
  const { rows } = await sql<{ email: string }>`
    select distinct u.email::text as email from app_user u where u.deleted_at is null and u.status_code = 'ACT' and not u.is_api_client and ${isReceiver} order by 1`.execute(
    trx,
  )
  return rows.map(({ email }) => email)
}
