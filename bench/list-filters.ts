import type { Samples } from './samples.ts'

export interface ListFilter {
  name: string
  /** For the product. */
  asked: string
  /** For the bare route: ways to say it as a condition on list row `l`. */
  said: readonly string[]
  /** The counter that knows the total when nothing else narrows the list. */
  counter?: { scope: string; ids: readonly number[] }
}

const quoted = (text: string) => `'${text.replace(/'/g, "''")}'`
const infix = (text: string) =>
  `l.requisition_id in (select requisition_id from requisition_search where search_text like ${quoted(`%${text}%`)})`
const labZone = '(select zone from lab where id = l.lab_id)'

const days = (column: string, zone: string, range: string): string => {
  const [from, to] = range
    .slice(1, -1)
    .split('-')
    .map((day) => day.replace(/(\d\d)\/(\d\d)\/(\d{4})/, '$3-$1-$2'))
  return `${column} >= date '${from}' - interval '1 day' and ${column} < date '${to}' + interval '2 days'
    and (${column} >= date '${from}' + interval '1 day' and ${column} < date '${to}' or (${column} at time zone ${zone})::date between '${from}' and '${to}')`
}

const oneOf = (name: string, field: string, column: string, value: string | number): ListFilter => ({
  name,
  asked: `[${field}:${value}]`,
  said: [`${column} = ${typeof value === 'number' ? value : quoted(value)}`],
})

const names = ({ commonName, rareName, firstName }: Samples): ListFilter[] => [
  { name: 'name, common', asked: `[search:"${commonName}"]`, said: [infix(commonName)] },
  { name: 'name, rare', asked: `[search:"${rareName}"]`, said: [infix(rareName)] },
  { name: 'name, none', asked: '[search:"qqzzxx"]', said: [infix('qqzzxx')] },
  {
    name: 'name, two words',
    asked: `[search:"${commonName} ${firstName.slice(0, 3)}"]`,
    said: [`${infix(commonName)} and ${infix(firstName.slice(0, 3))}`],
  },
  {
    name: 'last name, two letters',
    asked: `[patientLastName:${commonName.slice(0, 2)}]`,
    said: [
      `l.patient_key >= ${quoted(commonName.slice(0, 2))} and l.patient_key < ${quoted(commonName.slice(0, 2))} || chr(1114111)`,
    ],
  },
  {
    name: 'last name, infix',
    asked: `[patientLastName:${commonName.slice(1, 5)}]`,
    said: [
      `split_part(l.patient_key, ', ', 1) like ${quoted(`%${commonName.slice(1, 5)}%`)} and ${infix(commonName.slice(1, 5))}`,
    ],
  },
  {
    name: 'first name, infix',
    asked: `[patientFirstName:${firstName}]`,
    said: [`split_part(l.patient_key, ', ', 2) like ${quoted(`%${firstName}%`)} and ${infix(firstName)}`],
  },
]

const dates = ({ week, month, year }: Samples): ListFilter[] => [
  ...Object.entries({ week, month, year }).map(([name, range]) => ({
    name: `collected in a ${name}`,
    asked: `[dateCollected:"${range}"]`,
    said: [days('l.collected_at', 'l.collected_zone', range)],
  })),
  ...Object.entries({
    dateReceived: 'received_at',
    dateLogged: 'logged_at',
    dateReported: 'reported_at',
    dateReleased: 'released_at',
    dateDelivered: 'delivered_at',
  }).map(([field, column]) => ({
    name: `${field} in a month`,
    asked: `[${field}:"${month}"]`,
    said: [days(`l.${column}`, labZone, month)],
  })),
]

const testCondition = (tests: string) => [
  `exists (select from requisition_test rt where rt.requisition_id = l.requisition_id and rt.deleted_at is null and rt.test_id in (${tests}))`,
  `l.requisition_id in (select rt.requisition_id from requisition_test rt where rt.deleted_at is null and rt.test_id = any(array(${tests})))`,
  `(select true from requisition_test rt where rt.requisition_id = l.requisition_id and rt.deleted_at is null and rt.test_id in (${tests}) limit 1)`,
]

