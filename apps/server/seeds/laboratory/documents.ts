import { isoInstant } from './clock.ts'
import type { Draft, RequisitionContext } from './draft.ts'
import { renderScan } from './report-pdf.ts'

const titles = {
  SCANREQ: 'Laboratory requisition (scan)',
  INSCARD: 'Insurance card (scan)',
  ADDON: 'Add-on request (scan)',
  SCANEOB: 'Explanation of benefits (scan)',
  SCANINV: 'Invoice (scan)',
  CHECK: 'Check received (scan)',
} as const

type ScanType = keyof typeof titles

/** Paper that arrived with the order, or later with the payment. */
export const addDocuments = (context: RequisitionContext, draft: Draft) => {
  if (!context.isDetailed) return
  const { random, status, billType, loggedAt, timeline } = draft
  const scans: [ScanType, number][] = []
  if (random.chance(0.08)) scans.push(['SCANREQ', loggedAt])
  if (billType === 'INSURANCE' && random.chance(0.05)) scans.push(['INSCARD', loggedAt])
  if (random.chance(0.01)) scans.push(['ADDON', timeline.last])
  if ((status === 'EOB' || status === 'INSPAYRECD') && random.chance(0.2)) scans.push(['SCANEOB', timeline.last])
  if ((status === 'INVOICE' || status === 'XEROBILL') && random.chance(0.2)) scans.push(['SCANINV', timeline.last])
  if (status === 'PATPAYRECD' && random.chance(0.2)) scans.push(['CHECK', timeline.last])
  for (const [type, at] of scans) addScan(context, draft, type, at)
}

const addScan = (context: RequisitionContext, draft: Draft, type: ScanType, at: number) => {
  const { id, patient, client } = draft
  const author = context.world.users.of(context.catalogue.departmentId('ACC'), draft.random)
  const lines = [
    `Requisition #${id}`,
    `Patient: ${patient.name.last}, ${patient.name.first}, born ${patient.dob}`,
    `Client: ${client.name}`,
    `Ordered: ${draft.order.tests.map(({ test }) => test.testCode).join(', ')}`,
    'Demonstration data. Every person in it is invented.',
  ]
  const fileId = context.files.add({
    key: `demo/documents/${id}/${type.toLowerCase()}.pdf`,
    name: `${id}_${type.toLowerCase()}.pdf`,
    createdBy: author,
    createdAt: at,
    render: () => renderScan(titles[type], lines, at),
  })
  context.rows.add('document', {
    id: context.ids.next('document'),
    requisition_id: id,
    type_code: type,
    file_id: fileId,
    created_by: author,
    created_at: isoInstant(at),
  })
}
