import { recordAudit } from '../../platform/audit/record.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Services } from '../../platform/services.ts'
import { claimDue, endSchedule, findSchedule, listDue, postpone } from './queries.ts'
import { mailOwner, readSending, storeSending } from './send.ts'

const by = { userId: null, name: 'Schedules' }

/** Every minute. */
export const sendSchedulesJob = defineJob({
  kind: 'schedules.send',
  schedule: async () => ({ cron: '* * * * *', zone: 'UTC' }),
  maxSeconds: 1800,
  run: ({ services }) => sendDue(services),
})

/** Sends what is due, each once; a failed one is retried later and does not affect the others. */
export const sendDue = async (services: Services) => {
  const db = services.databases(systemScope)
  let sent = 0
  for (const due of await listDue(db)) {
    try {
      sent += await sendOne(services, due)
    } catch (error) {
      services.log.error({ err: error, schedule: due.id }, 'schedule')
      await postpone(db, due.id)
    }
  }
  return { sent }
}

const sendOne = async (services: Services, { id, ownerId, nextAt }: Awaited<ReturnType<typeof listDue>>[number]) => {
  const db = services.databases(systemScope)
  const schedule = await findSchedule(db, ownerId, id)
  if (!schedule) return 0
  const read = await readSending(services, ownerId, schedule)
  return db.transaction().execute(async (trx) => {
    if (!(await claimDue(trx, id, nextAt))) return 0
    if (read) return (await storeSending({ trx, services, by, requestId: null }, ownerId, schedule, read)).sent
    await endSchedule(trx, id)
    await recordAudit(trx, by, null, {
      entity: 'schedule',
      entityId: id,
      action: 'END',
      new: { Reason: 'The owner may not see it any more' },
    })
    await mailOwner(
      trx,
      ownerId,
      'A schedule has ended',
      `'${schedule.reportDesc ?? `Smart view ${schedule.smartFilterId}`}' is no longer sent: you may not see it any more.`,
    )
    return 0
  })
}
