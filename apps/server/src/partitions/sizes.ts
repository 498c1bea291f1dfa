import { listParts, type Part } from '../platform/db/parts.ts'
import type { Pool } from '../platform/db/pool.ts'

export interface SizedPart {
  part: Part
  rows: number
  /** With indexes. */
  bytes: number
}

/** The rows and bytes of each part; counted, not estimated. */
export const listSizes = async (pool: Pool, parts?: readonly Part[]): Promise<SizedPart[]> => {
  const sizes: SizedPart[] = []
  for (const part of parts ?? (await listParts(pool))) {
    const { rows } = await pool.query<{ rows: number; bytes: number }>(
      `select count(*) as rows, pg_total_relation_size('"${part.name}"'::regclass) as bytes from "${part.name}"`,
    )
    sizes.push({ part, rows: rows[0]?.rows ?? 0, bytes: rows[0]?.bytes ?? 0 })
  }
  return sizes
}
