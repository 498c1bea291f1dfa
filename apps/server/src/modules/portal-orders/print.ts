import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { DateTime } from 'luxon'
import { recordAudit } from '../../platform/audit/record.ts'
import { notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { findLabelSources } from '../labels/queries.ts'
import type { PrintedRequisition } from './requisition-pdf.ts'
import { requireOrdering } from './service.ts'

/** The requisition on paper, recorded in its history. */
export const printRequisition = async (call: WriteCall, services: Services, id: number) => {
  const { db, actor, requestId } = call
  await requireOrdering(db, actor)
  const [label] = await findLabelSources(db, actor, [id])
  if (!label) throw notFound('Requisition')
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: 'LABEL',
    new: { labels: 'Requisition with labels', output: 'PDF' },
  })
  const { requisitionAsPdf } = await import('./requisition-pdf.ts')
  const bytes = await requisitionAsPdf({ label, ...(await readFacts(call, id, label)) })
  const key = `exports/${randomUUID()}.pdf`
  await registerTemporaryObject(db, { key, sessionId: actor.sessionId, purpose: 'requisition', seconds: 3600 })
  const contentType = 'application/pdf'
  const { sha256 } = await services.store.put(key, Readable.from([bytes]), contentType)
  services.accessLog.note(requestId, { reqIds: [id] })
  const url = await services.store.downloadUrl(key, {
    sha256,
    fileName: `requisition-${id}.pdf`,
    contentType,
    inline: true,
    expiresSeconds: downloadSeconds,
  })
  return { url }
}

type Facts = Omit<PrintedRequisition, 'label'>

const readFacts = async (
  { db }: WriteCall,
  id: number,
  { collectedAt, collectedZone, isToCollect }: PrintedRequisition['label'],
): Promise<Facts> => {
  const { rows } = await sql<Omit<Facts, 'collected'>>`
    select c.name as "clientName", concat_ws(', ', c.addr1, c.addr2, c.city, s.code || ' ' || c.zip) as "clientAddress",
      concat_ws(' ', ph.first_name, ph.last_name, ph.title) as "physName", lab.name as "labName",
      coalesce((select description from lov where type_code = 'GENDER' and code = p.gender_code), p.gender_code) as "patientGender",
      array(select distinct on (coalesce(pa.code, t.code)) coalesce(pa.code || ' ' || pa.description, t.code || ' ' || t.description) from requisition_test x
        join test t on t.id = x.test_id left join panel pa on pa.id = x.panel_id
        where x.requisition_id = r.id and x.deleted_at is null and not x.is_retest order by coalesce(pa.code, t.code)) as tests,
      array(select i.code || ' ' || i.description from requisition_icd x join icd i on i.id = x.icd_id where x.requisition_id = r.id order by i.code) as icds,
      array(select concat_ws(' ', i.company_name, i.policy_no) from billing b join insurance i on i.billing_id = b.id
        where b.requisition_id = r.id and i.deleted_at is null order by i.billing_order) as insurances
    from requisition r join client c on c.id = r.client_id left join state s on s.id = c.state_id join physician ph on ph.id = r.physician_id
      join lab on lab.id = r.lab_id join requisition_patient p on p.requisition_id = r.id
    where r.id = ${id}`.execute(db)
  const collected = isToCollect
    ? null
    : DateTime.fromISO(new Date(collectedAt).toISOString(), { zone: collectedZone }).toFormat('MM/dd/yyyy HH:mm ZZZZ')
  return { ...(rows[0] as Omit<Facts, 'collected'>), collected }
}
