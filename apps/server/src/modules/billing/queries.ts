import {
  type Billing,
  type BillingOrder,
  type BillNote,
  billingOrders,
  type Insurance,
  type PreviousIcd,
  type PreviousInsurance,
  type RequisitionIcd,
} from '@lis/contract/billing.ts'
import { type Money, sumByCurrency } from '@lis/contract/money.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/lists.ts'
import { isRequisitionFailed, visibleRequisition } from '../requisition-record/queries.ts'

const rowsOf = async <Row>(db: Db, select: Sql): Promise<Row[]> => {
  const { rows } = await sql<{ row: Row }>`select row_to_json(x) as row from (${select}) x`.execute(db)
  return rows.map(({ row }) => row)
}

const lov = (type: string, code: Sql) =>
  sql`(select description from lov where type_code = ${sql.lit(type)} and code = ${code})`

// ── guarantor ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every requisition has one billing record; older ways in have left it out, so it is made when it is first asked for. */
export const getOrCreateBilling = async (db: Db, requisitionId: number): Promise<Billing> => {
  const select = sql`
    select b.id, b.id as "billId", b.requisition_id as "reqId", r.patient_id as "patientId", r.bill_type_code as "reqBillTypeCode",
      ${lov('REQBILLTYPE', sql`r.bill_type_code`)} as "reqBillTypeDesc", b.relation_type_code as "relationTypeCode",
      ${lov('RELATIONTYPE', sql`b.relation_type_code`)} as "relationTypeDesc", b.guarantor_first_name as "guarantorFirstName",
      b.guarantor_middle_name as "guarantorMiddleName", b.guarantor_last_name as "guarantorLastName", b.guarantor_dob as "guarantorDob",
      b.guarantor_gender_code as "guarantorGenderCode", ${lov('GENDER', sql`b.guarantor_gender_code`)} as "guarantorGenderDesc",
      b.state_id as "guarantorStateId", s.long_name as "guarantorState", b.city as "guarantorCity", b.zip as "guarantorZip",
      b.addr1 as "guarantorAddr1", b.addr2 as "guarantorAddr2",
      json_build_object('guarantorFirstName', p.first_name, 'guarantorMiddleName', p.middle_name, 'guarantorLastName', p.last_name, 'guarantorDob', p.dob,
        'guarantorGenderCode', p.gender_code, 'guarantorStateId', p.state_id, 'guarantorCity', p.city, 'guarantorZip', p.zip, 'guarantorAddr1', p.addr1, 'guarantorAddr2', p.addr2) as patient,
      b.version
    from billing b join requisition r on r.id = b.requisition_id join patient p on p.id = r.patient_id left join state s on s.id = b.state_id where b.requisition_id = ${requisitionId}`
  const [known] = await rowsOf<Billing>(db, select)
  if (known) return known
  await sql`insert into billing (requisition_id) values (${requisitionId}) on conflict do nothing`.execute(db)
  const [made] = await rowsOf<Billing>(db, select)
  return made as Billing
}

// ── insurances ──────────────────────────────────────────────────────────────────────────────────────────────────────

const insuranceFields = sql`
  i.id, i.id as "insuranceId", i.billing_id as "billId", b.requisition_id as "reqId", i.patient_id as "patientId", i.billing_order as "billingOrder",
  i.bill_type_code as "reqBillTypeCode", ${lov('REQBILLTYPE', sql`i.bill_type_code`)} as "reqBillTypeDesc", i.company_name as "insuranceCompany",
  i.company_no as "insuranceCompanyNo", i.policy_holder as "policyHolder", i.policy_no as "policyNo", i.policy_no as "policyNumber",
  i.group_no as "groupNo", i.insured_dob as "insuredDob", i.version`

const named = <Row extends { billingOrder: BillingOrder }>(row: Row) => ({
  ...row,
  billingOrderDesc: billingOrders[row.billingOrder],
})

/** In the order in which they are billed. */
export const listInsurances = async (db: Db, billId: number): Promise<Insurance[]> => {
  const rows = await rowsOf<Insurance>(
    db,
    sql`select ${insuranceFields} from insurance i join billing b on b.id = i.billing_id
      where i.billing_id = ${billId} and i.deleted_at is null order by i.billing_order`,
  )
  return rows.map(named)
}

const ofPatient = (actor: Actor, patientId: number) =>
  sql`i.patient_id = ${patientId} and r.patient_id = ${patientId} and i.deleted_at is null and r.deleted_at is null and ${visibleRequisition(actor, sql`r.id`)}`

export const findPreviousInsurance = async (
  db: Db,
  actor: Actor,
  { patientId, useBillId, useInsuranceId }: { patientId: number; useBillId: number; useInsuranceId: number },
): Promise<Insurance | undefined> => {
  const [row] = await rowsOf<Insurance>(
    db,
    sql`select ${insuranceFields} from insurance i join billing b on b.id = i.billing_id join requisition r on r.id = b.requisition_id
      where i.id = ${useInsuranceId} and i.billing_id = ${useBillId} and ${ofPatient(actor, patientId)}`,
  )
  return row && named(row)
}

