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
import { type Expression, expressionBuilder, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId, flag01 } from '../../platform/db/expressions.ts'
import type { DB } from '../../platform/db/types.ts'
import type { Sql } from '../../platform/lists.ts'
import { lookupDescription } from '../lookups/descriptions.ts'
import { isRequisitionFailed, visibleRequisition } from '../requisition-record/queries.ts'

/** The rows as PostgreSQL writes them in JSON, which is how instants appear in replies. */
const jsonRows = async <Row>(db: Db, query: Expression<Row>): Promise<Row[]> => {
  const { rows } = await sql<{ row: Row }>`select row_to_json(x) as row from (${query}) x`.execute(db)
  return rows.map(({ row }) => row)
}

// ── guarantor ───────────────────────────────────────────────────────────────────────────────────────────────────────

const selectBilling = (db: Db, requisitionId: number) =>
  db
    .selectFrom('billing as b')
    .innerJoin('requisition as r', 'r.id', 'b.requisition_id')
    .innerJoin('patient as p', 'p.id', 'r.patient_id')
    .leftJoin('state as s', 's.id', 'b.state_id')
    .where('b.requisition_id', '=', requisitionId)
    .select((eb) => [
      'b.id',
      'b.id as billId',
      'b.requisition_id as reqId',
      'r.patient_id as patientId',
      'r.bill_type_code as reqBillTypeCode',
      lookupDescription('REQBILLTYPE', eb.ref('r.bill_type_code')).as('reqBillTypeDesc'),
      'b.relation_type_code as relationTypeCode',
      lookupDescription('RELATIONTYPE', eb.ref('b.relation_type_code')).as('relationTypeDesc'),
      'b.guarantor_first_name as guarantorFirstName',
      'b.guarantor_middle_name as guarantorMiddleName',
      'b.guarantor_last_name as guarantorLastName',
      'b.guarantor_dob as guarantorDob',
      'b.guarantor_gender_code as guarantorGenderCode',
      lookupDescription('GENDER', eb.ref('b.guarantor_gender_code')).as('guarantorGenderDesc'),
      'b.state_id as guarantorStateId',
      's.long_name as guarantorState',
      'b.city as guarantorCity',
      'b.zip as guarantorZip',
      'b.addr1 as guarantorAddr1',
      'b.addr2 as guarantorAddr2',
      jsonBuildObject({
        guarantorFirstName: eb.ref('p.first_name'),
        guarantorMiddleName: eb.ref('p.middle_name'),
        guarantorLastName: eb.ref('p.last_name'),
        guarantorDob: eb.ref('p.dob'),
        guarantorGenderCode: eb.ref('p.gender_code'),
        guarantorStateId: eb.ref('p.state_id'),
        guarantorCity: eb.ref('p.city'),
        guarantorZip: eb.ref('p.zip'),
        guarantorAddr1: eb.ref('p.addr1'),
        guarantorAddr2: eb.ref('p.addr2'),
      }).as('patient'),
      'b.version',
    ])

/** Every requisition has one billing record; requisitions from before that rule get theirs when it is first read. */
export const getOrCreateBilling = async (db: Db, requisitionId: number): Promise<Billing> => {
  const [found] = await jsonRows(db, selectBilling(db, requisitionId))
  if (found) return found
  await db
    .insertInto('billing')
    .values({ requisition_id: requisitionId })
    .onConflict((oc) => oc.doNothing())
    .execute()
  const [created] = await jsonRows(db, selectBilling(db, requisitionId))
  return created as Billing
}

// ── insurances ──────────────────────────────────────────────────────────────────────────────────────────────────────

const selectInsurances = (db: Db) =>
  db
    .selectFrom('insurance as i')
    .innerJoin('billing as b', 'b.id', 'i.billing_id')
    .where('i.deleted_at', 'is', null)
    .select((eb) => [
      'i.id',
      'i.id as insuranceId',
      'i.billing_id as billId',
      'b.requisition_id as reqId',
      'i.patient_id as patientId',
      eb.ref('i.billing_order').$castTo<BillingOrder>().as('billingOrder'),
      'i.bill_type_code as reqBillTypeCode',
      lookupDescription('REQBILLTYPE', eb.ref('i.bill_type_code')).as('reqBillTypeDesc'),
      'i.company_name as insuranceCompany',
      'i.company_no as insuranceCompanyNo',
      'i.policy_holder as policyHolder',
      'i.policy_no as policyNo',
      'i.policy_no as policyNumber',
      'i.group_no as groupNo',
      'i.insured_dob as insuredDob',
      'i.version',
    ])

const withOrderName = <Row extends { billingOrder: BillingOrder }>(row: Row) => ({
  ...row,
  billingOrderDesc: billingOrders[row.billingOrder],
})

/** In the order in which they are billed. */
export const listInsurances = async (db: Db, billId: number): Promise<Insurance[]> => {
  const rows = await jsonRows(db, selectInsurances(db).where('i.billing_id', '=', billId).orderBy('i.billing_order'))
  return rows.map(withOrderName)
}

