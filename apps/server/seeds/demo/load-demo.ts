import { companyDefaultsKey } from '@lis/contract/requisitions/create.ts'
import type { PoolClient } from 'pg'
import type { Pool } from '../../src/platform/db/pool.ts'
import { demoSetting, writeSetting } from '../settings.ts'
import { withTransaction } from '../with-transaction.ts'
import { addAuditEntries, beginStates } from './audit.ts'
import { addBatches } from './batches.ts'
import { analyzeTables, readModelTables, sourceTables, withoutIndexes, withoutTriggers } from './bulk.ts'
import { readCatalogue } from './catalogue.ts'
import { houseEvent } from './clients.ts'
import { houseCollaborator } from './collaborators.ts'
import { CopyBatch, Ids } from './copy.ts'
import type { Demo } from './draft.ts'
import { FileShelf, type ReportFileSink } from './files.ts'
import { makeOrderBook } from './orders.ts'
import { makePlan, type Plan, startOfDay } from './plan.ts'
import { Random, streams } from './random.ts'
import { advanceSequences, fillReadModel } from './read-model.ts'
import { renderScan } from './report-pdf.ts'
import { addPatientRow, addRequisition } from './requisitions.ts'
import { makeRuleBook } from './rules.ts'
import type { DemoUser } from './users.ts'
import { makeWorld } from './world.ts'

export interface DemoOptions {
  requisitions: number
  /** Where every PDF is written: key and content. */
  reportFiles: ReportFileSink
  /** Of the password that the eight demo accounts share. */
  passwordHash: string
  /** All dates lie before it; today at 00:00 UTC unless told. */
  asOf?: Date
  /** Same seed and same `asOf`: same rows. */
  seed?: number
  /**
   * `full`: a PDF for every report, documents, notes, report events and the audit of the past. `lean`: what lists, counts and reports
   * read, and one PDF for all reports; taken by itself above 20,000 requisitions.
   */
  detail?: 'full' | 'lean'
  onProgress?: (requisitions: number) => void
}

export interface DemoSummary {
  /** The accounts that can sign in. */
  accounts: readonly DemoUser[]
  /** Rows per table. */
  rows: Readonly<Record<string, number>>
  files: number
  seconds: number
}

/** Fills an empty database (lookups only) with a laboratory's past, in one transaction. */
export const loadDemo = async (pool: Pool, options: DemoOptions): Promise<DemoSummary> => {
  const start = performance.now()
  const loaded = await withTransaction(pool, (client) => load(client, options))
  return { ...loaded, seconds: (performance.now() - start) / 1000 }
}

const load = async (client: PoolClient, options: DemoOptions): Promise<Omit<DemoSummary, 'seconds'>> => {
  await refuseFilled(client)
  // Our pools plan every query anew, which suits lists; the foreign-key and audit checks of a load are the same query a million times.
  await client.query('set local plan_cache_mode = auto')
  const asOf = options.asOf?.getTime() ?? startOfDay(Date.now())
  const plan = makePlan(options.requisitions, asOf, options.seed ?? 1)
  const isDetailed = (options.detail ?? (plan.isLarge ? 'lean' : 'full')) === 'full'
  const demo = await prepare(client, plan, options, isDetailed)
  const loader = new Loader(client, demo)
  await withoutTriggers(client, isDetailed, async () => {
    await withoutIndexes(client, isDetailed, sourceTables, () => loader.run(options.onProgress))
    await settle(client)
    if (isDetailed) await freezeCharges(client)
    await advanceSequences(client)
    await analyzeTables(client, sourceTables)
    await withoutIndexes(client, isDetailed, readModelTables, () => fillReadModel(client))
  })
  if (isDetailed) await addAuditEntries(client)
  await beginStates(client)
  await writeSetting(client, demoSetting, true)
  await writeSetting(client, companyDefaultsKey, { collaborator: houseCollaborator, event: houseEvent })
  await analyzeTables(client, [...readModelTables, 'requisition_count', 'audit_entry'])
  return { accounts: demo.world.accounts, rows: Object.fromEntries(loader.counts), files: loader.files }
}

/** The ids are ours to give only where nobody has been before. */
const refuseFilled = async (client: PoolClient) => {
  const { rows } = await client.query<{ filled: boolean }>(
    `select exists (select from requisition) or exists (select from client) or exists (select from app_user)
       or exists (select from patient) or exists (select from lab) as filled`,
  )
  if (rows[0]?.filled) throw new Error('Demo data is loaded into an empty database only; this one has records already.')
}

