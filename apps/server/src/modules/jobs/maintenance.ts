import { sql } from 'kysely'
import { auditFolder, removeOldTails } from '../../platform/audit/external-record.ts'
import { auditKey } from '../../platform/audit/key.ts'
import { sealAudit } from '../../platform/audit/seal.ts'
import { AuditTail } from '../../platform/audit/tail.ts'
import { closeOverdueViews } from '../../platform/auth/sessions.ts'
import type { Db } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { cleanSignIns } from '../../platform/identity/pool/clean-sign-ins.ts'
import { failLostJobs, removeOldJobs } from '../../platform/jobs/job-rows.ts'
import { type Loop, repeat } from '../../platform/jobs/loop.ts'
import {
  type DeliveryServices,
  type MessageOwner,
  type OutboxQueue,
  outboxQueues,
  startSending,
} from '../../platform/messaging/deliver.ts'
import type { Transports } from '../../platform/messaging/message.ts'
import { encryptPlainMessages } from '../../platform/messaging/outbox.ts'
import type { Services } from '../../platform/services.ts'
import type { DiskStore } from '../../platform/storage/disk-store.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { cleanUploads } from '../../platform/storage/slots.ts'
import { isPendingUpload } from '../batch-files/queries.ts'
import { fillTurnaroundDays } from '../home/turnaround-days.ts'
import { removeOldRaw } from '../interfaces/message-store.ts'
import { recordViewEnd } from '../session/service.ts'

export interface MaintenanceDeps {
  services: Pick<Services, 'config' | 'pool' | 'databases' | 'log'>
  store: ObjectStore
  disk: DiskStore | null
  transports: Transports
  owner?: MessageOwner
}

const second = 1000
const minute = 60 * second

/** Periodic work in every process; each round takes only what no other process has taken. */
export const startMaintenance = ({ services, store, disk, transports, owner }: MaintenanceDeps): Loop => {
  const { pool, log, config } = services
  const db = services.databases(systemScope)
  const delivery: DeliveryServices = { db, store, transports, demo: config.demo, config, ...(owner && { owner }) }
  const audit = { pool, key: auditKey(config.secret), folder: auditFolder(config.dataDir), log }
  const tail = new AuditTail(audit)
  const seal = async () => {
    await sealAudit(audit)
    await removeOldTails(audit.folder)
  }
  const loops = [
    ...(Object.keys(outboxQueues) as OutboxQueue[]).map((queue) => startSending({ ...delivery, queue }, log)),
    repeat('counts', 2 * second, () => foldCounts(pool), log),
    repeat('usual times', 6 * 60 * minute, () => pool.query('select stage_usual_measure()'), log),
    repeat('turnaround days', 10 * minute, () => fillTurnaroundDays(db), log),
    ...fillFunctions.map((name) => repeat(name, 60 * minute, () => fillRows(pool, name), log)),
    repeat('money', minute, () => foldMoney(pool), log),
    repeat('lost jobs', 30 * second, () => failLostJobs(db), log),
    repeat('cleaning', 10 * minute, () => removeExpired(db, store, disk), log),
    repeat('parts', 60 * minute, () => pool.query('select make_parts_ahead()'), log),
    repeat('ended views', minute, () => endOverdueViews(db), log),
    repeat('raw messages', 10 * minute, () => removeOldRaw(db, config.INTERFACE_RAW_DAYS), log),
    repeat('plain messages', 60 * minute, () => encryptPlainMessages(db, services), log),
    repeat('audit seal', 10 * minute, seal, log),
    repeat('audit tail', second, () => tail.round(), log),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      // Copies the last rows; ignored when the database is gone.
      await tail.round().catch((error) => log.warn({ err: error }, 'audit tail'))
    },
  }
}

/** Most rounds find nothing and only read two empty tables. */
export const foldCounts = (pool: Services['pool']) =>
  pool.query(
    'select requisition_count_fold() where exists (select from requisition_count_delta) or exists (select from requisition_tests_count_delta)',
  )
/** What gives rows from before a migration its new columns. `flag_order` also follows the order of the flags. */
const fillFunctions = ['flag_order_fill', 'corrected_at_fill', 'superseded_fill'] as const
/** A few at a time; true while there are more. */
export const fillRows = async (pool: Services['pool'], name: (typeof fillFunctions)[number]) => {
  const { rows } = await pool.query<{ filled: number }>(`select ${name}() as filled`)
  return (rows[0]?.filled ?? 0) > 0
}
const foldMoney = (pool: Services['pool']) =>
  pool.query('select money_fold() where exists (select from money_by_day_delta)')

export const removeExpired = async (db: Db, store: ObjectStore, disk: DiskStore | null) => {
  while ((await cleanUploads(db, store, { isAwaited: isPendingUpload })) > 0);
  await disk?.sweep(24 * 60 * minute)
  await removeOldJobs(db)
  await db.deleteFrom('idempotency_key').where('created_at', '<', ago('2 days')).execute()
  await db.deleteFrom('rate_limit').where('window_start', '<', ago('1 hour')).execute()
  await cleanSignIns(db)
}

/** Ends views that were not ended by their user. */
export const endOverdueViews = (db: Db) =>
  db.transaction().execute(async (trx) => {
    for (const { user_id, user_name, viewer_id, viewer_name } of await closeOverdueViews(trx))
      await recordViewEnd(
        trx,
        { userId: user_id, name: user_name, viewer: { userId: viewer_id, name: viewer_name, role: 'ADM' } },
        null,
      )
  })

const ago = (span: string) => sql<string>`now() - ${span}::interval`