/** Of the patient's requisitions that the reader may see. */
const selectPreviousInsurances = (db: Db, actor: Actor, patientId: number) =>
  selectInsurances(db)
    .innerJoin('requisition as r', 'r.id', 'b.requisition_id')
    .where('i.patient_id', '=', patientId)
    .where('r.patient_id', '=', patientId)
    .where('r.deleted_at', 'is', null)
    .where(visibleRequisition(actor, sql`r.id`))

export const findPreviousInsurance = async (
  db: Db,
  actor: Actor,
  { patientId, useBillId, useInsuranceId }: { patientId: number; useBillId: number; useInsuranceId: number },
): Promise<Insurance | undefined> => {
  const [row] = await jsonRows(
    db,
    selectPreviousInsurances(db, actor, patientId)
      .where('i.id', '=', useInsuranceId)
      .where('i.billing_id', '=', useBillId),
  )
  return row && withOrderName(row)
}

/** Each policy once, from the latest requisition that had it. */
export const listPreviousInsurances = async (db: Db, actor: Actor, patientId: number): Promise<PreviousInsurance[]> => {
  const { fn } = expressionBuilder<{ i: DB['insurance'] }, 'i'>()
  const company = fn('upper', ['i.company_name'])
  const policyNo = fn('upper', [fn.coalesce('i.policy_no', sql.lit(''))])
  const groupNo = fn('upper', [fn.coalesce('i.group_no', sql.lit(''))])
  const latest = selectPreviousInsurances(db, actor, patientId)
    .distinctOn([company, policyNo, groupNo])
    .select(['r.collected_at as dateCollected', 'r.collected_zone as collectedTz'])
    .orderBy(company)
    .orderBy(policyNo)
    .orderBy(groupNo)
    .orderBy('r.collected_at', 'desc')
    .orderBy('i.id', 'desc')
  const rows = await jsonRows(
    db,
    db.selectFrom(latest.as('p')).selectAll().orderBy('p.dateCollected', 'desc').orderBy('p.id', 'desc'),
  )
  return rows.map(withOrderName)
}

// ── ICD codes ───────────────────────────────────────────────────────────────────────────────────────────────────────

const selectIcds = (db: Db) =>
  db
    .selectFrom('requisition_icd as x')
    .innerJoin('icd as i', 'i.id', 'x.icd_id')
    .select((eb) => [
      'i.id',
      'i.id as icdId',
      'i.code as icdCode',
      'i.description as icdDesc',
      flag01(eb.ref('i.is_custom')).as('customIcd'),
    ])

/** In the order in which they were added: the first is the principal one of a claim. */
export const listIcds = (db: Db, requisitionId: number): Promise<RequisitionIcd[]> =>
  selectIcds(db).where('x.requisition_id', '=', requisitionId).orderBy('x.added_order').execute()

/** Codes of the patient's other requisitions that this one lacks. */
export const listPreviousIcds = (
  db: Db,
  actor: Actor,
  requisition: { id: number; patient_id: number },
): Promise<PreviousIcd[]> =>
  selectIcds(db)
    .innerJoin('requisition as r', 'r.id', 'x.requisition_id')
    .select((eb) => eb.fn.max('r.id').as('reqId'))
    .where('r.patient_id', '=', requisition.patient_id)
    .where('r.id', '<>', requisition.id)
    .where('r.deleted_at', 'is', null)
    .where(visibleRequisition(actor, sql`r.id`))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('requisition_icd as own')
            .select('own.icd_id')
            .where('own.requisition_id', '=', requisition.id)
            .whereRef('own.icd_id', '=', 'i.id'),
        ),
      ),
    )
    .groupBy('i.id')
    .orderBy((eb) => eb.fn.max('r.id'), 'desc')
    .orderBy('i.code')
    .limit(sql.lit(50))
    .execute()

/** The listed code that was meant, typed with or without its dot. */
export const findIcd = (db: Db, code: string): Promise<{ id: number; code: string } | undefined> =>
  db
    .selectFrom('icd')
    .select(['id', 'code'])
    .where('is_active', '=', sql.lit(true))
    .where(
      (eb) => eb.fn<string>('upper', [eb.fn('replace', ['code', sql.lit('.'), sql.lit('')])]),
      '=',
      code.replaceAll('.', ''),
    )
    .orderBy((eb) => eb(eb.fn<string>('upper', ['code']), '=', code), 'desc')
    .orderBy('is_custom')
    .limit(sql.lit(1))
    .executeTakeFirst()

// ── notes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Notes without a person come from the billing run. */
export const listNotes = (db: Db, requisitionId: number): Promise<BillNote[]> =>
  jsonRows(
    db,
    db
      .selectFrom('billing_note as n')
      .leftJoin('app_user as u', 'u.id', 'n.created_by')
      .select((eb) => [
        'n.id',
        'n.note',
        'n.created_at as billNoteCreateDate',
        sql<string>`coalesce(${eb.ref('u.first_name')} || ' ' || ${eb.ref('u.last_name')}, 'Billing run')`.as(
          'billNoteCreateByName',
        ),
      ])
      .where('n.requisition_id', '=', requisitionId)
      .where('n.deleted_at', 'is', null)
      .orderBy('n.created_at', 'desc')
      .orderBy('n.id', 'desc'),
  )