const parts = (samples: Samples): ListFilter[] => {
  const { testCommon, testRare, combo, flag, passCode, failCode, noteType, department } = samples
  const reasons = (code: string, type: string) =>
    `(select id from reason where type_code = '${type}' and code = ${quoted(code)})`
  const tests = (code: string) => `select id from test where code = ${quoted(code)}`
  return [
    { name: 'test, common', asked: `[testCodes:${testCommon}]`, said: testCondition(tests(testCommon)) },
    { name: 'test, rare', asked: `[testCodes:${testRare}]`, said: testCondition(tests(testRare)) },
    ...(combo
      ? [
          {
            name: 'test combination',
            asked: `[testComboCode:${combo}]`,
            said: testCondition(
              `select x.test_id from test_combo_test x join test_combo c on c.id = x.test_combo_id where c.code = ${quoted(combo)}`,
            ),
          },
        ]
      : []),
    { name: 'flag', asked: `[flag:${flag}]`, said: [`l.flag_ids && '{${flag}}' and l.flag_ids <> '{}'`] },
    { name: 'open issues', asked: '[hasOpenIssues:1]', said: ['l.open_issue_count > 0'] },
    ...(department
      ? [
          {
            name: 'department',
            asked: `[issueDeptId:${department}]`,
            said: [`l.issue_department_ids && '{${department}}' and l.issue_department_ids <> '{}'`],
          },
        ]
      : []),
    ...(passCode
      ? [
          {
            name: 'pass code',
            asked: `[passCodes:${passCode}]`,
            said: [`l.pass_reason_ids && array${reasons(passCode, 'PASS')} and l.pass_reason_ids <> '{}'`],
          },
        ]
      : []),
    ...(failCode
      ? [
          {
            name: 'fail code',
            asked: `[failCodes:${failCode}]`,
            said: [
              `exists (select from requisition_reason r where r.requisition_id = l.requisition_id and r.reason_id in ${reasons(failCode, 'FAIL')})`,
            ],
          },
        ]
      : []),
    ...(noteType
      ? [
          {
            name: 'lab note type',
            asked: `[labNoteTypeCode:${noteType}]`,
            said: [
              `exists (select from lab_note n join lab_note_type t on t.id = n.type_id where n.requisition_id = l.requisition_id and n.deleted_at is null and t.code = ${quoted(noteType)})`,
            ],
          },
        ]
      : []),
  ]
}

/** Each of them alone, and the pairs that people put together. */
export const listFilters = (samples: Samples): ListFilter[] => {
  const { clientLarge, clientSmall, month, dob, sales, service, lastId, testCommon } = samples
  const client = (name: string, id: number): ListFilter => ({
    ...oneOf(name, 'clientId', 'l.client_id', id),
    counter: { scope: 'CLNT', ids: [id] },
  })
  const inMonth = days('l.collected_at', 'l.collected_zone', month)
  return [
    client('client, large', clientLarge),
    client('client, small', clientSmall),
    oneOf('physician', 'physId', 'l.physician_id', samples.physician),
    {
      ...oneOf('collaborator', 'colaId', 'l.collaborator_id', samples.collaborator),
      counter: { scope: 'COLA', ids: [samples.collaborator] },
    },
    oneOf('event', 'eventId', 'l.event_id', samples.event),
    oneOf('status', 'reqStatusCode', 'l.status_code', 'HOLD'),
    oneOf('bill type', 'reqBillTypeCode', 'l.bill_type_code', 'INSURANCE'),
    oneOf('birth date', 'patientDob', 'l.patient_dob', dob),
    oneOf('accession number', 'id', 'l.requisition_id', lastId - 1000),
    {
      name: 'number, beginning',
      asked: `[search:"${String(lastId).slice(0, -2)}"]`,
      said: [
        `l.requisition_id in (select requisition_id from requisition_search where requisition_id between ${Math.floor(lastId / 100) * 100} and ${Math.floor(lastId / 100) * 100 + 99}
          or requisition_id = ${Math.floor(lastId / 100)} union all select requisition_id from requisition_search where search_text like '%${String(lastId).slice(0, -2)}%')`,
      ],
    },
    {
      name: 'sales person',
      asked: `[salesId:${sales}]`,
      said: [`l.client_id in (select client_id from client_sales where sales_person_id = ${sales})`],
    },
    ...(service
      ? [
          {
            name: 'service person',
            asked: `[serviceId:${service}]`,
            said: [`l.client_id in (select id from client where service_person_id = ${service})`],
          },
        ]
      : []),
    ...names(samples),
    ...dates(samples),
    ...parts(samples),
    {
      name: 'client and month',
      asked: `[clientId:${clientLarge},dateCollected:"${month}"]`,
      said: [`l.client_id = ${clientLarge} and ${inMonth}`],
    },
    {
      name: 'test and month',
      asked: `[testCodes:${testCommon},dateCollected:"${month}"]`,
      said: testCondition(`select id from test where code = ${quoted(testCommon)}`).map(
        (test) => `${test} and ${inMonth}`,
      ),
    },
    {
      name: 'client and name',
      asked: `[clientId:${clientLarge},search:"${samples.commonName}"]`,
      said: [`l.client_id = ${clientLarge} and ${infix(samples.commonName)}`],
    },
  ]
}