const prepare = async (
  client: PoolClient,
  plan: Plan,
  { passwordHash, reportFiles }: DemoOptions,
  isDetailed: boolean,
): Promise<Demo & { rows: CopyBatch }> => {
  const catalogue = await readCatalogue(client)
  const ids = new Ids()
  const rows = new CopyBatch()
  const world = makeWorld(plan, catalogue, ids, rows, passwordHash)
  const random = new Random(plan.seed, streams.world, 1)
  const batches = addBatches({ plan, catalogue, ids, rows, random, createdAt: plan.asOf }, world.users)
  const shared = {
    key: 'demo/reports/shared.pdf',
    name: 'report.pdf',
    createdBy: 1,
    createdAt: plan.asOf,
    render: () => renderScan('Sample report', ['One file stands for all reports of this measuring set.'], plan.asOf),
  }
  return {
    plan,
    catalogue,
    world,
    ids,
    rows,
    files: new FileShelf(ids, reportFiles, isDetailed ? undefined : shared),
    orders: makeOrderBook(catalogue),
    batches,
    rules: makeRuleBook(catalogue, world, ids, rows),
    isDetailed,
  }
}

/** Makes the rows of the next chunk while the database still takes in the last one; at most two chunks are in memory. */
class Loader {
  readonly counts = new Map<string, number>()
  files = 0
  readonly #client: PoolClient
  readonly #demo: Demo
  #rows: CopyBatch
  #sending: Promise<void> = Promise.resolve()

  constructor(client: PoolClient, demo: Demo & { rows: CopyBatch }) {
    this.#client = client
    this.#demo = demo
    this.#rows = demo.rows
  }

  async run(onProgress?: (requisitions: number) => void) {
    const demo = this.#demo
    try {
      await this.#next()
      await this.#each(demo.plan.patients, (index) => addPatientRow(demo, index))
      await this.#each(demo.plan.requisitions, (index) => addRequisition(demo, index), onProgress)
    } finally {
      // Also after a failure: a chunk that was still on its way would otherwise arrive after the rollback and stay.
      await this.#sending
    }
  }

  async #each(total: number, make: (index: number) => void, onProgress?: (done: number) => void) {
    const size = this.#demo.plan.isLarge ? 2000 : 250
    for (let start = 0; start < total; start += size) {
      const end = Math.min(total, start + size)
      for (let index = start; index < end; index += 1) {
        make(index)
        // Without a pause now and then nothing would flow to the database meanwhile.
        if (index % 20 === 0) await new Promise(setImmediate)
      }
      await this.#next()
      onProgress?.(end)
    }
  }

  /** Hands the rows made so far to the database and starts on an empty sheet. */
  async #next() {
    this.files += await this.#demo.files.write(this.#rows)
    await this.#sending
    this.#sending = this.#rows.send(this.#client, this.counts)
    // Heard when it is awaited; until then it must not count as unheard.
    this.#sending.catch(() => undefined)
    this.#rows = new CopyBatch()
    this.#demo.rows = this.#rows
  }
}

/**
 * What the batches that were sent have charged, and to whom. A price that the client has no longer was the usual one then. A measuring
 * set goes without: nothing that is measured reads it, and it would be its largest table but one.
 */
const freezeCharges = async (client: PoolClient) => {
  await client.query(
    `insert into billing_charge (batch_id, requisition_id, test_id, amount, currency_code)
     select i.batch_id, i.requisition_id, rt.test_id, coalesce(p.price, (select round(avg(price), 2) from client_test_price where test_id = rt.test_id)), 'USD'
     from billing_batch_item i join billing_batch b on b.id = i.batch_id and b.send_status_code = 'SENT' join requisition r on r.id = i.requisition_id
       join requisition_test rt on rt.requisition_id = r.id and not rt.is_retest and rt.result is not null join test t on t.id = rt.test_id and not t.is_calculated
       left join client_test_price p on p.client_id = r.client_id and p.test_id = rt.test_id
     where r.bill_type_code <> 'NOCHARGE'`,
  )
  await client.query(
    `update billing_batch_item i set bill_type_code = r.bill_type_code from requisition r, billing_batch b
     where r.id = i.requisition_id and b.id = i.batch_id and b.send_status_code = 'SENT'`,
  )
}

/** What can only be told once all rows are there. */
const settle = async (client: PoolClient) => {
  await client.query(
    'delete from billing_batch b where not exists (select from billing_batch_item i where i.batch_id = b.id)',
  )
  await client.query(
    'update billing_batch b set record_count = (select count(*) from billing_batch_item i where i.batch_id = b.id)',
  )
  // By the clock of the database, whatever `asOf` is: an account of a demo set in the past must not start with an expired password.
  await client.query(
    `update identity_user set password_set_at = now() - case when is_temporary then interval '10 days' else interval '0' end,
       temporary_expires_at = case when is_temporary then now() - interval '3 days' end
     where password_hash is not null`,
  )
}
