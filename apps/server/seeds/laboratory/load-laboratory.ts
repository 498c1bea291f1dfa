import { companyDefaultsKey } from '@lis/contract/requisitions/create.ts'
import type { PoolClient } from 'pg'
import type { Pool } from '../../src/platform/db/pool.ts'
import { demoSetting, writeSetting } from '../settings.ts'
import { withTransaction } from '../with-transaction.ts'
import { addBatches } from './batches.ts'
import { readCatalogue } from './catalogue.ts'
import { houseEvent } from './clients.ts'
import { houseCollaborator } from './collaborators.ts'
import { CopyBatch, Ids } from './copy.ts'
import type { RequisitionContext } from './draft.ts'
import { FileWriter, type ReportFileSink } from './files.ts'
import { makeOrderBook } from './orders.ts'
import { makePlan, type Plan, startOfDay } from './plan.ts'
import { Random, streams } from './random.ts'
import { advanceSequences, fillReadModel } from './read-model.ts'
import { renderScan } from './report-pdf.ts'
import { addPatientRow, addRequisition } from './requisitions.ts'
import { makeRuleBook } from './rules.ts'
import { seedTableNames } from './tables.ts'
import type { DemoUser } from './users.ts'
import { makeWorld } from './world.ts'

export interface LaboratoryOptions {
  requisitions: number
  /** Receives the key and content of every PDF. */
  reportFiles: ReportFileSink
  /** Of the password shared by the eight demo accounts. */
  passwordHash: string
  /** All dates are before it; defaults to today at 00:00 UTC. */
  asOf?: Date
  /** The same seed and `asOf` give the same rows. */
  seed?: number
  onProgress?: (requisitions: number) => void
}

/** What differs between the demo laboratory and the bulk data. */
export interface LoadSteps {
  /** Everything a user can open; otherwise only what lists, counts and reports read. */
  isDetailed: boolean
  withoutTriggers: (client: PoolClient, work: () => Promise<void>) => Promise<void>
  withoutIndexes: (client: PoolClient, tables: readonly string[], work: () => Promise<void>) => Promise<void>
  afterRows?: (client: PoolClient) => Promise<void>
  afterReadModel?: (client: PoolClient) => Promise<void>
}

export interface LoadSummary {
  /** The accounts that can sign in. */
  accounts: readonly DemoUser[]
  /** Rows per table. */
  rows: Readonly<Record<string, number>>
  files: number
  seconds: number
}

/** The generator behind ../demo and ../bulk: fills an empty database (lookups only) with a laboratory's past, in one transaction. */
export const loadLaboratory = async (
  pool: Pool,
  options: LaboratoryOptions,
  steps: LoadSteps,
): Promise<LoadSummary> => {
  const start = performance.now()
  const loaded = await withTransaction(pool, (client) => load(client, options, steps))
  return { ...loaded, seconds: (performance.now() - start) / 1000 }
}

const readModelTables: readonly string[] = ['requisition_list', 'requisition_search']

const load = async (
  client: PoolClient,
  options: LaboratoryOptions,
  steps: LoadSteps,
): Promise<Omit<LoadSummary, 'seconds'>> => {
  await requireEmptyDatabase(client)
  // Our pools plan every query again, which suits lists; the foreign-key and audit checks of a load repeat the same query a million times.
  await client.query('set local plan_cache_mode = auto')
  const asOf = options.asOf?.getTime() ?? startOfDay(Date.now())
  const plan = makePlan(options.requisitions, asOf, options.seed ?? 1)
  const context = await prepare(client, plan, options, steps.isDetailed)
  const loader = new Loader(client, context)
  await steps.withoutTriggers(client, async () => {
    await steps.withoutIndexes(client, seedTableNames, () => loader.run(options.onProgress))
    await updateDerivedColumns(client)
    await steps.afterRows?.(client)
    await advanceSequences(client)
    await analyzeTables(client, seedTableNames)
    // After the source tables have their indexes again: the view of the read model needs them.
    await steps.withoutIndexes(client, readModelTables, () => fillReadModel(client))
  })
  await steps.afterReadModel?.(client)
  await recordInitialDigests(client)
  await writeSetting(client, demoSetting, true)
  await writeSetting(client, companyDefaultsKey, { collaborator: houseCollaborator, event: houseEvent })
  await analyzeTables(client, [...readModelTables, 'requisition_count', 'audit_entry'])
  return { accounts: context.world.accounts, rows: Object.fromEntries(loader.counts), files: loader.files }
}

