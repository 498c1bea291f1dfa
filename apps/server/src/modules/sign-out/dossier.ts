import { createHash, randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { type ZipEntry, zipOf } from '../../platform/storage/zip.ts'
import { findReportContent } from '../reports/content.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import type { Dossier } from './dossier-pdf.ts'

type Rows = Record<string, unknown>[]
/** The dossier of an order, with all evidence, as one ZIP. */
export const makeDossier = async (write: WriteCall, services: Services, id: number): Promise<{ url: string }> => {
  const { db, actor, requestId } = write
  const { status_code: statusCode } = await requireRequisition(db, actor, id)
  services.accessLog.note(requestId, { reqIds: [id] })
  const dossier = await readDossier(db, id, statusCode)
  // Imported on first use: the PDF library takes 40 MB of memory.
  const { renderDossier } = await import('./dossier-pdf.ts')
  const made = [
    entryOf('dossier.pdf', await renderDossier(dossier, id)),
    entryOf('dossier.json', Buffer.from(JSON.stringify(dossier, null, 2))),
  ]
  const entries = [...made, ...(await listReportFiles(db, id))]
  const files = entries.map(({ path: name, sha256 }) => ({ name, sha256 }))
  const manifest = entryOf('manifest.json', Buffer.from(JSON.stringify({ files }, null, 2)))
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: 'DOWNLOAD',
    new: { callSource: 'dossier', manifestSha256: manifest.sha256 },
  })
  const key = `exports/${randomUUID()}.zip`
  await registerTemporaryObject(db, { key, sessionId: actor.sessionId, purpose: 'download', seconds: 3600 })
  const { sha256 } = await services.store.put(key, zipOf([...entries, manifest], services.store), 'application/zip')
  const fileName = `dossier-${id}.zip`
  return {
    url: await services.store.downloadUrl(key, {
      sha256,
      fileName,
      contentType: 'application/zip',
      expiresSeconds: downloadSeconds,
    }),
  }
}

const entryOf = (path: string, body: Buffer): ZipEntry & { body: Buffer } => ({
  path,
  body,
  sha256: createHash('sha256').update(body).digest('hex'),
})

/** Every version of every report, also of deleted ones, as it is stored. */
const listReportFiles = async (db: Db, id: number): Promise<ZipEntry[]> => {
  const { rows } = await sql<ZipEntry>`
    select 'reports/' || v.report_id || '-v' || v.version_no || '.pdf' as path, f.object_key as key, encode(f.sha256, 'hex') as sha256
    from report p join report_version v on v.report_id = p.id join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id)
    where p.requisition_id = ${id}::bigint order by v.report_id, v.version_no`.execute(db)
  return rows
}

const userName = (column: string) =>
  sql`(select u.first_name || ' ' || u.last_name from app_user u where u.id = ${sql.ref(column)})`

const instrumentName = (column: string) => sql`(select i.name from instrument i where i.id = ${sql.ref(column)})`

/** Instrument result `m` as the instrument has sent it; `runId` is the message that brought it. */
const measurement = (m: string) => {
  const column = (name: string) => sql.ref(`${m}.${name}`)
  return sql`jsonb_build_object('id', ${column('id')}, 'runId', ${column('message_id')}, 'instrument', ${instrumentName(`${m}.instrument_id`)},
    'value', ${column('value')}, 'units', ${column('units')}, 'measuredDate', ${column('measured_at')}, 'receivedDate', ${column('received_at')},
    'clockOffsetSec', ${column('clock_offset_sec')}, 'operator', ${column('operator')}, 'lot', ${column('reagent_lot')}, 'flags', ${column('flags')},
    'state', ${column('state')}, 'reasons', ${column('reasons')}, 'decidedBy', ${column('decided_by_name')}, 'decidedDate', ${column('decided_at')},
    'decisionReason', ${column('decision_reason')}, 'rawRecord', ${column('raw_record')})`
}

/** When instrument result `m` was measured by our clock. */
const measuredTime = (m: string) =>
  sql`${sql.ref(`${m}.measured_at`)} - make_interval(secs => coalesce(${sql.ref(`${m}.clock_offset_sec`)}, 0))`
const currentTime = sql`coalesce(${measuredTime('m')}, rt.process_date)`
const replacedTime = sql`coalesce(${measuredTime('vm')}, v.process_date)`

