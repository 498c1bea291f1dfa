import type { TestApp } from './app.ts'
import type { World } from './authorization/world.ts'

/** One editable record: where it is written, where its version is, and what the n-th writer sends. */
export interface EditCase {
  path: string
  table: string
  id: number
  /** The column that `id` refers to; `id` by default. */
  key?: string
  /** The column with its version; `version` by default. */
  version?: string
  /** The record in the audit, where it is not table and id. */
  audit?: { entity: string; id: number }
  body: (n: number) => object
  /** What the history must show of that write, as JSON. Without it the record can change only once, e.g. be decided. */
  mark?: (n: number) => string
  /** A call that only the person itself can make. */
  isOwn?: true
}

const word = (n: number) => `Writer${n}`
const lastDayOf = (n: number) => `20${30 + n}-01-31`
const text = (n: number) => JSON.stringify(word(n))
/** The n-th choice of some of the names, none twice. */
const some = <T>(all: readonly T[], n: number): T[] => all.filter((_, bit) => (n >> bit) & 1)

interface Coded {
  id: number
  name: string
}

/** Every call that carries a version. The test fails for one that is not here. */
export const editCases = async (test: TestApp, world: World): Promise<Record<string, EditCase>> => {
  const { given } = test
  const { owner } = test.database
  const req = `requisitions/${world.reqId}`
  const rows = async (query: string) => (await owner.query<Coded>(query)).rows
  const reasons = (type: string) =>
    rows(
      `select id, code as name from reason where type_code = '${type}' and is_active and scope = 'BOTH' order by code limit 5`,
    )
  const apiClient = await given.store('api_client', {
    user_id: (await given.session('BILL')).userId,
    client_id: 'lost-updates',
    name: 'Portal',
    scopes: ['lis/read'],
    jwks_url: 'https://portal.example/keys',
  })
  const webhook = await given.store('webhook', {
    name: 'Portal',
    url: 'https://portal.example/hook',
    events: ['order.held'],
    secret: Buffer.from('none'),
  })
  const [pass, fail] = [await reasons('PASS'), await reasons('FAIL')]
  const flags = await rows(
    'select id, description as name from flag where not is_set_by_system order by sort_order limit 5',
  )
  const codes = (table: string, id: number, path: string, field: string, all: Coded[]) => ({
    path,
    table,
    id,
    body: (n: number) => ({ [field]: some(all, n).map((one) => one.id) }),
    mark: (n: number) =>
      JSON.stringify(
        some(all, n)
          .map((one) => one.name)
          .join(', '),
      ),
  })
  const testCodes = (type: 'pass' | 'fail', all: Coded[]) => ({
    ...codes('requisition_test', world.testId, `${req}/req_tests/${world.testId}/${type}_codes`, `${type}Ids`, all),
    audit: { entity: 'requisition', id: world.reqId },
  })
  const target = await given.store('tat_target', { lab_id: world.labId, target_hours: '99' })
  await owner.query(
    `insert into lab_calendar (lab_id, work_days, opens, closes) values (${world.labId}, '{1,2,3,4,5}', '08:00', '17:00')`,
  )
  const instrument = await given.store('instrument', { name: 'Versions', lab_id: world.labId, protocol: 'ASTM' })
  await owner.query('insert into instrument_link (instrument_id) values ($1)', [instrument.id])
  const material = await given.store('qc_material', { name: 'Versions' })
  const lot = await given.store('qc_lot', {
    material_id: material.id,
    level: 1,
    lot_number: 'V1',
    expires: '2030-01-01',
  })
  const [measured] = await rows("select id, code as name from test where code = 'CHOL'")
  const reflex = await given.store('reflex_rule', { test_id: (measured as Coded).id, op: '>', value: '1' })
  const [added] = await rows("select id, code as name from test where code = 'HDL'")
  await owner.query('insert into reflex_rule_test (rule_id, test_id) values ($1, $2)', [reflex.id, (added as Coded).id])
  const rule = await given.store('autoverify_rule', { test_id: (measured as Coded).id, high: '100' })
  const limit = await given.store('critical_limit', { test_id: (measured as Coded).id, hi: '1' })
  const plan = await given.store('qc_plan', {
    instrument_id: instrument.id,
    test_id: (measured as Coded).id,
    rules: JSON.stringify([{ rule: '1-3s', action: 'REJECT' }]),
  })
  const requisition = (path: string, body: (n: number) => object) => ({
    path,
    table: 'requisition',
    id: world.reqId,
    body,
  })
  const failed = await given.requisition() // a fail code finishes the whole requisition, which the other cases need in work
  await given.orderedTest(world.reqId, 'HDL') // without a result, so that the requisition stays in work
  const person = await given.user('MGMT')
  const locked = await given.user('MGMT')
  const { country_id, state_id } = await given.address()
  const held = await given.store('report_upload_file', {
    upload_id: (await given.store('report_upload', { batch_type_code: 'REPORT', total_files: 1, load_by: person.id }))
      .id,
    original_name: 'held.pdf',
    object_key: 'lost-updates/held.pdf',
    status_code: 'HELD',
  })
  const { rows: priced } = await owner.query('select test_id from client_test_price where id = $1', [world.priceId])
  const { rows: ranged } = await owner.query('select test_id from collaborator_test_range where id = $1', [
    world.rangeId,
  ])

  return {
    'PUT users/:id': {
      path: `users/${locked.id}`,
      table: 'app_user',
      id: locked.id,
      body: () => ({ userStatusCode: 'LCK' }),
    },
    'PUT mfa/users/:id': {
      path: `mfa/users/${person.id}`,
      table: 'app_user',
      id: person.id,
      body: (n) => ({
        userFirstName: 'Ada',
        userLastName: word(n),
        userEmail: 'ada@example.com',
        userPhone: '16175550111',
        userRoleCode: 'MGMT',
        deptIds: [1],
        isSubscribed: 1,
      }),
      mark: text,
    },
    'PUT mfa/profile/:userId': {
      path: 'mfa/profile/:self',
      table: 'app_user',
      id: 0,
      body: (n) => ({ userFirstName: 'Ada', userLastName: word(n) }),
      mark: text,
      isOwn: true,
    },
    'PUT clients/:id': {
      path: `clients/${world.clientId}`,
      table: 'client',
      id: world.clientId,
      body: (n) => ({ clientNote: word(n) }),
      mark: text,
    },
    'PUT clients/:id/events/:recordId': {
      path: `clients/${world.clientId}/events/${world.eventId}`,
      table: 'client_event',
      id: world.eventId,
      body: (n) => ({ eventName: word(n), programId: 1 }),
      mark: text,
    },
    'PUT clients/:id/prices/:recordId': {
      path: `clients/${world.clientId}/prices/${world.priceId}`,
      table: 'client_test_price',
      id: world.priceId,
      body: (n) => ({ testId: priced[0].test_id, price: '12.00', priceComment: word(n) }),
      mark: text,
    },
    'PUT physicians/:id': {
      path: `physicians/${world.physicianId}`,
      table: 'physician',
      id: world.physicianId,
      body: (n) => ({ physMiddleName: word(n) }),
      mark: text,
    },
    'PUT collaborators/:id': {
      path: `collaborators/${world.collaboratorId}`,
      table: 'collaborator',
      id: world.collaboratorId,
      body: (n) => ({
        colaName: `${world.word} Partner`,
        colaAlias: `${world.word} Alias`,
        colaCountryId: country_id,
        colaStateId: state_id,
        colaCity: 'Boston',
        colaZip: '02101',
        colaAddr1: '1 Main St',
        colaNote: word(n),
        reportNameFormatCode: 'REQID',
        isLisInterface: 0,
        isOrderIdAvailable: 0,
      }),
      mark: text,
    },
    'PUT collaborators/:id/test_ranges/:rangeId': {
      path: `collaborators/${world.collaboratorId}/test_ranges/${world.rangeId}`,
      table: 'collaborator_test_range',
      id: world.rangeId,
      body: (n) => ({ testId: ranged[0].test_id, units: word(n) }),
      mark: text,
    },
    'PUT labs/:id': {
      path: `labs/${world.labId}`,
      table: 'lab',
      id: world.labId,
      body: (n) => ({ labCity: word(n) }),
      mark: text,
    },
    'PUT labs/:id/signers/:signerId': {
      path: `labs/${world.labId}/signers/${world.signerId}`,
      table: 'lab_signer',
      id: world.signerId,
      body: (n) => ({ validTo: lastDayOf(n) }),
      mark: (n) => JSON.stringify(lastDayOf(n)),
    },
    'PUT sales/:id': {
      path: `sales/${world.salesId}`,
      table: 'sales_person',
      id: world.salesId,
      body: (n) => ({
        salesFirstName: 'Sam',
        salesLastName: 'Seller',
        salesEmail: 'sam@example.com',
        salesTitle: 'Sales Rep.',
        salesTypeCode: 'SLS',
        salesNote: word(n),
      }),
      mark: text,
    },
    'PUT labs/:id/calendar': {
      path: `labs/${world.labId}/calendar`,
      table: 'lab_calendar',
      id: world.labId,
      key: 'lab_id',
      body: (n) => ({ holidays: [lastDayOf(n)] }),
      mark: (n) => JSON.stringify(lastDayOf(n)),
    },
    'PUT tat_targets/:id': {
      path: `tat_targets/${target.id}`,
      table: 'tat_target',
      id: target.id,
      body: (n) => ({ targetHours: 100 + n }),
      mark: (n) => String(100 + n),
    },
    'PUT instruments/:id': {
      path: `instruments/${instrument.id}`,
      table: 'instrument',
      id: instrument.id,
      body: (n) => ({ model: word(n) }),
      mark: text,
    },
    'PUT instruments/:id/file_columns': {
      path: `instruments/${instrument.id}/file_columns`,
      table: 'instrument_link',
      id: instrument.id,
      key: 'instrument_id',
      version: 'file_columns_version',
      audit: { entity: 'instrument', id: instrument.id },
      body: (n) => ({ specimenId: word(n), code: 'Assay', value: 'Result' }),
      mark: text,
    },
    'PUT autoverify_rules/:id': {
      path: `autoverify_rules/${rule.id}`,
      table: 'autoverify_rule',
      id: rule.id,
      body: (n) => ({ deltaDays: 100 + n }),
      mark: (n) => `"deltaDays":${100 + n}`,
    },
    'PUT reflex_rules/:id': {
      path: `reflex_rules/${reflex.id}`,
      table: 'reflex_rule',
      id: reflex.id,
      body: (n) => ({ maxSpecimenHours: 100 + n }),
      mark: (n) => `"maxSpecimenHours":${100 + n}`,
    },
    'PUT critical_limits/:id': {
      path: `critical_limits/${limit.id}`,
      table: 'critical_limit',
      id: limit.id,
      body: (n) => ({ callMinutes: 100 + n }),
      mark: (n) => `"callMinutes":${100 + n}`,
    },
    'PUT qc_lots/:id': {
      path: `qc_lots/${lot.id}`,
      table: 'qc_lot',
      id: lot.id,
      body: (n) => ({ expires: `2031-01-${String(n + 1).padStart(2, '0')}` }),
      mark: (n) => JSON.stringify(`2031-01-${String(n + 1).padStart(2, '0')}`),
    },
    'PUT qc_plans': {
      path: 'qc_plans',
      table: 'qc_plan',
      id: plan.id,
      body: (n) => ({
        instrumentId: instrument.id,
        testCode: 'CHOL',
        rules: [{ rule: '1-3s', action: 'REJECT' }],
        everyHours: n + 1,
      }),
      mark: (n) => `"everyHours":${n + 1},`,
    },
    'PUT interfaces/:id': {
      path: `interfaces/${world.partnerId}`,
      table: 'interface_partner',
      id: world.partnerId,
      body: (n) => ({ name: word(n) }),
      mark: text,
    },
    'PUT api_clients/:id': {
      path: `api_clients/${apiClient.id}`,
      table: 'api_client',
      id: apiClient.id,
      body: (n) => ({ name: word(n) }),
      mark: text,
    },
    'PUT webhooks/:id': {
      path: `webhooks/${webhook.id}`,
      table: 'webhook',
      id: webhook.id,
      body: (n) => ({ name: word(n) }),
      mark: text,
    },
    'PUT requisitions/:id': { ...requisition(req, (n) => ({ extOrderId: word(n) })), mark: text },
    'PUT requisitions/:reqID/send_notif': requisition(`${req}/send_notif`, () => ({ isSendNotif: 1 })),
    'PUT requisitions/:reqID/dem_qc': requisition(`${req}/dem_qc`, () => ({ isDemQcPass: 1 })),
    'PUT requisitions/:reqID/pass_codes': codes('requisition', world.reqId, `${req}/pass_codes`, 'passIds', pass),
    'PUT requisitions/:reqID/fail_codes': codes(
      'requisition',
      failed.id,
      `requisitions/${failed.id}/fail_codes`,
      'failIds',
      fail,
    ),
    'PUT requisitions/:reqID/flags': codes('requisition', world.reqId, `${req}/flags`, 'flagIds', flags),
    'PUT requisitions/:id/req_tests/:testId/pass_codes': testCodes('pass', pass),
    'PUT requisitions/:id/req_tests/:testId/fail_codes': testCodes('fail', fail),
    'PUT requisitions/:id/patients/:patientId': {
      path: `${req}/patients/${world.patientId}`,
      table: 'patient',
      id: world.patientId,
      body: (n) => ({ patientAddr1: word(n) }),
      mark: text,
    },
    'PUT requisitions/:id/patients/:patientId/identity': {
      path: `${req}/patients/${world.patientId}/identity`,
      table: 'patient',
      id: world.patientId,
      body: (n) => ({ patientMiddleName: word(n) }),
      mark: text,
    },
    'PUT requisitions/:id/patient_hists/:histId': {
      path: `${req}/patient_hists/${world.reqId}`,
      table: 'patient_history',
      key: 'requisition_id',
      id: world.reqId,
      body: (n) => ({ sbp: 140 + n }),
      mark: (n) => String(140 + n),
    },
    'PUT requisitions/:id/billings/:billId': {
      path: `${req}/billings/${world.billId}`,
      table: 'billing',
      id: world.billId,
      body: (n) => ({ guarantorMiddleName: word(n) }),
      mark: text,
    },
    'PUT requisitions/:id/billings/:billId/insurances/:insId': {
      path: `${req}/billings/${world.billId}/insurances/${world.insuranceId}`,
      table: 'insurance',
      id: world.insuranceId,
      body: (n) => ({ policyNo: word(n) }),
      mark: text,
    },
    'PUT requisitions/:id/issues/:issueId': {
      path: `${req}/issues/${world.issueId}`,
      table: 'issue',
      id: world.issueId,
      body: () => ({ issueStatusCode: 'INPROG' }),
    },
    'PUT requisitions/:reqID/reports/:reportID': {
      path: `${req}/reports/${world.reportId}`,
      table: 'report',
      id: world.reportId,
      body: () => ({ labQcStatusCode: 'REPEAT' }),
    },
    'PUT requisitions/:id/specimens/:specimenId': {
      path: `${req}/specimens/${world.specimenId}`,
      table: 'specimen',
      id: world.specimenId,
      body: (n) => ({
        specimenTypeCode: 'SERUM',
        temperatureTypeCode: 'REF',
        containerTypeCode: 'SST',
        tubeCount: 100 + n,
        reason: word(n),
      }),
      mark: (n) => String(100 + n),
    },
    'POST bulk_report_uploader/held/:fileId/decide': {
      path: `bulk_report_uploader/held/${held.id}/decide`,
      table: 'report_upload_file',
      id: held.id,
      body: (n) => ({ decision: 'REJECT', reason: word(n) }),
    },
  }
}
