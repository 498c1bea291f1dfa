import type { Pool } from '../db/pool.ts'
import { readSeals, readTails } from './external-record.ts'
import type { AuditFault } from './fault.ts'
import type { AuditKey } from './key.ts'
import type { Seal, SealedRange } from './seal.ts'
import type { SeenRows, TailLine } from './tail.ts'

type RecordedSeal = SealedRange & { id: number; sealMac: string | null }

/** The rows of a detached part that is not at hand. */
interface MissingIds {
  table: string
  firstId: number | null
  lastId: number | null
}

/** Compares the database with the seals and rows of the external record. */
export const verifyExternalRecord = async (
  pool: Pick<Pool, 'query'>,
  seals: readonly Seal[],
  key: AuditKey,
  folder: string,
  missing: readonly MissingIds[] = [],
): Promise<AuditFault[]> => {
  const recorded = await readSeals<RecordedSeal>(folder, key)
  const tails = await readTails<TailLine>(folder, key)
  const byId = new Map(seals.map((seal) => [seal.id, seal]))
  const changed = recorded.lines.filter(({ id, hash, sealMac }) => {
    const now = byId.get(id)
    return now?.hash !== hash || now.mac !== sealMac
  })
  return [
    ...[...recorded.broken, ...tails.broken].map((place) =>
      externalFault(0, `${folder}: ${place} is not as it was written`),
    ),
    ...changed.map(({ id }) => externalFault(id, `seal ${id} is not as it was recorded outside the database`)),
    ...(await recordedRowFaults(pool, 'entries', tails.lines, missing)),
    ...(await recordedRowFaults(pool, 'states', tails.lines, missing)),
  ].slice(0, 100)
}

const externalFault = (id: number, detail: string): AuditFault => ({
  kind: 'outside',
  entity: 'audit_seal',
  entityId: id,
  id,
  detail,
})

const tables = {
  entries: { table: 'audit_entry', hash: 'e.hash', name: 'audit rows' },
  states: { table: 'audit_state', hash: 'audit_state_hash(row(e.*)::public.audit_state)', name: 'rows of audit_state' },
} as const

/** Recorded rows must still exist unchanged. Of a line with rows that are missing only the number of the others can be compared. */
const recordedRowFaults = async (
  pool: Pick<Pool, 'query'>,
  part: keyof typeof tables,
  lines: readonly TailLine[],
  missing: readonly MissingIds[],
): Promise<AuditFault[]> => {
  const seen = lines
    .map((line) => ({ at: line.at, ...(line[part] satisfies SeenRows) }))
    .filter(({ count }) => count > 0)
  const runs = seen.flatMap(({ runs: all }, line) => all.map(([from, to]) => ({ line, from, to })))
  const { table, hash, name } = tables[part]
  const { rows } = await pool.query<{ line: number; count: number; hash: string }>(
    `select x.line, count(e.id) as count, encode(sha256(coalesce(string_agg(${hash}, ''::bytea order by e.id), ''::bytea)), 'hex') as hash
     from unnest($1::int[], $2::bigint[], $3::bigint[]) as x(line, first, last) left join ${table} e on e.id between x.first and x.last group by 1`,
    [runs.map(({ line }) => line), runs.map(({ from }) => from), runs.map(({ to }) => to)],
  )
  const isMissing = ([from, to]: readonly [number, number]) =>
    missing.some((part) => part.table === table && (part.firstId ?? 0) <= to && (part.lastId ?? 0) >= from)
  const now = new Map(rows.map((row) => [row.line, row]))
  return seen.flatMap((one, line) => {
    const found = now.get(line)
    if (found?.count === one.count && found.hash === one.hash) return []
    if ((found?.count ?? 0) < one.count && one.runs.some(isMissing)) return []
    const ids = one.runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
    return externalFault(
      one.runs[0]?.[0] ?? 0,
      `${name} ${ids} are not as they were recorded at ${one.at}: ${found?.count ?? 0} of ${one.count} are there`,
    )
  })
}