// ── charges ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A test to be paid for; the amount is null if the client has no price for it. */
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
 * What the tests of some requisitions cost their clients today, as a statement with the columns of `Charge`. A requisition is billed in one
 * currency: the one in which most of its tests have a price, US dollars on a tie. Retests and failed tests (alone or with their
 * requisition) are not billed; calculated tests only if they have a price and a result ('Not calculated' is none).
 * The currency is found by sorting, not by a self-join of the tests: the planner expects one requisition of a year's, and would scan all of
 * them for each.
 */
export const chargesWhere = (isWanted: (requisitionId: Sql) => Sql): Expression<Charge> =>
  sql<Charge>`with line as (
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
  jsonRows(
    db,
    chargesWhere((requisitionId) => sql`${requisitionId} = ${anyId(requisitionIds)}`),
  )

/** Nobody pays for it, whatever it would have cost. */
export const withoutCharge = (charge: Charge): Charge => ({
  ...charge,
  amount: '0.00',
  currencyCode: charge.currencyCode ?? 'USD',
})

/** The last sent batch of each requisition that billed it, with the bill type; a batch that left it out did not. */
export const lastSentBatches = (requisitionIds: readonly number[]) =>
  expressionBuilder<DB>()
    .selectFrom('billing_batch_item as i')
    .innerJoin('billing_batch as b', 'b.id', 'i.batch_id')
    .distinctOn('i.requisition_id')
    .select(['i.requisition_id', 'i.batch_id', 'i.bill_type_code', 'b.bill_send_at as sent_at'])
    .where('i.requisition_id', '=', anyId(requisitionIds))
    .where('i.left_out', 'is', null)
    .where('b.send_status_code', '=', sql.lit('SENT'))
    .orderBy('i.requisition_id')
    .orderBy('i.batch_id', 'desc')

/** What a sent batch charged, nothing if it was 'No charge'; with `batchId` null, the last one of each requisition. */
export const listBilledCharges = (
  db: Db,
  requisitionIds: readonly number[],
  batchId: number | null,
): Promise<Charge[]> =>
  jsonRows(
    db,
    db
      .selectFrom('billing_charge as b')
      .innerJoin('test as c', 'c.id', 'b.test_id')
      .select((eb) => [
        'b.requisition_id as requisitionId',
        'c.id as testId',
        'c.code as testCode',
        'c.description as testDesc',
        'c.cpt_code as cptCode',
        eb.cast<string>('b.amount', 'text').as('amount'),
        'b.currency_code as currencyCode',
      ])
      .where('b.requisition_id', '=', anyId(requisitionIds))
      .where(({ eb, refTuple, selectFrom }) =>
        batchId === null
          ? eb(
              refTuple('b.requisition_id', 'b.batch_id'),
              'in',
              selectFrom(lastSentBatches(requisitionIds).as('x'))
                .select(['x.requisition_id', 'x.batch_id'])
                .$asTuple('requisition_id', 'batch_id'),
            )
          : eb('b.batch_id', '=', batchId),
      )
      .orderBy('b.requisition_id')
      .orderBy('c.sort_order')
      .orderBy('c.code'),
  )

// ── what is owed ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Charges {
  /** Fixed by a sent batch. */
  isFrozen: boolean
  charges: Charge[]
  /** The sum of the prices, one per currency. */
  charged: Money[]
}

const isPriced = (charge: Charge): charge is Charge & Money => charge.amount !== null && charge.currencyCode !== null

/** What the last sent batch charged for each requisition; without one, what its tests cost today. */
export const readChargesByRequisition = async (
  db: Db,
  requisitionIds: readonly number[],
): Promise<Map<number, Charges>> => {
  const billTypes = await db
    .selectFrom('requisition as r')
    .leftJoin(lastSentBatches(requisitionIds).as('b'), 'b.requisition_id', 'r.id')
    .select(['r.id', 'r.bill_type_code as now', 'b.bill_type_code as billed'])
    .where('r.id', '=', anyId(requisitionIds))
    .execute()
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
  const payments = await db
    .selectFrom('payment')
    .select((eb) => [
      'requisition_id as id',
      sql<string>`(-sum(${eb.ref('amount')}))::text`.as('amount'),
      'currency_code as currencyCode',
    ])
    .where('requisition_id', '=', anyId(requisitionIds))
    .where('deleted_at', 'is', null)
    .groupBy(['requisition_id', 'currency_code'])
    .execute()
  const paid = Map.groupBy(payments, ({ id }) => id)
  return new Map([...charges].map(([id, { charged }]) => [id, sumByCurrency([...charged, ...(paid.get(id) ?? [])])]))
}
