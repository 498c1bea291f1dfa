import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { verifyLists } from '../apps/server/src/modules/requisition-list/verify-lists.ts'
import { auditFolder } from '../apps/server/src/platform/audit/external-record.ts'
import { describeFault, verifyAudit } from '../apps/server/src/platform/audit/verify.ts'
import { openPool } from '../apps/server/src/platform/db/pool.ts'
import type { MailServer } from '../apps/server/test/mail-server.ts'
import { remote } from '../apps/server/test/remote.ts'
import { type Cluster, clusterSecret } from './cluster.ts'
import { type Ledger, rowsPerLoad } from './load.ts'

export interface IdleOptions {
  /** After how long without any progress the remaining work counts as stuck. */
  seconds: number
  /** When the last process died: leases that were taken before are ended at once. */
  diedAt?: Date
}

/** Waits until no job or message is left; returns what is stuck. */
export const waitUntilIdle = async ({ pool }: Cluster, { seconds, diedAt }: IdleOptions): Promise<string[]> => {
  let remaining: string[] = []
  let fewest = Number.POSITIVE_INFINITY
  for (let end = Date.now() + seconds * 1000; Date.now() < end; await wait(250)) {
    if (diedAt) await endLeases(pool, diedAt)
    const { rows } = await pool.query<{ what: string; n: number }>(`
      select kind || ' ' || state as what, count(*) as n from job where state in ('QUEUED', 'RUNNING') group by 1
      union all select 'mail ' || state, count(*) from outbox_message where channel = 'EMAIL' and state <> 'SENT' group by 1
      union all select 'file ' || status_code, count(*) from report_upload_file where status_code = 'INIT' and arrived_at is not null group by 1
      union all select 'message ' || state, count(*) from interface_message where direction = 'IN' and state = 'RECEIVED' group by 1
      union all select 'message of an instrument', count(*) from instrument_message where is_waiting having count(*) > 0
      union all select 'load ' || state, count(*) from csv_load where state not in ('DONE', 'FAILED') group by 1`)
    if (rows.length === 0) return []
    remaining = rows.map(({ what, n }) => `${n} × ${what}`)
    const count = rows.reduce((sum, { n }) => sum + n, 0)
    if (count < fewest) {
      fewest = count
      end = Date.now() + seconds * 1000
    }
  }
  return remaining
}

/**
 * The work of a dead process is free after its lease: half a minute for a job, two minutes for a message. Here the leases that were taken
 * before its death end at once. Later ones stay with their worker, whose heartbeats are 15 seconds apart.
 */
const endLeases = async (pool: Cluster['pool'], diedAt: Date) => {
  await pool.query(
    `update outbox_message set next_attempt_at = now()
      where (state = 'SENDING' and next_attempt_at < $1::timestamptz + interval '120 seconds')
      or (state = 'FAILED' and next_attempt_at < now() + interval '110 seconds')`,
    [diedAt],
  )
  await pool.query(
    "update jobs.job set state = 'retry', start_after = now() where state = 'active' and started_on < $1::timestamptz",
    [diedAt],
  )
  await pool.query("update jobs.job set start_after = now() where state = 'retry' and start_after > now()")
}

