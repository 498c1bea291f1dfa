import { sendStatuses } from '@lis/contract/billing-batches.ts'
import { type Money, sumByCurrency } from '@lis/contract/money.ts'
import { sql } from 'kysely'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { notFound } from '../../platform/errors.ts'
import { isOnHomeDays } from '../../platform/home-zone.ts'
import { isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { chargesWhere, listBilledCharges, listCharges } from '../billing/queries.ts'
import { lookupDescription } from '../lookups/descriptions.ts'
import type { BillItem } from './bill-item.ts'

const statusName = sql`case b.send_status_code ${sql.join(
  Object.entries(sendStatuses).map(([code, name]) => sql`when ${sql.lit(code)} then ${sql.lit(name)}`),
  sql` `,
)} end`

/** Batch `b` was sent on these days of the laboratory's zone; with two laboratories, the first one's. */
export const isSentBetween = (from: Sql, to: Sql): Sql => isOnHomeDays(sql`b.bill_send_at`, { from, to })

/** Newest first. */
export const batchList: ListDefinition = {
  from: sql`billing_batch b left join app_user u on u.id = b.created_by`,
  where: [sql`b.deleted_at is null`],
  fields: {
    id: sql`b.id`,
    billSendDate: sql`b.bill_send_at`,
    recordCount: sql`b.record_count`,
    sendStatusCode: sql`b.send_status_code`,
    sendStatusDesc: statusName,
    createDate: sql`b.created_at`,
    createByName: sql`u.first_name || ' ' || u.last_name`,
    version: sql`b.version`,
  },
  filter: {
    id: isOneOfIds(sql`b.id`, 'id'),
    sendStatusCode: isOneOf(sql`b.send_status_code`),
    billSendDate: (value) => {
      const { from, to } = requireDays('billSendDate', value)
      return isSentBetween(from, to)
    },
  },
  defaultOrder: sql`b.id desc`,
  key: sql`b.id`,
}

/** The total of each batch, one amount per currency: as charged if it was sent, otherwise at today's prices. */
export const batchTotals = async (db: Db, batchIds: readonly number[]): Promise<Map<number, Money[]>> => {
  const items = sql`select i.batch_id, i.requisition_id from billing_batch_item i join billing_batch b on b.id = i.batch_id join requisition r on r.id = i.requisition_id
    where i.batch_id = any(${[...batchIds]}::int[]) and b.send_status_code <> 'SENT' and r.deleted_at is null
      and coalesce(i.bill_type_code, r.bill_type_code) is distinct from 'NOCHARGE'`
  const { rows } = await sql<Money & { id: number }>`
    select batch_id as id, currency_code as "currencyCode", sum(amount)::text as amount from billing_charge
      where batch_id = any(${[...batchIds]}::int[]) group by batch_id, currency_code
    union all
    select i.batch_id, c."currencyCode", sum(c.amount::numeric)::text from (${items}) i
      join (${chargesWhere((id) => sql`${id} in (select requisition_id from (${items}) x)`)}) c on c."requisitionId" = i.requisition_id
      where c.amount is not null group by i.batch_id, c."currencyCode"`.execute(db)
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, sums]) => [id, sumByCurrency(sums)]))
}

export interface BatchHead {
  id: number
  send_status_code: 'PENDING' | 'SENT' | 'FAILED'
  bill_send_at: string | null
}

export const findBatches = (db: Db, ids: readonly number[]): Promise<BatchHead[]> =>
  db
    .selectFrom('billing_batch')
    .select((eb) => [
      'id',
      eb.ref('send_status_code').$castTo<BatchHead['send_status_code']>().as('send_status_code'),
      'bill_send_at',
    ])
    .where('id', '=', sql<number>`any(${[...ids]}::int[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()

export const getBatch = async (db: Db, id: number): Promise<BatchHead> => {
  const [found] = await findBatches(db, [id])
  if (!found) throw notFound('Billing batch')
  return found
}

/** Until the end of the transaction, so that a batch is sent once. */
export const lockBatch = async (trx: Trx, id: number): Promise<BatchHead> => {
  await trx.selectFrom('billing_batch').select('id').where('id', '=', bigint(id)).forUpdate().execute()
  return getBatch(trx, id)
}

export const openItemIds = async (trx: Trx, batchId: number): Promise<number[]> => {
  const rows = await trx
    .selectFrom('billing_batch_item')
    .select('requisition_id as id')
    .where('batch_id', '=', batchId)
    .where('is_open', '=', sql.lit(true))
    .orderBy('requisition_id')
    .execute()
  return rows.map(({ id }) => id)
}

/** By requisition, the batch that has it and is not sent yet. */
export const findOpenBatches = async (db: Db, requisitionIds: readonly number[]): Promise<Map<number, number>> => {
  const rows = await db
    .selectFrom('billing_batch_item')
    .select(['requisition_id as id', 'batch_id as batch'])
    .where('is_open', '=', sql.lit(true))
    .where('requisition_id', '=', anyId(requisitionIds))
    .execute()
  return new Map(rows.map(({ id, batch }) => [id, batch]))
}

const address = (table: string) => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`'addr1', ${column('addr1')}, 'addr2', ${column('addr2')}, 'city', ${column('city')}, 'zip', ${column('zip')},
    'state', (select code from state where id = ${column('state_id')}),
    'country', (select country.iso2 from state join country on country.id = state.country_id where state.id = ${column('state_id')})`
}

/** Requisitions that are ready, and those that were set to 'in batch' by hand though no batch has them; the plan is the only place to find these. */
const waiting = (more: Sql) => [
  sql`select requisition_id as id from requisition_list where status_code = 'READYBILL' ${more}`,
  sql`select requisition_id as id from requisition_list where status_code = 'INBILL'
    and not exists (select from billing_batch_item i where i.requisition_id = requisition_list.requisition_id and i.is_open) ${more}`,
]

/** The next requisitions in order of id after `last`. */
export const listWaitingIds = async (db: Db, last: number, most: number): Promise<number[]> => {
  // Each kind on its own, so that its rows come from the index in order.
  const kinds = waiting(sql`and requisition_id > ${last} order by requisition_id limit ${most}`)
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(
      kinds.map((kind) => sql`(${kind})`),
      sql` union all `,
    )}) x order by id limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

export const countWaiting = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (${sql.join(waiting(sql``), sql` union all `)}) x`.execute(db)
  return rows[0]?.n ?? 0
}