/** Without new statistics the planner assumes that the tables are nearly empty. */
const analyzeTables = (client: PoolClient, tables: readonly string[]) => client.query(`analyze ${tables.join(', ')}`)

/** Ids are assigned by the generator, so the tables must be empty. */
const requireEmptyDatabase = async (client: PoolClient) => {
  const { rows } = await client.query<{ filled: boolean }>(
    `select exists (select from requisition) or exists (select from client) or exists (select from app_user)
       or exists (select from patient) or exists (select from lab) as filled`,
  )
  if (rows[0]?.filled) throw new Error('Demo data is loaded into an empty database only; this one has records already.')
}

const prepare = async (
  client: PoolClient,
  plan: Plan,
  { passwordHash, reportFiles }: LaboratoryOptions,
  isDetailed: boolean,
): Promise<RequisitionContext & { rows: CopyBatch }> => {
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
    files: new FileWriter(ids, reportFiles, isDetailed ? undefined : shared),
    orders: makeOrderBook(catalogue),
    batches,
    rules: makeRuleBook(catalogue, world, ids, rows),
    isDetailed,
  }
}

/** Generates the next chunk of rows while the previous one is sent; at most two chunks are in memory. */
class Loader {
  readonly counts = new Map<string, number>()
  files = 0
  readonly #client: PoolClient
  readonly #context: RequisitionContext
  #rows: CopyBatch
  #sending: Promise<void> = Promise.resolve()

  constructor(client: PoolClient, context: RequisitionContext & { rows: CopyBatch }) {
    this.#client = client
    this.#context = context
    this.#rows = context.rows
  }

  async run(onProgress?: (requisitions: number) => void) {
    const context = this.#context
    try {
      await this.#sendChunk()
      await this.#each(context.plan.patients, (index) => addPatientRow(context, index))
      await this.#each(context.plan.requisitions, (index) => addRequisition(context, index), onProgress)
    } finally {
      // Also after a failure: a chunk still being sent would otherwise be stored after the rollback.
      await this.#sending
    }
  }

  async #each(total: number, make: (index: number) => void, onProgress?: (done: number) => void) {
    const size = this.#context.plan.isLarge ? 2000 : 250
    for (let start = 0; start < total; start += size) {
      const end = Math.min(total, start + size)
      for (let index = start; index < end; index += 1) {
        make(index)
        // Lets the event loop send the previous chunk.
        if (index % 20 === 0) await new Promise(setImmediate)
      }
      await this.#sendChunk()
      onProgress?.(end)
    }
  }

  /** Starts sending the rows collected so far and begins a new chunk. */
  async #sendChunk() {
    this.files += await this.#context.files.write(this.#rows)
    await this.#sending
    this.#sending = this.#rows.send(this.#client, this.counts)
    // Handled where it is awaited; avoids an unhandled rejection until then.
    this.#sending.catch(() => undefined)
    this.#rows = new CopyBatch()
    this.#context.rows = this.#rows
  }
}

/** Columns that depend on the rows of other tables. */
const updateDerivedColumns = async (client: PoolClient) => {
  await client.query(
    'delete from billing_batch b where not exists (select from billing_batch_item i where i.batch_id = b.id)',
  )
  await client.query(
    'update billing_batch b set record_count = (select count(*) from billing_batch_item i where i.batch_id = b.id)',
  )
  // By the database clock, whatever `asOf` is: the accounts must not start with an expired password.
  await client.query(
    `update identity_user set password_set_at = now() - case when is_temporary then interval '10 days' else interval '0' end,
       temporary_expires_at = case when is_temporary then now() - interval '3 days' end
     where password_hash is not null`,
  )
}

/** The rows were loaded without triggers: their digests are recorded here, with one audit row for the whole load. */
const recordInitialDigests = async (client: PoolClient) => {
  // The statement reads the empty table that it fills. The planner expects one row and would scan all new rows again for each row.
  await client.query('set local enable_nestloop = off')
  await client.query('select audit_state_begin()')
  await client.query('select begin_record_versions()')
  await client.query('set local enable_nestloop = on')
  await client.query(
    `insert into audit_entry (entity, entity_id, action, actor_name, chain_no, hash) values ('demo', 1, 'LOAD', 'Demo data', 0, '')`,
  )
}