/** Each sentence is a fault: a lost write, something done twice, a gap in a chain. */
export const findFaults = async (
  cluster: Cluster,
  ledger: Ledger,
  mail: MailServer,
  url: string,
): Promise<string[]> => {
  const { pool } = cluster
  const count = async (query: string, values: unknown[]): Promise<number> => (await pool.query(query, values)).rows[0].n
  const faults: string[] = []
  const expectOnce = async (what: string, keys: readonly (string | number)[], query: string) => {
    const { rows } = await pool.query<{ key: string; n: number }>(query, [keys])
    const found = new Map(rows.map(({ key, n }) => [String(key), n]))
    for (const key of keys) {
      const n = found.get(String(key)) ?? 0
      if (n !== 1) faults.push(`${what} ${key}: ${n === 0 ? 'lost' : `there ${n} times`}`)
    }
  }
  const move = (to: string) =>
    `select requisition_id as key, count(*) as n from requisition_status_event where to_code = '${to}' and requisition_id = any($1::bigint[]) group by 1`
  await expectOnce(
    'save',
    ledger.saves,
    "select new_data->>'userLastName' as key, count(*) as n from audit_entry where entity = 'app_user' and new_data->>'userLastName' = any($1) group by 1",
  )
  await expectOnce(
    'note',
    ledger.notes,
    'select note as key, count(*) as n from billing_note where note = any($1) group by 1',
  )
  await expectOnce('move', ledger.moved, move('PROCESS'))
  await expectOnce('delivery', ledger.delivered, move('DELIVER'))
  await expectOnce(
    'mail',
    ledger.delivered,
    "select requisition_id as key, count(*) as n from report_delivery where state = 'DELIVERED' and requisition_id = any($1::bigint[]) group by 1",
  )
  await expectOnce('billing run', ledger.readyToBill, move('READYBILL'))
  await expectOnce(
    'batch',
    ledger.batched,
    'select requisition_id as key, count(*) as n from billing_batch_item where requisition_id = any($1::bigint[]) group by 1',
  )
  await expectOnce(
    'upload',
    ledger.uploads.map(({ name }) => name),
    'select f.original_name as key, count(*) as n from document d join stored_file f on f.id = d.file_id where f.original_name = any($1) group by 1',
  )
  await expectOnce(
    'file of a batch',
    ledger.filed.map(({ fileId }) => fileId),
    "select id as key, count(*) as n from report_upload_file where status_code = 'COMPLETE' and id = any($1::bigint[]) group by 1",
  )
  await expectOnce(
    'report of a batch',
    ledger.filed.map(({ reqId }) => reqId),
    'select requisition_id as key, count(*) as n from report where requisition_id = any($1::bigint[]) group by 1',
  )
  const orders = [...ledger.hl7Orders, ...ledger.fhirOrders]
  await expectOnce(
    'order',
    orders,
    'select ext_order_id as key, count(*) as n from requisition where deleted_at is null and ext_order_id = any($1) group by 1',
  )
  await expectOnce(
    'message of an order',
    orders,
    `select r.ext_order_id as key, count(*) as n from interface_message m join requisition r on r.id = m.requisition_id
     where m.direction = 'IN' and m.state = 'ACCEPTED' and r.ext_order_id = any($1) group by 1`,
  )
  await expectOnce(
    'result of an instrument',
    ledger.measured,
    'select value as key, count(*) as n from instrument_result where value = any($1) group by 1',
  )
  for (const { id, prefix } of ledger.loads) {
    const n = await count("select count(*) as n from client where legacy_client_id like $1 || '-%'", [prefix])
    const done = await count("select success_count as n from csv_load where id = $1 and state = 'DONE'", [id]).catch(
      () => -1,
    )
    if (n !== rowsPerLoad || done !== rowsPerLoad)
      faults.push(`load ${id}: ${n} of ${rowsPerLoad} rows, ${done} counted`)
  }
  // The current name is the last one of the history, also if its reply was lost.
  const torn = await count(
    `select count(*) as n from app_user u join lateral (select new_data->>'userLastName' as name from audit_entry e where e.entity = 'app_user' and e.entity_id = u.id
       and e.new_data ? 'userLastName' order by chain_no desc limit 1) a on true where u.last_name <> a.name`,
    [],
  )
  if (torn > 0) faults.push(`${torn} people whose name is not the last one of their history`)
  return [
    ...faults,
    ...(await fileFaults(cluster, ledger)),
    ...mailFaults(ledger, mail),
    ...(await sessionFaults(ledger, url)),
    ...(await auditFaults(cluster)),
    ...(await verifyLists(pool)),
    ...(await pool.query("select kind, message from job where state = 'FAILED'")).rows.map(
      ({ kind, message }) => `job ${kind} failed: ${message}`,
    ),
  ]
}

/** Records that the proof inserts itself have no audit row; every later change must have one. */
const auditFaults = async ({ databaseUrl, folder }: Cluster): Promise<string[]> => {
  // As the owner, who sees every row.
  const owner = openPool(databaseUrl, { max: 1, name: 'proof-audit' })
  try {
    const { faults } = await verifyAudit(owner, { secret: clusterSecret, folder: auditFolder(folder) })
    const { rows } = await owner.query<{ n: number }>(
      `select count(*) as n from audit_state s where not exists (select from audit_entry e where e.tx_at = s.tx_at)
       and exists (select from audit_state b where b.entity = s.entity and b.entity_id = s.entity_id and b.part = s.part and b.id < s.id)`,
    )
    return [
      ...faults.filter(({ kind }) => kind !== 'unaudited').map(describeFault),
      ...(rows[0]?.n ? [`${rows[0].n} changes without an audit row`] : []),
    ]
  } finally {
    await owner.end()
  }
}

const fileFaults = async ({ pool, folder }: Cluster, { uploads }: Ledger): Promise<string[]> => {
  const wanted = new Map(uploads.map(({ name, sha256 }) => [name, sha256]))
  const { rows } = await pool.query<{ name: string; key: string }>(
    'select original_name as name, object_key as key from stored_file where original_name = any($1)',
    [[...wanted.keys()]],
  )
  const faults: string[] = []
  for (const { name, key } of rows) {
    const hash = createHash('sha256')
    try {
      for await (const chunk of createReadStream(join(folder, 'files', key))) hash.update(chunk as Buffer)
    } catch {
      faults.push(`file of ${name}: gone`)
      continue
    }
    if (hash.digest('hex') !== wanted.get(name)) faults.push(`file of ${name}: not what was sent`)
  }
  return faults
}

/** A mail sent just before the crash may arrive twice, but with the same message id, by which mailboxes recognize a repeat. */
const mailFaults = ({ delivered }: Ledger, { received }: MailServer): string[] => {
  const ids = new Set(received.map(({ messageId }) => messageId))
  return ids.size < delivered.length ? [`${delivered.length} reports delivered, ${ids.size} mails came`] : []
}

const sessionFaults = async ({ sessions }: Ledger, url: string): Promise<string[]> => {
  const faults: string[] = []
  for (const { userId, token } of sessions) {
    const { status } = await remote(url, token).call('GET', `users/${userId}`)
    if (status !== 200) faults.push(`a session of user ${userId}: ${status}`)
  }
  return faults
}
