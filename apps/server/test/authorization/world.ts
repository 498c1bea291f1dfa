import type { Role } from '@lis/contract/access/roles.ts'
import { sql } from 'kysely'
import type { Caller, TestApp } from '../app.ts'

export const mark = { own: 'Ownmark', foreign: 'Foreignmark' } as const

/** One of every record that a practice has: every visible text contains the mark, so that a leak is found wherever it is. */
export const makeWorld = async (test: TestApp, word: string, labId: number) => {
  const { given } = test
  const db = test.database.db
  const serial = word === mark.own ? 1 : 2
  const collaborator = await given.collaborator({ name: `${word} Partner`, alias: `${word} Alias` })
  const salesPerson = await given.salesPerson({ last_name: `${word}Seller`, rep_code: `${word}REP` })
  const client = await given.client({
    name: `${word} Practice`,
    legacy_client_id: `${word}L`,
    collaborator_id: collaborator.id,
    is_portal_order: true,
  })
  await given.clientSales(client.id, salesPerson.id)
  const partner = await given.interfacePartner({ client_id: client.id, name: `${word}Partner` })
  await db.insertInto('client_lab').values({ client_id: client.id, lab_id: labId }).execute()
  const physician = await given.physician({ last_name: `${word}Physician` })
  const link = await given.clientPhysician(client.id, physician.id)
  const event = await given.event(client.id, { name: `${word} Event` })
  const patient = await given.patient({ last_name: `${word}Patient`, email: `${word}@example.com` })
  const requisition = await given.requisition({
    client_id: client.id,
    physician_id: physician.id,
    ordering_client_physician_id: link.id,
    event_id: event.id,
    patient_id: patient.id,
    lab_id: labId,
    ext_order_id: `${word}-ORDER`,
    status_code: 'PROCESS',
  })
  const req = requisition.id
  const heldMessage = () =>
    given.store('interface_message', {
      direction: 'IN',
      kind: 'HL7',
      partner_id: partner.id,
      message_type: 'ORM^O01',
      state: 'HELD',
      requisition_id: requisition.id,
      patient_id: patient.id,
      causes: [`UNKNOWN_TEST|${word}`],
    })
  const [message] = [await heldMessage(), await heldMessage()]
  await db.insertInto('patient_history').values({ requisition_id: req, sbp: 120 }).execute()
  const signer = await given.store('lab_signer', {
    lab_id: labId,
    user_id: (await given.user('STF', labId)).id,
    qualifications: 'MD',
    identity_checked_by: `${word} checker`,
    valid_from: '2026-01-01',
    granted_by: (await given.user('ADM')).id,
  })
  const file = async (name: string) => {
    const key = `authz/${word}/${name}`
    const bytes = Buffer.from(`%PDF-1.7\n${word} ${name}`)
    const sha256 = Buffer.from((await test.services.store.put(key, bytes, 'application/pdf')).sha256, 'hex')
    const content = { content_type: 'application/pdf', byte_size: bytes.length, sha256 }
    return (await given.store('stored_file', { object_key: key, original_name: `${word}-${name}`, ...content })).id
  }
  const document = await given.store('document', {
    requisition_id: req,
    type_code: 'SCANREQ',
    file_id: await file('scan.pdf'),
  })
  const clientDocument = await given.store('client_document', {
    client_id: client.id,
    file_id: await file('contract.pdf'),
  })
  const test1 = await given.orderedTest(req, 'CHOL', { result: `${word}9`, comment: `${word} comment` })
  const specimen = await given.specimen(req)
  const box = await given.freezerBox(labId, { side: 2, box: `${word}Box` })
  const location = await given.store('specimen_location', {
    requisition_id: req,
    specimen_id: specimen.id,
    slot_id: box.slotIds[0] as number,
    spec_loc_type_code: 'SERUM',
  })
  const issue = await given.issue(req, { description: `${word} issue` })
  const workLog = await given.store('issue_work_log', { issue_id: issue.id, work_log: `${word} work` })
  const noteType = await db.selectFrom('lab_note_type').select('id').executeTakeFirstOrThrow()
  const labNote = await given.store('lab_note', { requisition_id: req, type_id: noteType.id, note: `${word} lab note` })
  const report = await given.store('report', {
    requisition_id: req,
    lab_qc_status_code: 'RELEASE',
    release_at: sql<string>`now()` as unknown as string,
  })
  await db
    .insertInto('report_version')
    .values({ report_id: report.id, version_no: 1, file_id: await file('report.pdf') })
    .execute()
  await given.store('report_event', {
    report_id: report.id,
    version_no: 1,
    action_code: 'UPLOAD',
    detail: `${word} event`,
  })
  const delivery = await given.store('report_delivery', {
    requisition_id: req,
    report_id: report.id,
    report_version_no: 1,
    transmit_method_code: 'EMAIL',
    recipient: `${word}@practice.example`,
  })
  const billing = await given.store('billing', { requisition_id: req, guarantor_last_name: `${word}Guarantor` })
  const insurance = await given.store('insurance', {
    billing_id: billing.id,
    patient_id: patient.id,
    billing_order: 1,
    company_name: `${word} Insurance`,
    policy_no: `${word}POLICY`,
  })
  const icd = await sql<{ id: number }>`select id from icd where code = 'E11.9'`.execute(db)
  const icdId = icd.rows[0]?.id ?? 0
  await db.insertInto('requisition_icd').values({ requisition_id: req, icd_id: icdId }).execute()
  const billingNote = await given.store('billing_note', { requisition_id: req, note: `${word} billing note` })
  const payment = await given.store('payment', {
    requisition_id: req,
    payment_type_code: 'CHECK',
    payer_type_code: 'CLIENT',
    payer: `${word} payer`,
    amount: '10.00',
    payment_note: `${word} payment`,
    payment_date: '2026-11-01',
    payment_no: `${word}NO`,
  })
  const price = await given.store('client_test_price', {
    client_id: client.id,
    test_id: await given.firstId('test'),
    price: '12.00',
    price_comment: `${word} price`,
  })
  const range = await given.store('collaborator_test_range', {
    collaborator_id: collaborator.id,
    test_id: await given.firstId('test'),
    unit: `${word}unit`,
  })
  const upload = await given.store('report_upload', { batch_type_code: 'SCANREQ', total_files: 1 })
  const uploadFile = await given.store('report_upload_file', {
    upload_id: upload.id,
    original_name: `${req}-${word}.pdf`,
    object_key: `authz/${word}/upload.pdf`,
    status_code: 'COMPLETE',
    requisition_id: req,
    document_id: document.id,
  })
  await db
    .insertInto('audit_entry')
    .values({
      entity: 'requisition',
      entity_id: req,
      requisition_id: req,
      action: 'UPDATE',
      actor_name: `${word} Actor`,
      new_data: JSON.stringify({ note: `${word} audit` }),
      chain_no: 0,
      hash: Buffer.alloc(0),
    })
    .execute()
  return {
    serial,
    word,
    collaboratorId: collaborator.id,
    salesId: salesPerson.id,
    partnerId: partner.id,
    messageId: message.id,
    clientId: client.id,
    physicianId: physician.id,
    linkId: link.id,
    eventId: event.id,
    patientId: patient.id,
    reqId: req,
    documentId: document.id,
    clientDocumentId: clientDocument.id,
    testId: test1.id,
    specimenId: specimen.id,
    locationId: location.id,
    issueId: issue.id,
    workLogId: workLog.id,
    labNoteId: labNote.id,
    reportId: report.id,
    deliveryId: delivery.id,
    billId: billing.id,
    insuranceId: insurance.id,
    icdId,
    billingNoteId: billingNote.id,
    paymentId: payment.id,
    priceId: price.id,
    rangeId: range.id,
    uploadId: upload.id,
    uploadFileId: uploadFile.id,
    labId,
    signerId: signer.id,
    ...{ freezer: box.freezer, shelf: box.shelf, rack: box.rack, box: box.box },
  }
}
export type World = Awaited<ReturnType<typeof makeWorld>>

