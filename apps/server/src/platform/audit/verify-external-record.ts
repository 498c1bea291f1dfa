import type { Pool } from '../db/pool.ts'
import { readSeals, readTails } from './external-record.ts'
import type { AuditFault } from './fault.ts'
import type { AuditKey } from './key.ts'
import type { Seal, SealedRange } from './seal.ts'
import type { SeenRows, TailLine } from './tail.ts'

type RecordedSeal = SealedRange & { id: number; sealMac: string | null }

/** Compares the database with the seals and rows of the external record. */
export const verifyExternalRecord = async (
  pool: Pick<Pool, 'query'>,
  seals: readonly Seal[],
  key: AuditKey,
  folder: string,
): Promise<AuditFault[]> => {
  const recorded = await readSeals<RecordedSeal>(folder, key)
  const tails = await readTails<TailLine>(folder, key)
  const byId = new Map(seals.map((seal) => [seal.id, seal]))
  const missing = recorded.lines.filter(({ id, hash, sealMac }) => {
    const now = byId.get(id)
    return now?.hash !== hash || now.mac !== sealMac
  })
  return [
    ...[...recorded.broken, ...tails.broken].map((place) =>
      externalFault(0, `${folder}: ${place} is not as it was written`),
    ),
    ...missing.map(({ id }) => externalFault(id, `seal ${id} is not as it was recorded outside the database`)),
    ...(await recordedRowFaults(pool, 'entries', tails.lines)),
    ...(await recordedRowFaults(pool, 'states', tails.lines)),
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

/** Recorded rows must still exist unchanged. */
const recordedRowFaults = async (
  pool: Pick<Pool, 'query'>,
  part: keyof typeof tables,
  lines: readonly TailLine[],
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
  const now = new Map(rows.map((row) => [row.line, row]))
  return seen.flatMap((one, line) => {
    const found = now.get(line)
    if (found?.count === one.count && found.hash === one.hash) return []
    const ids = one.runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
    return externalFault(
      one.runs[0]?.[0] ?? 0,
      `${name} ${ids} are not as they were recorded at ${one.at}: ${found?.count ?? 0} of ${one.count} are there`,
    )
  })
}
