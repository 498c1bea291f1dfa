import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { detachPart, findDetachable } from '../partitions/detach.ts'
import { listSizes, type SizedPart } from '../partitions/sizes.ts'
import { auditFolder, removeOldTails } from '../platform/audit/external-record.ts'
import { auditKey } from '../platform/audit/key.ts'
import { sealAudit } from '../platform/audit/seal.ts'
import type { Config } from '../platform/config.ts'
import { fileOf, type Kind, kindNames, listDetachedParts, monthOf } from '../platform/db/parts.ts'
import type { Pool } from '../platform/db/pool.ts'
import { StartError } from '../platform/start-error.ts'
import { withOwnerPool } from './with-owner-pool.ts'

const usage = `Usage: npm run partitions
       npm run partitions -- detach --before YYYY-MM --to FOLDER [--only KIND] [--dry-run]
       npm run partitions -- retain --to FOLDER [--dry-run]
  (nothing)  lists the parts of the tables that are partitioned by month, with their rows and bytes
  detach     moves the parts before a month into files in a folder; --only ${kindNames.join(', ')} (several: repeat it)
  retain     the same for what is older than KEEP_AUDIT_MONTHS, KEEP_ACCESS_LOG_MONTHS and KEEP_OUTBOX_MONTHS say
  --dry-run  says what would be moved and changes nothing`

await withOwnerPool(async (pool, config) => {
  const asked = readArguments()
  if (asked.command === 'list') return list(pool)
  const wanted =
    asked.command === 'detach' ? asked.only.map((kind) => ({ kind, before: asked.before })) : toRetain(config)
  for (const { kind, before } of wanted) await detach({ pool, config, kind, before, ...asked })
})

interface Detachment {
  pool: Pool
  config: Config
  kind: Kind
  before: Date | null
  folder: string
  isDryRun: boolean
}

async function detach({ pool, config, kind, before, folder, isDryRun }: Detachment) {
  if (!before) return console.log(`${kind}: everything is kept.`)
  const { parts, tooRecent } = await findDetachable(pool, before, [kind])
  const sizes = await listSizes(pool, parts)
  console.log(`${kind}: ${parts.length} parts end before ${before.toISOString().slice(0, 7)}.`)
  if (isDryRun) {
    print(sizes)
    console.log(`Dry run: nothing was changed. They would go to ${folder}.`)
  } else if (parts.length > 0) {
    const key = auditKey(config.secret)
    const audit = auditFolder(config.dataDir)
    await sealAudit({ pool, key, folder: audit })
    await removeOldTails(audit)
    for (const part of parts) {
      const saved = await detachPart({ pool, key, part, folder })
      console.log(
        `${part.table} ${monthOf(part)}: ${saved.rows} rows are now in ${resolve(folder, fileOf(part))}.copy.gz`,
      )
    }
  }
  for (const part of tooRecent) console.log(`${part.table} ${monthOf(part)} stays: it ended less than four days ago.`)
}

async function list(pool: Pool) {
  const sizes = await listSizes(pool)
  print(sizes)
  const detached = await listDetachedParts(pool)
  for (const part of detached)
    console.log(`detached: ${part.table} ${monthOf(part)}, ${part.rows} rows, SHA-256 ${part.sha256}`)
  const inDefaultPart = sizes.filter(({ part, rows }) => part.to === null && rows > 0)
  for (const { part, rows } of inDefaultPart)
    console.log(`${rows} rows of ${part.table} fit into no month and are in its default part.`)
}

function print(sizes: readonly SizedPart[]) {
  const lines = sizes.map(({ part, rows, bytes }) => [part.table, monthOf(part), `${rows}`, `${bytes}`])
  if (sizes.length === 0) return
  const all = [['table', 'month', 'rows', 'bytes'], ...lines]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  const pad = (text: string, column: number) =>
    column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  for (const line of all) console.log(line.map(pad).join('  ').trimEnd())
}

/** The month before which the parts of each kind go; null keeps all. */
function toRetain(config: Config): { kind: Kind; before: Date | null }[] {
  const months: Record<Kind, number | undefined> = {
    audit: config.KEEP_AUDIT_MONTHS,
    'access-log': config.KEEP_ACCESS_LOG_MONTHS,
    outbox: config.KEEP_OUTBOX_MONTHS,
  }
  const now = new Date()
  const monthsAgo = (count: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1))
  return kindNames.map((kind) => ({ kind, before: months[kind] === undefined ? null : monthsAgo(months[kind]) }))
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        before: { type: 'string' },
        to: { type: 'string' },
        only: { type: 'string', multiple: true },
        'dry-run': { type: 'boolean' },
      },
    })
    const [command = 'list', more] = positionals
    if (more !== undefined || !['list', 'detach', 'retain'].includes(command))
      throw new Error(`What is ${more ?? command}?`)
    if (command === 'list') return { command: 'list' as const }
    if (!values.to) throw new Error('--to names the folder for the files.')
    const where = { folder: resolve(values.to), isDryRun: values['dry-run'] ?? false }
    if (command === 'retain') return { command: 'retain' as const, ...where }
    return { command: 'detach' as const, before: readMonth(values.before), only: readKinds(values.only), ...where }
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}

function readMonth(text: string | undefined): Date {
  if (!text || !/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new Error('--before needs a month, such as 2026-01.')
  const month = new Date(`${text}-01T00:00:00Z`)
  if (month > new Date()) throw new Error('--before is at most the present month.')
  return month
}

function readKinds(names: string[] | undefined): Kind[] {
  const asked = names?.flatMap((name) => name.split(','))
  const unknown = asked?.find((name) => !kindNames.includes(name as Kind))
  if (unknown) throw new Error(`--only knows ${kindNames.join(', ')}.`)
  return kindNames.filter((kind) => !asked || asked.includes(kind))
}
