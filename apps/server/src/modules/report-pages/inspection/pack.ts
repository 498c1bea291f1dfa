import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Actor } from '../../../platform/auth/actor.ts'
import { listChunks } from '../../../platform/lists.ts'
import type { Services } from '../../../platform/services.ts'
import type { ZipEntry } from '../../../platform/storage/zip.ts'
import { columnsIn } from '../../access-review/columns.ts'
import { userList } from '../../users/queries.ts'
import type { ReportDefinition } from '../definition.ts'
import { correctedReports } from '../qa/corrected-reports.ts'
import { turnaround } from '../qa/turnaround.ts'
import { readReport } from '../run.ts'
import { csvOf, type Row } from './csv.ts'
import { type Inspection, readEvidence, readProcedures } from './queries.ts'

export interface Pack {
  /** All files, the manifest last. */
  entries: (ZipEntry & { body: Buffer })[]
  manifestSha256: string
  /** The patients and requisitions in it. */
  reqIds: number[]
}

/** Everything that an inspector of the laboratory asks for, for a period. */
export const makePack = async (services: Services, actor: Actor, inspection: Inspection): Promise<Pack> => {
  const read = await services.largeReads.run(actor.scope, async (db) => ({
    procedures: await readProcedures(db, inspection),
    evidence: await readEvidence(db, inspection),
  }))
  const corrected = await readDefinition(services, actor, inspection, correctedReports)
  const tables = new Map<string, Row[]>([
    ...[...read.procedures].map(([name, rows]) => [`procedures/${name}`, rows] as const),
    ...read.evidence,
    ['corrected-reports', corrected],
    ['turnaround', await readDefinition(services, actor, inspection, turnaround)],
    ['access-review', await readAccounts(services, actor, inspection.zone)],
  ])
  const parts = [
    ...[...tables].map(([name, rows]) => entryOf(`${name}.csv`, csvOf(rows))),
    ...(await readValidationPack(resolve(services.config.VALIDATION_PACK_DIR))),
  ]
  const files = [entryOf('README.txt', Buffer.from(contentsOf(inspection, tables, parts))), ...parts]
  const manifest = entryOf(
    'manifest.json',
    Buffer.from(JSON.stringify({ files: files.map(({ path: name, sha256 }) => ({ name, sha256 })) }, null, 2)),
  )
  return { entries: [...files, manifest], manifestSha256: manifest.sha256, reqIds: requisitionsIn(tables) }
}

const entryOf = (path: string, body: Buffer): ZipEntry & { body: Buffer } => ({
  path,
  body,
  sha256: createHash('sha256').update(body).digest('hex'),
})

/** A report of the report pages, limited to this laboratory, with the same column names. */
const readDefinition = async (
  services: Services,
  actor: Actor,
  { labId, from, to }: Inspection,
  definition: ReportDefinition,
): Promise<Row[]> => {
  const rows = await readReport(services, definition, { actor, from, to, labId })
  return rows.map((row) => ({ ...row }))
}

/** All accounts, as in the access review: they do not belong to one laboratory. */
const readAccounts = (services: Services, { scope }: Actor, zone: string): Promise<Row[]> =>
  services.largeReads.run(scope, async (db) => {
    const rows: Row[] = []
    for await (const chunk of listChunks(db, userList, { page: 1, perPage: -1, filters: {}, sort: null }))
      for (const row of chunk) rows.push(Object.fromEntries(columnsIn(zone).map((column) => reviewCell(column, row))))
    return rows
  })

const reviewCell = (
  { header, field, cell }: ReturnType<typeof columnsIn>[number],
  row: Row,
): [header: string, value: unknown] => {
  const value = cell ? cell(row[field], row) : row[field]
  return [header, typeof value === 'object' && value !== null && 'text' in value ? value.text : value]
}

/**
 * The product's own validation report (`npm run validation-pack`) if the laboratory has provided it; otherwise a statement that it is missing.
 */
const readValidationPack = async (folder: string): Promise<(ZipEntry & { body: Buffer })[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.(html|pdf|json)$/.test(name)).sort()
  if (names.length === 0) return [entryOf('validation-pack/not-included.txt', Buffer.from(noValidationPack))]
  return Promise.all(names.map(async (name) => entryOf(`validation-pack/${name}`, await readFile(join(folder, name)))))
}

const noValidationPack = `The validation report of this version of the program is not included: its folder is empty.
It is made by npm run validation-pack after a complete npm test; VALIDATION_PACK_DIR names the folder.
`

const described: Record<string, string> = {
  procedures:
    'Rules, ranges, limits and records of the laboratory: each version that held in the period; isInForce 1 held at its end',
  'quality-control': 'Control runs with their values, corrective actions, and results looked at again',
  'critical-calls': 'Critical results, whom the laboratory called, and what was read back',
  competency: 'Who was granted the right to sign reports, on which qualifications, and who checked the identity',
  'corrected-reports': 'Reports that were corrected or repeated',
  turnaround: 'Hours per stage against the targets',
  'access-review': 'Every account with the rows it sees and what it may do, on the day this was made',
  'validation-pack': 'The validation report of the program',
}

const contentsOf = (
  { labName, from, to, zone }: Inspection,
  tables: ReadonlyMap<string, readonly Row[]>,
  parts: readonly ZipEntry[],
): string => {
  const line = ({ path }: ZipEntry) => {
    const rows = tables.get(path.replace(/\.csv$/, ''))
    return `  ${path}${rows ? `, ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}` : ''}`
  }
  const groups = Map.groupBy(parts, ({ path }) => path.split(/[/.]/)[0] ?? '')
  return [
    `Inspector's pack of ${labName}`,
    `${from} to ${to} in ${zone}, made ${new Date().toISOString()}.`,
    'manifest.json holds the SHA-256 of every other file. Times are in UTC unless they name their zone.',
    ...[...groups].flatMap(([name, entries]) => ['', `${described[name] ?? name}:`, ...entries.map(line)]),
    '',
  ].join('\r\n')
}

const requisitionsIn = (tables: ReadonlyMap<string, readonly Row[]>): number[] => [
  ...new Set([...tables.values()].flat().flatMap(({ reqId }) => (typeof reqId === 'number' ? [reqId] : []))),
]