/** The last control run of test `t` on an instrument before a result was measured, or the first one after it, with its levels. */
const qcRun = (which: 'BEFORE' | 'AFTER', instrumentId: RawBuilder<unknown>, at: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('id', q.id, 'ranDate', q.ran_at, 'runNo', q.run_no, 'state', q.state, 'broken', q.broken,
    'values', (select jsonb_agg(jsonb_build_object('level', w.level, 'lotNumber', l.lot_number, 'value', w.value, 'z', w.z, 'state', w.state) order by w.level)
      from qc_value w join qc_lot l on l.id = w.lot_id where w.run_id = q.id))
  from qc_run q where q.instrument_id = ${instrumentId} and q.test_id = t.id and not q.is_void and q.control_state is not null
    and ${which === 'BEFORE' ? sql`q.ran_at <= ${at} order by q.ran_at desc, q.id desc` : sql`q.ran_at > ${at} order by q.ran_at, q.id`} limit 1)`

const parts = (id: number): Record<string, RawBuilder<Record<string, unknown>>> => ({
  specimens: sql`
    select s.id, s.type_code as "typeCode", s.container_code as "containerCode", s.temperature_code as "temperatureCode", s.tube_count as "tubeCount",
      s.received_at as "receivedDate", ${userName('s.created_by')} as "enteredBy", s.deleted_at as "deletedDate",
      coalesce((select jsonb_agg(jsonb_build_object('date', a.at, 'by', a.actor_name, 'action', a.action, 'reason', a.reason, 'old', a.old_data, 'new', a.new_data) order by a.id)
        from audit_entry a where a.requisition_id = ${id}::bigint and a.entity = 'specimen' and a.entity_id = s.id), '[]') as custody,
      coalesce((select jsonb_agg(jsonb_build_object('slotId', l.slot_id, 'aliquot', l.aliquot, 'placedDate', l.placed_at, 'placedBy', ${userName('l.placed_by')},
        'discardedDate', l.discarded_at, 'discardedBy', ${userName('l.discarded_by')}) order by l.id)
        from specimen_location l where l.requisition_id = s.requisition_id and coalesce(l.specimen_id, s.id) = s.id), '[]') as places
    from specimen s where s.requisition_id = ${id}::bigint order by s.id`,
  results: sql`
    select rt.id, t.code as "testCode", t.description as "testDesc", rt.result, rt.reportable_result as "reportableResult", rt.interpretation, rt.comment,
      rt.process_date as "processDate", rt.resulted_at as "resultedDate", ${userName('rt.resulted_by')} as "resultedBy", rt.is_retest as "isRetest",
      rt.retest_of_id as "retestOfId", rt.deleted_at as "deletedDate", ${instrumentName('rt.instrument_id')} as instrument,
      coalesce(m.reagent_lot, rt.reagent) as lot,
      case when m.id is not null then ${measurement('m')} end as measurement,
      coalesce((select jsonb_agg(${measurement('o')} order by o.id) from instrument_result o where o.requisition_test_id = rt.id), '[]') as measurements,
      ${qcRun('BEFORE', sql`rt.instrument_id`, currentTime)} as qc, ${qcRun('AFTER', sql`rt.instrument_id`, currentTime)} as "qcAfter",
      coalesce((select jsonb_agg(jsonb_build_object('id', b.id, 'qcRunId', b.qc_run_id, 'value', b.value, 'isReleased', b.is_released, 'state', b.state,
        'reason', b.reason, 'createdDate', b.created_at, 'settledDate', b.settled_at, 'settledBy', ${userName('b.settled_by')}) order by b.id)
        from qc_lookback b where b.requisition_test_id = rt.id), '[]') as "lookBacks",
      coalesce((select jsonb_agg(jsonb_build_object('result', v.result, 'reportableResult', v.reportable_result, 'interpretation', v.interpretation,
        'processDate', v.process_date, 'instrument', ${instrumentName('v.instrument_id')}, 'lot', v.reagent, 'measurementId', v.instrument_result_id,
        'qc', ${qcRun('BEFORE', sql`v.instrument_id`, replacedTime)}, 'replacedDate', v.replaced_at, 'replacedBy', ${userName('v.replaced_by')},
        'reason', v.reason) order by v.id)
        from requisition_test_revision v left join instrument_result vm on vm.id = v.instrument_result_id where v.requisition_test_id = rt.id), '[]')
        || jsonb_build_object('result', rt.result, 'reportableResult', rt.reportable_result, 'interpretation', rt.interpretation,
        'processDate', rt.process_date, 'instrument', ${instrumentName('rt.instrument_id')}, 'lot', coalesce(m.reagent_lot, rt.reagent), 'measurementId', m.id,
        'qc', ${qcRun('BEFORE', sql`rt.instrument_id`, currentTime)}, 'replacedDate', null, 'replacedBy', null, 'reason', null) as versions,
      coalesce((select jsonb_agg(jsonb_build_object('date', a.at, 'by', a.actor_name, 'action', a.action, 'reason', a.reason, 'old', a.old_data -> t.code, 'new', a.new_data -> t.code) order by a.id)
        from audit_entry a where a.requisition_id = ${id}::bigint and (a.old_data ? t.code or a.new_data ? t.code)), '[]') as changes
    from requisition_test rt join test t on t.id = rt.test_id left join instrument_result m on m.id = rt.instrument_result_id
    where rt.requisition_id = ${id}::bigint order by t.sort_order, t.code, rt.id`,
  signatures: sql`
    select s.id, s.report_id as "reportId", s.version_no as "versionNo", s.user_id as "userId", s.signer_name as "signerName", s.qualifications,
      s.meaning_code as "meaningCode", s.signed_at as "signedDate", s.signed_zone as "signedTz", encode(s.content_sha256, 'hex') as "contentSha256",
      encode(s.file_sha256, 'hex') as "fileSha256", case when x.signature_id is null then 'VALID' else 'VOID' end as "signatureState",
      x.voided_at as "voidDate", x.reason as "voidReason"
    from report_signature s join report p on p.id = s.report_id left join report_signature_void x on x.signature_id = s.id
    where p.requisition_id = ${id}::bigint order by s.id`,
  deliveries: sql`
    select d.id, d.report_id as "reportId", d.report_version_no as "versionNo", d.transmit_method_code as "transmitMethodCode", d.recipient_kind as "recipientKind",
      d.recipient, d.recipient_name as "recipientName", d.state, d.requested_at as "requestedDate", ${userName('d.requested_by')} as "requestedBy",
      d.sent_at as "sentDate", d.delivered_at as "deliveredDate", d.confirmed_at as "confirmedDate", d.opened_at as "openedDate", d.failure, encode(d.sha256, 'hex') as sha256
    from report_delivery d where d.requisition_id = ${id}::bigint order by d.id`,
  calls: sql`
    select c.id, t.code as "testCode", c.value, c.units, c.is_critical as "isCritical", c.lo, c.hi, c.raised_at as "raisedDate", c.due_at as "dueDate", c.state,
      c.closed_at as "closedDate", c.close_reason as "closeReason",
      coalesce((select jsonb_agg(jsonb_build_object('calledDate', a.called_at, 'calledTo', a.called_to, 'role', a.role, 'phone', a.phone, 'outcome', a.outcome,
        'readBack', a.read_back, 'isReadBackOk', a.is_read_back_ok, 'note', a.note, 'by', a.created_by_name) order by a.id)
        from critical_attempt a where a.call_id = c.id), '[]') as attempts
    from critical_call c join test t on t.id = c.test_id where c.requisition_id = ${id}::bigint order by c.id`,
  corrections: sql`
    select v.report_id as "reportId", v.version_no as "versionNo", v.correction_reason as reason, v.content -> 'changes' as changes,
      v.created_at as "createdDate", ${userName('v.created_by')} as "createdBy"
    from report_version v join report p on p.id = v.report_id where p.requisition_id = ${id}::bigint and v.is_correction order by v.report_id, v.version_no`,
  access: sql`
    select a.id, a.at as "accessDate", a.user_id as "userId", a.user_name as "userName", a.user_role_code as "userRoleCode", a.method, a.route,
      a.request_id as "requestId" from access_log a where a.requisition_ids @> ${[id]}::bigint[] order by a.id`,
  audit: sql`
    select a.id, a.at as date, a.actor_name as "by", a.entity, a.entity_id as "entityId", a.action, a.reason, a.old_data as old, a.new_data as new,
      a.request_id as "requestId", a.chain_no as "chainNo", encode(a.prev_hash, 'hex') as "prevHash", encode(a.hash, 'hex') as hash,
      (select jsonb_build_object('id', s.id, 'fromId', s.from_id, 'toId', s.to_id, 'sealedDate', s.sealed_at, 'prevHash', encode(s.prev_hash, 'hex'),
        'hash', encode(s.hash, 'hex'), 'mac', encode(s.mac, 'hex')) from audit_seal s where a.id between s.from_id and s.to_id limit 1) as seal
    from audit_entry a where a.requisition_id = ${id}::bigint order by a.id`,
})

const readDossier = async (db: Db, id: number, statusCode: string): Promise<Dossier> => {
  const { results: _, pending: __, ...order } = await findReportContent(db, id)
  const read: Record<string, Rows> = {}
  for (const [name, query] of Object.entries(parts(id))) read[name] = (await query.execute(db)).rows
  return { requisition: { id, reqStatusCode: statusCode, ...order }, ...read }
}