/** From the patient's requisitions that the reader may see; one policy once, from the requisition that had it last. */
export const listPreviousInsurances = async (db: Db, actor: Actor, patientId: number): Promise<PreviousInsurance[]> => {
  const rows = await rowsOf<PreviousInsurance>(
    db,
    sql`select * from (
      select distinct on (upper(i.company_name), upper(coalesce(i.policy_no, '')), upper(coalesce(i.group_no, ''))) ${insuranceFields}, r.collected_at as "dateCollected", r.collected_zone as "collectedTz"
      from insurance i join billing b on b.id = i.billing_id join requisition r on r.id = b.requisition_id
      where ${ofPatient(actor, patientId)}
      order by upper(i.company_name), upper(coalesce(i.policy_no, '')), upper(coalesce(i.group_no, '')), r.collected_at desc, i.id desc) p
      order by p."dateCollected" desc, p.id desc`,
  )
  return rows.map(named)
}

// ── ICD codes ───────────────────────────────────────────────────────────────────────────────────────────────────────

const icdFields = sql`i.id, i.id as "icdId", i.code as "icdCode", i.description as "icdDesc", case when i.is_custom then 1 else 0 end as "customIcd"`

/** In the order in which they were added: the first is the principal one of a claim. */
export const listIcds = (db: Db, requisitionId: number): Promise<RequisitionIcd[]> =>
  rowsOf(
    db,
    sql`select ${icdFields} from requisition_icd x join icd i on i.id = x.icd_id where x.requisition_id = ${requisitionId} order by x.added_order`,
  )

/** What the patient's other requisitions had and this one has not. */
export const listPreviousIcds = (
  db: Db,
  actor: Actor,
  requisition: { id: number; patient_id: number },
): Promise<PreviousIcd[]> =>
  rowsOf(
    db,
    sql`select ${icdFields}, max(r.id) as "reqId" from requisition r join requisition_icd x on x.requisition_id = r.id join icd i on i.id = x.icd_id
      where r.patient_id = ${requisition.patient_id} and r.id <> ${requisition.id} and r.deleted_at is null and ${visibleRequisition(actor, sql`r.id`)}
        and not exists (select from requisition_icd own where own.requisition_id = ${requisition.id} and own.icd_id = i.id)
      group by i.id order by max(r.id) desc, i.code limit 50`,
  )

/** The code of the list that was meant, typed with or without its dot. */
export const findIcd = async (db: Db, code: string): Promise<{ id: number; code: string } | undefined> => {
  const { rows } = await sql<{ id: number; code: string }>`
    select id, code from icd where is_active and upper(replace(code, '.', '')) = ${code.replaceAll('.', '')}
    order by upper(code) = ${code} desc, is_custom limit 1`.execute(db)
  return rows[0]
}

// ── notes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Notes without a person come from the billing run. */
export const listNotes = (db: Db, requisitionId: number): Promise<BillNote[]> =>
  rowsOf(
    db,
    sql`select n.id, n.note, n.created_at as "billNoteCreateDate", coalesce(u.first_name || ' ' || u.last_name, 'Billing run') as "billNoteCreateByName"
      from billing_note n left join app_user u on u.id = n.created_by
      where n.requisition_id = ${requisitionId} and n.deleted_at is null order by n.created_at desc, n.id desc`,
  )

// ── charges ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A test that is to be paid for; without an amount the client has no price for it. */
export interface Charge {
  requisitionId: number
  testId: number
  testCode: string
  testDesc: string
  cptCode: string | null
  amount: string | null
  currencyCode: string | null
}

/**
 * What the tests of some requisitions cost their clients today, a statement with the columns of `Charge`. A requisition is billed in one
 * currency: the one that most of its tests have a price in, US dollars first. Repeats and tests that failed, alone or with their whole
 * requisition, are not billed; calculated ones only where they have a price and gave a result, which 'Not calculated' is not.
 * The currency is found by sorting and not by a join of the tests with themselves: of the requisitions of a year the planner expects one,
 * and would go through all of them for each.
 */
export const chargesWhere = (isWanted: (requisitionId: Sql) => Sql): Sql =>
  sql`with line as (
      select t.id, t.requisition_id, r.client_id, c.id as test_id, c.code, c.description, c.cpt_code, c.is_calculated, c.sort_order
      from requisition_test t join test c on c.id = t.test_id join requisition r on r.id = t.requisition_id
      where ${isWanted(sql`t.requisition_id`)} and t.deleted_at is null and not t.is_retest
        and not ${isRequisitionFailed(sql`t.requisition_id`)}
        and (t.result is not null or not c.is_calculated and not exists (select from requisition_test_reason x join reason f on f.id = x.reason_id and f.type_code = 'FAIL' where x.requisition_test_id = t.id))
    ), priced as (
      select l.*, p.price, p.currency_code, count(p.id) over (partition by l.requisition_id, p.currency_code) as uses
      from line l left join client_test_price p on p.client_id = l.client_id and p.test_id = l.test_id and p.deleted_at is null
    ), billed as (
      select *, first_value(currency_code) over (partition by requisition_id order by uses desc, currency_code <> 'USD', currency_code) as billed_in from priced
    )
    select requisition_id as "requisitionId", test_id as "testId", code as "testCode", description as "testDesc", cpt_code as "cptCode",
      (max(price) filter (where currency_code = billed_in))::text as amount, billed_in as "currencyCode"
    from billed group by id, requisition_id, test_id, code, description, cpt_code, is_calculated, sort_order, billed_in
    having not is_calculated or bool_or(currency_code = billed_in) order by requisition_id, sort_order, code`