/** The requisitions of a batch with their charges: as billed if it was sent, otherwise current ones. */
export const readBatchItems = (db: Db, batch: BatchHead): Promise<BillItem[]> =>
  readItems(
    db,
    sql`(select requisition_id, bill_type_code, left_out from billing_batch_item where batch_id = ${batch.id})`,
    batch.send_status_code === 'SENT' ? batch.id : null,
  )

/** The same for requisitions that are in no batch. */
export const readItemsOfRequisitions = (db: Db, ids: readonly number[]): Promise<BillItem[]> =>
  readItems(
    db,
    sql`(select id as requisition_id, null::text as bill_type_code, null::text as left_out from unnest(${[...ids]}::bigint[]) as id)`,
    null,
  )

const readItems = async (db: Db, source: Sql, sentBatchId: number | null): Promise<BillItem[]> => {
  const { rows } = await sql<{ row: Omit<BillItem, 'charges'> }>`select row_to_json(x) as row from (
    select r.id as "reqId", r.status_code as "statusCode", coalesce(i.bill_type_code, r.bill_type_code) as "billTypeCode",
      ${lookupDescription('REQBILLTYPE', sql`coalesce(i.bill_type_code, r.bill_type_code)`)} as "billTypeDesc",
      (r.collected_at at time zone r.collected_zone)::date as "serviceDate", coalesce(b.relation_type_code, 'SELF') as "relationTypeCode",
      json_build_object('id', p.id, 'firstName', p.first_name, 'middleName', p.middle_name, 'lastName', p.last_name, 'dob', p.dob, 'gender', p.gender_code, ${address('p')}) as patient,
      case when b.relation_type_code <> 'SELF' and b.guarantor_last_name is not null
        then json_build_object('name', concat_ws(' ', b.guarantor_first_name, b.guarantor_middle_name, b.guarantor_last_name), ${address('b')}) end as guarantor,
      json_build_object('id', co.id, 'name', co.name, ${address('co')}) as collaborator,
      json_build_object('name', lab.name, 'phone', lab.phone, 'clia', lab.clia_number, ${address('lab')}) as lab,
      coalesce((select json_agg(json_build_object('testId', t.test_id, 'clia', o.clia_number) order by t.test_id) from requisition_test t
        join instrument m on m.id = t.instrument_id join lab o on o.id = m.lab_id
        where t.requisition_id = r.id and t.deleted_at is null and not t.is_retest and o.id <> r.lab_id), '[]') as referred,
      json_build_object('id', c.id, 'legacyId', c.legacy_client_id, 'name', c.name, ${address('c')}) as client,
      json_build_object('firstName', ph.first_name, 'lastName', ph.last_name, 'npi', ph.npi_number) as physician,
      array(select d.code from requisition_icd x join icd d on d.id = x.icd_id where x.requisition_id = r.id order by x.added_order) as "icdCodes",
      array(select d.code from requisition_icd x join icd d on d.id = x.icd_id where x.requisition_id = r.id and (d.is_custom or not d.is_active) order by x.added_order) as "unlistedIcds",
      coalesce((select json_agg(json_build_object('billingOrder', n.billing_order, 'billTypeCode', n.bill_type_code, 'company', n.company_name, 'companyNo', n.company_no,
        'policyHolder', n.policy_holder, 'policyNo', n.policy_no, 'groupNo', n.group_no, 'insuredDob', n.insured_dob) order by n.billing_order)
        from insurance n where n.billing_id = b.id and n.deleted_at is null), '[]') as insurances,
      l.test_codes as "testCodes", i.left_out as "leftOut"
    from ${source} i join requisition r on r.id = i.requisition_id join requisition_list l on l.requisition_id = r.id join patient p on p.id = r.patient_id
      join client c on c.id = r.client_id join collaborator co on co.id = r.collaborator_id join lab on lab.id = r.lab_id
      join physician ph on ph.id = r.physician_id left join billing b on b.requisition_id = r.id
    where r.deleted_at is null order by r.id) x`.execute(db)
  const ids = rows.map(({ row }) => row.reqId)
  const frozen = sentBatchId === null ? [] : await listBilledCharges(db, ids, sentBatchId)
  const known = new Set(frozen.map(({ requisitionId }) => requisitionId))
  const current = await listCharges(
    db,
    ids.filter((id) => !known.has(id)),
  )
  const charges = Map.groupBy([...frozen, ...current], ({ requisitionId }) => requisitionId)
  return rows.map(({ row }) => ({ ...row, charges: charges.get(row.reqId) ?? [] }))
}
