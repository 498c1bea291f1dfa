export interface BareCall {
  name: string
  /** Of the product. */
  path: string
  /** The best SQL we know for the same page. */
  page: string
  total: string
}

const wideRow = `l.requisition_id as id, p.first_name as "patientFirstName", p.last_name as "patientLastName", l.patient_dob as "patientDob", l.gender_code,
  l.status_code as "reqStatusCode", ph.first_name as "physFirstName", ph.last_name as "physLastName", c.legacy_client_id as "legacyClientId", c.name as "clientName",
  (select name from collaborator where id = l.collaborator_id) as "colaName", l.collected_at as "dateCollected", l.collected_zone as "collectedTz", l.received_at as "dateReceived",
  (select zone from lab where id = l.lab_id) as "labTz", l.logged_at as "dateLogged", l.reported_at, l.test_codes as "testCodes", l.bill_type_code, l.insurance_company, l.flag_ids,
  l.open_issue_count as "issueCount", l.is_partial_report, l.is_partial_release, l.released_at, l.is_send_notif, l.is_dem_qc_pass, l.is_downloadable, l.pass_reason_ids,
  c.transmit_method_code, l.delivery_method_code, l.delivered_at as "latestDeliveryDate", l.delivered_by, l.sales_rep_code as "salesRepCode"`

/** Keys first on the narrow row, then the names of the page's rows. */
const requisitions = (where: string, order: string, offset = 0) => `
  select ${wideRow} from (select l.requisition_id from requisition_list l where ${where} order by ${order} limit 25 offset ${offset}) k
  join requisition_list l on l.requisition_id = k.requisition_id
  join patient p on p.id = l.patient_id join client c on c.id = l.client_id join physician ph on ph.id = l.physician_id order by ${order}`

const counters = (where = 'true', scope = `scope = 'COLA'`) => `
  select coalesce(sum(n), 0) as total from (select status_code, n from requisition_count where ${scope}
  union all select status_code, n from requisition_count_delta_by_scope where ${scope}) x join requisition_status_type t on t.code = x.status_code where ${where}`

const list = (view: string, query: string) => `requisitions/${view}?perPage=25${query}`
const sort = (field: string, order: string) => `&sort=${encodeURIComponent(`[${field},${order}]`)}`
const filter = (text: string) => `&filter=${encodeURIComponent(text)}`

export const bareCalls: BareCall[] = [
  {
    name: 'countries, first page',
    path: 'countries?page=1&perPage=25',
    page: `select id, iso2 as "countryCode", long_name as "countryLongName" from country order by long_name, id limit 25`,
    total: 'select count(*) as total from country',
  },
  {
    name: 'All, first page',
    path: list('ALL', '&page=1'),
    page: requisitions('true', 'l.requisition_id'),
    total: counters(),
  },
  {
    name: 'All, newest collected',
    path: list('ALL', `&page=1${sort('dateCollected', 'DESC')}`),
    page: requisitions('true', 'l.collected_at desc, l.requisition_id desc'),
    total: counters(),
  },
  {
    name: 'All, page 400 by name',
    path: list('ALL', `&page=400${sort('patientLastName', 'ASC')}`),
    page: requisitions('true', 'l.patient_key, l.requisition_id', 399 * 25),
    total: counters(),
  },
  {
    name: 'Processing, first page',
    path: list('PROCESS', '&page=1'),
    page: requisitions(`l.tab_code = 'PROCESS'`, 'l.requisition_id'),
    total: counters(`t.tab_code = 'PROCESS'`),
  },
  {
    name: 'All of a client',
    path: list('ALL', `&page=1${filter('[clientId:5]')}`),
    page: requisitions('l.client_id = 5', 'l.requisition_id'),
    total: counters('true', `scope = 'CLNT' and scope_id = 5`),
  },
  {
    name: 'All, name search',
    path: list('ALL', `&page=1${filter('[search:"nguyen"]')}`),
    page: requisitions(
      `l.requisition_id in (select requisition_id from requisition_search where search_text like '%nguyen%')`,
      'l.requisition_id',
    ),
    total: `select count(*) as total from requisition_list l where l.requisition_id in (select requisition_id from requisition_search where search_text like '%nguyen%')`,
  },
]