export const listCharges = (db: Db, requisitionIds: readonly number[]): Promise<Charge[]> =>
  rowsOf(
    db,
    chargesWhere((requisitionId) => sql`${requisitionId} = any(${[...requisitionIds]}::bigint[])`),
  )

/** Nobody pays for it, whatever it would have cost. */
export const withoutCharge = (charge: Charge): Charge => ({
  ...charge,
  amount: '0.00',
  currencyCode: charge.currencyCode ?? 'USD',
})

/** The last sent batch of each requisition, and who paid by it; what it was left out of has not billed it. */
export const lastSentBatches = (requisitionIds: readonly number[]) =>
  sql`select distinct on (i.requisition_id) i.requisition_id, i.batch_id, i.bill_type_code, b.bill_send_at as sent_at
    from billing_batch_item i join billing_batch b on b.id = i.batch_id
    where i.requisition_id = any(${[...requisitionIds]}::bigint[]) and i.left_out is null and b.send_status_code = 'SENT'
    order by i.requisition_id, i.batch_id desc`

/** What a sent batch charged, nothing where it was 'No charge'; with `batchId` null, the last one of each requisition. */
export const listBilledCharges = (
  db: Db,
  requisitionIds: readonly number[],
  batchId: number | null,
): Promise<Charge[]> =>
  rowsOf(
    db,
    sql`select b.requisition_id as "requisitionId", c.id as "testId", c.code as "testCode", c.description as "testDesc", c.cpt_code as "cptCode",
      b.amount::text as amount, b.currency_code as "currencyCode"
    from billing_charge b join test c on c.id = b.test_id
    where b.requisition_id = any(${[...requisitionIds]}::bigint[]) and ${
      batchId === null
        ? sql`(b.requisition_id, b.batch_id) in (select x.requisition_id, x.batch_id from (${lastSentBatches(requisitionIds)}) x)`
        : sql`b.batch_id = ${batchId}::int`
    }
    order by b.requisition_id, c.sort_order, c.code`,
  )

// ── what is owed ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Charges {
  /** By a batch that was sent. */
  isFrozen: boolean
  charges: Charge[]
  /** One sum per currency of what has a price. */
  charged: Money[]
}

const isPriced = (charge: Charge): charge is Charge & Money => charge.amount !== null && charge.currencyCode !== null

/** What the last sent batch charged for each requisition; without one, what its tests cost today. */
export const readChargesByRequisition = async (
  db: Db,
  requisitionIds: readonly number[],
): Promise<Map<number, Charges>> => {
  const { rows: billTypes } = await sql<{ id: number; now: string | null; billed: string | null }>`
    select r.id, r.bill_type_code as now, b.bill_type_code as billed from requisition r
      left join (${lastSentBatches(requisitionIds)}) b on b.requisition_id = r.id where r.id = any(${[...requisitionIds]}::bigint[])`.execute(
    db,
  )
  const billed = Map.groupBy(await listBilledCharges(db, requisitionIds, null), ({ requisitionId }) => requisitionId)
  const open = requisitionIds.filter((id) => !billed.has(id))
  const priced = Map.groupBy(await listCharges(db, open), ({ requisitionId }) => requisitionId)
  return new Map(
    billTypes.map((billType) => {
      const isFrozen = billed.has(billType.id) || billType.billed === 'NOCHARGE'
      const charges = billed.get(billType.id) ?? priced.get(billType.id) ?? []
      const isFree = (isFrozen ? billType.billed : billType.now) === 'NOCHARGE'
      const due = isFree ? charges.map(withoutCharge) : charges
      return [billType.id, { isFrozen, charges: due, charged: sumByCurrency(due.filter(isPriced)) }]
    }),
  )
}

/** What is still owed for each requisition, one amount per currency. */
export const readBalances = async (db: Db, requisitionIds: readonly number[]): Promise<Map<number, Money[]>> => {
  const charges = await readChargesByRequisition(db, requisitionIds)
  const { rows: payments } = await sql<Money & { id: number }>`
    select requisition_id as id, (-sum(amount))::text as amount, currency_code as "currencyCode" from payment
    where requisition_id = any(${[...requisitionIds]}::bigint[]) and deleted_at is null group by requisition_id, currency_code`.execute(
    db,
  )
  const paid = Map.groupBy(payments, ({ id }) => id)
  return new Map([...charges].map(([id, { charged }]) => [id, sumByCurrency([...charged, ...(paid.get(id) ?? [])])]))
}