/** The path segment before a parameter says what it identifies; under a client some names mean other things. */
export const recordsOf = (world: World, root: string, batchId: number): Record<string, string | number> => ({
  requisitions: world.reqId,
  portal_orders: world.reqId,
  scan_codes: world.reqId,
  clients: world.clientId,
  physicians: world.physicianId,
  collaborators: world.collaboratorId,
  sales: world.salesId,
  interfaces: world.partnerId,
  interface_messages: world.messageId,
  patients: world.patientId,
  patient_hists: world.reqId,
  reports: world.reportId,
  deliveries: world.deliveryId,
  docs: root === 'clients' ? world.clientDocumentId : world.documentId,
  download_docs: world.documentId,
  req_tests: world.testId,
  specimens: world.specimenId,
  issues: world.issueId,
  billings: world.billId,
  insurances: world.insuranceId,
  req_icds: world.icdId,
  bill_notes: world.billingNoteId,
  payments: world.paymentId,
  prices: world.priceId,
  events: world.eventId,
  test_ranges: world.rangeId,
  bulk_report_uploader: world.uploadId,
  slot: world.uploadFileId,
  finish: world.uploadFileId,
  details: batchId,
  download: batchId,
  labs: world.labId,
  signers: world.signerId,
  dd_freezer: world.freezer,
  dd_shelf: world.shelf,
  dd_rack: world.rack,
  dd_box: world.box,
  countries: 1,
  lovs: 'PASSCODE',
  templates: 'RESULT',
  notifications: world.reqId,
})

/** The five roles with a row scope, each with its record in this world. */
export const scopedRoles = ['SLS', 'BILL', 'COLA', 'CLNT', 'PHYS'] as const satisfies readonly Role[]
export const enter = (test: TestApp, role: Role, world: World): Promise<Caller> => {
  const home: Partial<Record<Role, number>> = {
    SLS: world.salesId,
    COLA: world.collaboratorId,
    CLNT: world.clientId,
    PHYS: world.physicianId,
  }
  return test.as(role, home[role])
}
