import { createHash, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { download, exported } from '@lis/contract/kit/envelope.ts'
import { routeName, showsPatientData } from '@lis/contract/kit/patient-data.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp, type Reply } from '../../../test/app.ts'
import { makeWorld, mark, recordsOf, type World } from '../../../test/authorization/world.ts'
import { billingGiven } from '../../../test/given-billing.ts'
import { modules } from '../../modules.ts'
import { encryptRaw } from '../../platform/messaging/raw-message.ts'
import { fhirCalls } from '../fhir/calls.ts'
import { encryptMessage } from '../instrument-results/messages.ts'

const test = openTestApp({ env: { DOWNTIME_PASSWORD: 'a password for downtime' } })
const billing = billingGiven(test)
let admin: Caller
let world: World
let labId: number
beforeAll(async () => {
  admin = await test.as('ADM')
  labId = (await test.given.lab()).id
  world = await makeWorld(test, mark.own, labId)
})

const routes: Route[] = modules.flatMap((module) => Object.values(module.routes))
const nameOf = (route: Route) => `${route.method} ${routeName(route)}`
const marked = routes.filter(showsPatientData)

/** Files without a patient in them; every other file must say that it shows patient data. */
const otherFiles = [
  'GET users/export',
  'GET access_review/export',
  'GET clients/export',
  'GET physicians/export',
  'GET sales/export',
  'GET interfaces/export',
  'GET clients/{id}/docs/{recordId}/download',
  'GET bulk_csv_uploader/templates/{loadFileTypeCode}',
  'GET bulk_report_uploader/{id}/failed',
  'POST qc_months/print',
]

/** Calls beside the contract without a patient in their reply; an export notes the patients when its files are made. */
const otherFhirCalls = [
  'POST oauth2/token',
  'GET fhir/R4/metadata',
  'GET fhir/R4/.well-known/smart-configuration',
  'GET fhir/R4/$export',
  'GET fhir/R4/Patient/$export',
  'GET fhir/R4/$export/{id}',
  'DELETE fhir/R4/$export/{id}',
  ...['Practitioner', 'Organization', 'Location'].flatMap((type) => [
    `GET fhir/R4/${type}`,
    `GET fhir/R4/${type}/{id}`,
  ]),
]

/** The input that a call needs besides the ids in its path. */
interface Special {
  query?: string
  body?: object
  /** Values of parameters that the path does not determine. */
  params?: Record<string, string | number>
  /** The ids that the row must contain; by default the requisition of the world and its patient. */
  names?: 'patient' | 'nobody'
  /** The caller; by default the administrator. */
  caller?: Caller
}

const store = (table: string, row: object) => test.given.store(table as 'job', row as never)
const period = { fromDate: '01/01/2026', toDate: '06/30/2026' }
const spelled = (input: object) => new URLSearchParams(input as Record<string, string>).toString()

/** A file that waits at the matching desk. */
const held = async () => {
  const file = await test.database.db
    .selectFrom('document')
    .select('file_id')
    .where('id', '=', world.documentId)
    .executeTakeFirstOrThrow()
  const content = { lines: ['One line'], barCodes: [], unreadPages: 0, fault: null }
  const { id } = await store('report_upload_file', {
    upload_id: world.uploadId,
    original_name: `held-${randomUUID()}.pdf`,
    object_key: 'authz/held.pdf',
    status_code: 'HELD',
    requisition_id: world.reqId,
    file_id: file.file_id,
    reading: JSON.stringify({ compared: [], namedReqIds: [], wholeContent: content }),
  })
  return { fileId: id }
}
const batch = async () => {
  const { id } = await store('billing_batch', { created_by: admin.userId })
  await test.database.db
    .insertInto('billing_batch_item')
    .values({ batch_id: id, requisition_id: world.reqId, is_open: false })
    .execute()
  return id
}
/** The file of a report that was made at once, in place of one made by a job. */
const madeFile = async () => {
  await admin.post('event_reqs/download', { clientId: world.clientId, eventId: world.eventId })
  const { rows } = await test.database.owner.query(
    'select object_key as key from upload_slot order by expires_at desc limit 1',
  )
  const { key } = rows[0]
  const sha256 = createHash('sha256')
    .update(await buffer(await test.services.store.get(key)))
    .digest('hex')
  const result = { key, sha256, fileName: 'report.xlsx', kind: 'QA', reportCode: await firstReport('qa_reports') }
  const { id } = await store('job', {
    kind: 'report-pages.make',
    user_id: admin.userId,
    state: 'DONE',
    result: JSON.stringify(result),
  })
  return { id }
}
const firstReport = async (path: string): Promise<string> => (await admin.get(path)).body.data[0].reportCode
const errorFile = async () => {
  await test.services.store.put('authz/load.csv', Buffer.from('a,b\n1,2\n'), 'text/csv')
  const load = {
    file_type_code: 'RESULT',
    object_key: 'authz/load.csv',
    original_name: 'load.csv',
    load_by: admin.userId,
    state: 'DONE',
  }
  const { id } = await store('csv_load', load)
  await store('csv_load_error', { load_id: id, row_no: 2, error_desc: 'Row 2: no' })
  return { uploadId: id }
}
/** A held message about a patient without an order of the partner. */
const heldMessage = async () => {
  const raw = Buffer.from('MSH|^~\\&|A|B|C|D|20261118||ADT^A08|1|P|2.5.1\rPID|1||77^^^X||Doe^Jane')
  const { id } = await store('interface_message', {
    direction: 'IN',
    kind: 'HL7',
    partner_id: world.partnerId,
    message_type: 'ADT^A08',
    control_id: '1',
    state: 'HELD',
    raw: encryptRaw(test.services, raw),
  })
  return id
}
/** A webhook that received an event of the order. */
const toldWebhook = async () => {
  const { id } = await store('webhook', {
    name: 'Portal',
    url: 'https://portal.example/hook',
    events: ['requisition.status'],
    secret: Buffer.from('00', 'hex'),
  })
  const message = await store('interface_message', {
    direction: 'OUT',
    kind: 'WEBHOOK',
    message_type: 'requisition.status',
    state: 'SENT',
    requisition_id: world.reqId,
  })
  await store('webhook_delivery', {
    webhook_id: id,
    message_id: message.id,
    requisition_id: world.reqId,
    body: '{}',
    state: 'DONE',
  })
  return { id }
}
const deleted = async () => {
  await admin.del(`requisitions/${world.reqId}/bill_notes/${world.billingNoteId}`)
  return {}
}

const criticalCall = async () => {
  const { test_id } = await test.database.db
    .selectFrom('requisition_test')
    .select('test_id')
    .where('id', '=', world.testId)
    .executeTakeFirstOrThrow()
  const { id } = await store('critical_call', {
    requisition_id: world.reqId,
    requisition_test_id: world.testId,
    test_id,
    value: '6.9',
    is_critical: true,
    due_at: '2026-01-01T00:00:00Z',
  })
  return id
}
const orderingPractice = async () => ({ caller: await test.as('CLNT', world.clientId) })
const waitingReport = async () => {
  await test.database.owner.query("update report set lab_qc_status_code = 'PENDING' where id = $1", [world.reportId])
  await test.database.owner.query(
    'update lab set is_signature_required = true where id = (select lab_id from requisition where id = $1)',
    [world.reqId],
  )
  return world.reportId
}
/** Gives the administrator the right to sign where the report was made. */
const signable = async () => {
  const id = await waitingReport()
  await test.database.owner.query(
    `insert into lab_signer (lab_id, user_id, qualifications, identity_checked_by, valid_from, granted_by)
     select lab_id, $2, 'MD', 'HR', '2026-01-01', $2 from requisition where id = $1`,
    [world.reqId, admin.userId],
  )
  return { reports: [{ id, contentSha256: '0'.repeat(64) }], meaningCode: 'APPROVE', dryRun: true }
}
const tried = { outcome: 'NOANSWER' }

const allTime = { fromDate: '2000-01-01', toDate: '2100-01-01' }
/** A rule for the test whose result the world has. */
const ruleOf = async (table: 'autoverify_rule' | 'reflex_rule', more: object) => {
  const { test_id } = await test.database.db
    .selectFrom('requisition_test')
    .select('test_id')
    .where('id', '=', world.testId)
    .executeTakeFirstOrThrow()
  await test.database.db
    .updateTable('requisition_test')
    .set({ result: '1', reportable_result: '1', process_date: '2026-01-01T00:00:00Z' })
    .where('id', '=', world.testId)
    .execute()
  return (await store(table, { test_id, ...more })).id
}

const instrumentResult = async () => {
  const instrument = await store('instrument', { name: `Results ${++instruments}`, lab_id: labId, protocol: 'ASTM' })
  const message = await store('instrument_message', {
    instrument_id: instrument.id,
    direction: 'IN',
    protocol: 'ASTM',
    state: 'COMPLETE',
    raw: encryptMessage(test.services, 'H|'),
    content_hash: Buffer.from('00', 'hex'),
  })
  const { id } = await store('instrument_result', {
    instrument_id: instrument.id,
    message_id: message.id,
    specimen_id: String(world.reqId),
    instrument_code: 'X',
    requisition_id: world.reqId,
    value: '1',
    received_at: '2026-01-01T00:00:00Z',
    raw_record: 'R|1',
    is_control: false,
    identity_hash: Buffer.from('00', 'hex'),
    state: 'REVIEW',
  })
  return { id, messageId: message.id }
}
let instruments = 0

/** An instrument with an open test of the requisition on its work list. */
const instrumentWithWork = async () => {
  const instrument = await store('instrument', { name: `Work ${++instruments}`, lab_id: labId, protocol: 'ASTM' })
  const { id } = await test.given.requisition({ patient_id: world.patientId, lab_id: labId, status_code: 'PROCESS' })
  const ordered = await test.given.orderedTest(id, 'CHOL')
  const { rows } = await test.database.owner.query('select test_id from requisition_test where id = $1', [ordered.id])
  await test.database.owner.query(
    "insert into instrument_code (instrument_id, instrument_code, position, test_id) values ($1, 'C', 0, $2)",
    [instrument.id, rows[0].test_id],
  )
  return {
    params: { id: instrument.id },
    query: `specimens=${id}`,
    body: { specimens: [String(id)] },
    names: 'patient' as const,
  }
}

const lookback = async () => {
  const instrument = await store('instrument', { name: 'Access', lab_id: labId, protocol: 'ASTM' })
  const { test_id } = await test.database.db
    .selectFrom('requisition_test')
    .select('test_id')
    .where('id', '=', world.testId)
    .executeTakeFirstOrThrow()
  const run = await store('qc_run', {
    instrument_id: instrument.id,
    test_id,
    ran_at: '2026-01-01T00:00:00Z',
    state: 'REJECTED',
    rules: '[]',
  })
  await store('qc_lookback', {
    qc_run_id: run.id,
    requisition_id: world.reqId,
    requisition_test_id: world.testId,
    is_released: false,
  })
  return {}
}

/** A scan that was read, without a requisition yet. */
const readScan = async () => {
  const { id } = await store('requisition_scan', {
    created_by: admin.userId,
    object_key: 'authz/scan.pdf',
    state: 'DONE',
  })
  await test.database.owner.query(
    "insert into requisition_scan_field values ($1, 0, 'patientLastName', 'Doe', 1, false, 1, '{0,0,1,1}', '\\x89')",
    [id],
  )
  return { params: { scanId: id, n: 0 }, names: 'nobody' as const }
}

/** An order of the patient in a status that the call refuses: its reply says why, with the name. */
const refused = async (statusCode: string) =>
  (await test.given.requisition({ patient_id: world.patientId, lab_id: labId, status_code: statusCode })).id
/** A batch of an order that can be billed. */
const openBatch = async () => (await admin.post('billing/batch', { reqIds: [(await billing.bill()).id] })).body.data.id
const many = async (statusCode: string): Promise<Special> => ({
  body: { reqIds: [await refused(statusCode)], dryRun: true },
  names: 'patient',
})

const specials: Record<string, () => Promise<Special>> = {
  'PUT requisitions/{status}/next_status/bulk_move': async () => ({
    params: { status: 'LOG' },
    query: `id=${await refused('PROCESS')}`,
    body: { dryRun: true },
    names: 'patient',
  }),
  'DELETE requisitions/bulk_delete': async () => ({
    query: `id=${await refused('PROCESS')}&dryRun=1`,
    names: 'patient',
  }),
  'PUT requisitions': async () => ({ body: { id: await refused('RELEASE'), reqStatusCode: 'ACC' }, names: 'nobody' }),
  'POST requisitions/bulk_reports': () => many('LOG'),
  'POST requisitions/bulk_release': () => many('LOG'),
  'POST requisitions/bulk_delivery': () => many('LOG'),
  'POST requisitions/send_notif': () => many('LOG'),
  'POST billing/run': () => many('LOG'),
  'POST billing/batch': async () => ({
    body: { reqIds: [(await billing.bill()).id, await refused('LOG')] },
    names: 'patient',
  }),
  'POST billing/batch/{id}/send': async () => ({ params: { id: await openBatch() }, names: 'nobody' }),
  'POST billing/batch/{id}/cancel': async () => ({
    params: { id: await openBatch() },
    body: { reason: 'Made too early' },
    names: 'nobody',
  }),
  'POST bulk_report_uploader/{id}/finish/{fileId}': async () => {
    await test.database.owner.query('update report_upload set load_by = $1 where id = $2', [
      admin.userId,
      world.uploadId,
    ])
    return {}
  },
  'GET bulk_report_uploader/held': async () => ({ params: await held() }),
  'GET bulk_report_uploader/held/{fileId}': async () => ({ params: await held() }),
  'POST bulk_report_uploader/held/{fileId}/decide': async () => ({
    params: await held(),
    body: { decision: 'REJECT', reason: 'Not ours' },
  }),
  'GET bulk_csv_uploader/{uploadId}/error_file': async () => ({ params: await errorFile(), names: 'nobody' }),
  'GET webhooks/{id}/deliveries': async () => ({ params: await toldWebhook() }),
  'POST interface_messages/{id}/reprocess': async () => ({ params: { id: await heldMessage() }, names: 'nobody' }),
  // Home names the oldest of a queue, and a practice what was released.
  'GET home/new_results': async () => {
    await test.database.owner.query(
      "update report set lab_qc_status_code = 'RELEASE', release_at = now() where requisition_id = $1",
      [world.reqId],
    )
    return { caller: await test.as('CLNT', world.clientId) }
  },
  'GET portal_orders/patients': async () => {
    const { last_name: last } = await test.database.db
      .selectFrom('patient')
      .select('last_name')
      .where('id', '=', world.patientId)
      .executeTakeFirstOrThrow()
    return { ...(await orderingPractice()), query: spelled({ search: last }), names: 'patient' }
  },
  'POST portal_orders/{id}/print': async () => ({ ...(await orderingPractice()), params: { id: world.reqId } }),
  'GET home/wanted': async () => ({ caller: await test.as('CLNT', world.clientId) }),
  'POST labs/{labId}/dd_freezer/{freezer}/dd_shelf/{shelf}/dd_rack/{rack}/dd_box/{box}/reconcile': async () => ({
    body: { codes: [], dryRun: true },
  }),
  'GET labs/{labId}/discard_list': async () => ({ names: 'nobody' }),
  'GET scan_codes/{code}': async () => ({ params: { code: world.reqId } }),
  'GET quick_jump': async () => ({ query: `q=${world.reqId}` }),
  'GET requisition_scans/{scanId}': readScan,
  'GET requisition_scans/{scanId}/pieces/{n}': readScan,
  'GET drafts/{form}/{recordKey}': async () => ({ params: { form: 'requisition', recordKey: 'new' }, names: 'nobody' }),
  'GET requisitions/{view}': async () => ({ params: { view: 'ALL' } }),
  'GET requisitions/{view}/export': async () => ({ params: { view: 'ALL' } }),
  'POST requisitions/bulk_download': async () => ({ body: { reqIds: [world.reqId], callSource: 'VIEW' } }),
  'GET patients/{id}/serial': async () => ({ names: 'patient' }),
  'GET labs/{labId}/samples': async () => ({ query: `id=${world.reqId}` }),
  'POST labels/print': async () => ({ body: { reqIds: [world.reqId], labelType: 'BARCODE', output: 'PDF' } }),
  'POST requisitions/{id}/download': async () => ({ body: { callSource: 'VIEW', reportIds: [world.reportId] } }),
  ...Object.fromEntries(
    ['qa_reports', 'summary_reports'].flatMap((path) => [
      [
        `POST ${path}/download`,
        async () => ({ body: { ...period, reportCode: await firstReport(path) }, names: 'nobody' }),
      ],
      [
        `GET ${path}/preview`,
        async () => ({ query: spelled({ ...period, reportCode: await firstReport(path) }), names: 'nobody' }),
      ],
    ]),
  ),
  'POST adhoc_reqs/download': async () => ({
    body: { colaId: world.collaboratorId, reqIds: [world.reqId] },
    names: 'nobody',
  }),
  'POST event_reqs/download': async () => ({ body: { clientId: world.clientId, eventId: world.eventId } }),
  'GET users/{userId}/notifications': async () => ({ params: { userId: admin.userId } }),
  'GET report_files/{id}': async () => ({ params: await madeFile(), names: 'nobody' }),
  'GET patients': async () => ({ query: 'patientLastName=Ownmark', names: 'patient' }),
  'GET deliveries/late': async () => {
    await test.database.owner.query(
      "update report_delivery set requested_at = now() - interval '9 days' where id = $1",
      [world.deliveryId],
    )
    return {}
  },
  'GET billing/batch/details/{id}': async () => ({ params: { id: await batch() } }),
  'GET billing/batch/plan': async () => {
    await test.database.owner.query("update requisition set status_code = 'READYBILL' where id = $1", [world.reqId])
    return {}
  },
  'POST billing/batch/bulk_download': async () => ({ body: { billBatchIds: [await batch()] } }),
  'POST billing/batch/details/download/{id}': async () => ({ params: { id: await batch() } }),
  'GET qc_lookbacks': lookback,
  'POST autoverify_rules/{id}/try': async () => ({
    params: { id: await ruleOf('autoverify_rule', {}) },
    body: allTime,
  }),
  'POST reflex_rules/{id}/try': async () => ({
    params: { id: await ruleOf('reflex_rule', { op: '>', value: '0' }) },
    body: allTime,
  }),
  'GET instrument_results': async () => {
    await instrumentResult()
    return {}
  },
  'GET instrument_results/{id}': async () => ({ params: { id: (await instrumentResult()).id } }),
  'GET instrument_messages/{id}': async () => ({ params: { id: (await instrumentResult()).messageId } }),
  'GET instruments/{id}/work_list': instrumentWithWork,
  'POST instruments/{id}/work_list/print': instrumentWithWork,
  'GET review_results': async () => {
    await instrumentResult()
    return {}
  },
  'GET critical_calls': async () => {
    await criticalCall()
    return {}
  },
  'GET critical_calls/{id}': async () => ({ params: { id: await criticalCall() } }),
  'POST critical_calls/{id}/take': async () => ({ params: { id: await criticalCall() } }),
  'POST critical_calls/{id}/attempts': async () => ({ params: { id: await criticalCall() }, body: tried }),
  'POST critical_calls/{id}/close': async () => ({
    params: { id: await criticalCall() },
    body: { reason: 'Told in person' },
  }),
  'GET sign_out': async () => {
    await waitingReport()
    return {}
  },
  'GET sign_out/{reportId}': async () => ({ params: { reportId: await waitingReport() } }),
  'POST reports/sign': async () => ({ body: await signable() }),
  'GET deleted_records': async () => ({ params: await deleted() }),
  'GET access_log': async () => ({ names: 'nobody' }),
  'GET labs/{labId}/downtime_kit': async () => {
    await admin.post(`labs/${labId}/downtime_kit`, {})
    return { params: { labId }, names: 'nobody' }
  },
  'POST labs/{labId}/downtime_kit': async () => ({ params: { labId }, names: 'nobody' }),
  'POST labs/{labId}/catch_up': async () => ({
    params: { labId },
    body: { entries: [{ entryId: '1-1', kind: 'NOTE', reqId: world.reqId, note: 'Written down' }] },
  }),
  'POST scans': async () => ({ body: { code: String(world.reqId), mode: 'FIND' } }),
  'GET patients/{id}/merges': async () => ({ names: 'patient' }),
  'POST patients/merge': async () => ({
    body: { keepId: (await test.given.patient()).id, goneId: world.patientId, dryRun: true },
  }),
  'GET patients/{id}/access_log': async () => ({ names: 'patient' }),
  'GET patients/{id}/access_log/export': async () => ({ names: 'patient' }),
}

const call = async (route: Route, special: Special): Promise<Reply> => {
  const made = special.params ?? {}
  const records = recordsOf(world, route.path.split('/')[0] ?? '', 0)
  const segments = route.path.split('/')
  const path = segments
    .map((segment, index) => {
      const name = /^:(\w+)/.exec(segment)?.[1]
      if (!name) return segment
      return String(made[name] ?? records[segments[index - 1] ?? ''] ?? 'missing')
    })
    .join('/')
  const address = special.query ? `${path}?${special.query}` : path
  const { get, post, put, del } = special.caller ?? admin
  if (route.method === 'GET') return get(address)
  return { POST: post, PUT: put, DELETE: del }[route.method](address, special.body ?? {})
}

describe('every call that shows patient data', () => {
  it('SOUT-11 is marked in the OpenAPI document, files among them', async () => {
    const { body } = await test.inject({ method: 'GET', url: '/api/v3.0/openapi.json' })
    const shown = marked.map(nameOf).sort()
    const found = Object.entries(body.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => operation['x-patient-data'] === true)
          .map(([method]) => `${method.toUpperCase()} ${path.slice(1)}`),
    )
    const fhir = (isMarked: boolean) =>
      fhirCalls
        .filter(({ patientData = false }) => patientData === isMarked)
        .map(({ method, path }) => `${method.toUpperCase()} ${path.slice(1)}`)
    expect(found.sort()).toEqual([...new Set([...shown, ...fhir(true)])].sort())
    expect(fhir(false).sort()).toEqual(otherFhirCalls.sort())
    const files = routes.filter(({ reply }) => reply === download || reply === exported)
    expect(
      files
        .filter((route) => !showsPatientData(route))
        .map(nameOf)
        .sort(),
    ).toEqual(otherFiles.sort())
  })

  it.each(marked.map((route) => ({ name: nameOf(route), route })))(
    'SOUT-11 $name leaves its row',
    async ({ route }) => {
      const special = (await specials[nameOf(route)]?.()) ?? {}
      const { status, headers, body } = await call(route, special)
      expect(status, JSON.stringify(body)).toBe(200)
      await test.services.accessLog.flush()
      const { rows } = await test.database.owner.query('select * from access_log where request_id = $1', [
        headers['x-request-id'],
      ])
      expect(rows).toMatchObject([
        { user_id: (special.caller ?? admin).userId, method: route.method, route: routeName(route) },
      ])
      const { names } = special
      if (names === 'nobody') return
      if (names !== 'patient') expect(rows[0].requisition_ids).toContain(world.reqId)
      expect(rows[0].patient_ids).toContain(world.patientId)
    },
  )
})
