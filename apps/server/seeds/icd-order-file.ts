import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Pool } from '../src/platform/db/pool.ts'
import { officialIcdSetting, writeSetting } from './settings.ts'
import { withTransaction } from './with-transaction.ts'

/**
 * The yearly ICD-10-CM order file of the CMS: fixed columns, one code a line.
 * 1-5 order number · 7-13 code without dot · 15 '0' header or '1' billable · 17-76 short text · 78- long text
 */
export interface IcdLine {
  /** With the dot after the third character, as everybody writes it. */
  code: string
  isBillable: boolean
  description: string
}

export interface IcdLoadResult {
  lines: number
  /** Chapter and category lines: they name a group and cannot be ordered, so they are read and not stored. */
  headers: number
  codes: number
  added: number
  changed: number
  unchanged: number
  /** Codes that a user had added under the same number; their text is kept. */
  customKept: number
  switchedOff: number
}

export interface IcdFault {
  line: number
  reason: string
}

const shownFaults = 20

/** The file is refused as a whole: half a code list is worse than the one of last year. */
export class IcdFileError extends Error {
  readonly faults: IcdFault[]

  constructor(faults: IcdFault[]) {
    const shown = faults.slice(0, shownFaults).map(({ line, reason }) => `  line ${line}: ${reason}`)
    const more = faults.length > shownFaults ? [`  … and ${faults.length - shownFaults} more`] : []
    super(['The file was not loaded, nothing has changed:', ...shown, ...more].join('\n'))
    this.faults = faults
  }
}

const shape = /^(\d{5}) ([A-Z][0-9][0-9A-Z][0-9A-Z]{0,4}) *$/

/** Answers the line's content, or the reason why it is no line of an order file. */
export const parseIcdLine = (text: string): IcdLine | string => {
  const head = shape.exec(text.slice(0, 13))
  if (!head) return 'columns 1 to 13 are not an order number and a code'
  const flag = text[14]
  if (text[13] !== ' ' || text[15] !== ' ' || (flag !== '0' && flag !== '1')) return 'column 15 is neither 0 nor 1'
  if (text.length > 76 && text[76] !== ' ') return 'column 77 between the two descriptions is not blank'
  const description = text.slice(77).trim()
  if (!description) return 'there is no long description from column 78 on'
  const code = head[2] as string
  return { code: withDot(code), isBillable: flag === '1', description }
}

const withDot = (code: string) => (code.length > 3 ? `${code.slice(0, 3)}.${code.slice(3)}` : code)

/** Loads the whole file in one transaction; sending it twice changes nothing. With `replace`, codes that it no longer has are switched off. */
export const loadIcdOrderFile = (
  pool: Pool,
  file: AsyncIterable<Uint8Array>,
  { replace = false }: { replace?: boolean } = {},
): Promise<IcdLoadResult> =>
  withTransaction(pool, async (client) => {
    await client.query('create temporary table icd_file (code text not null, description text not null) on commit drop')
    const counts = { lines: 0, headers: 0, codes: 0 }
    const faults: IcdFault[] = []
    await pipeline(
      Readable.from(copyRows(file, counts, faults)),
      client.query(copyFrom('copy icd_file (code, description) from stdin')),
    )
    if (faults.length > 0) throw new IcdFileError(faults)
    if (counts.codes === 0) throw new IcdFileError([{ line: counts.lines, reason: 'the file has no billable code' }])
    await client.query('analyze icd_file')
    const result = { ...counts, ...(await merge(client)), switchedOff: replace ? await switchOffMissing(client) : 0 }
    await writeSetting(client, officialIcdSetting, { codes: result.codes })
    return result
  })

/** Turns the file into rows for COPY, and continues after a bad line, so that one run reports every error. */
async function* copyRows(
  file: AsyncIterable<Uint8Array>,
  counts: { lines: number; headers: number; codes: number },
  faults: IcdFault[],
) {
  const seen = new Map<string, number>()
  let rows = ''
  for await (const text of linesOf(file)) {
    counts.lines += 1
    if (text.trim() === '') continue
    const parsed = parseIcdLine(text)
    const first = typeof parsed === 'string' ? undefined : seen.get(parsed.code)
    if (typeof parsed === 'string') faults.push({ line: counts.lines, reason: parsed })
    else if (first) faults.push({ line: counts.lines, reason: `code ${parsed.code} is already on line ${first}` })
    else {
      seen.set(parsed.code, counts.lines)
      counts[parsed.isBillable ? 'codes' : 'headers'] += 1
      if (parsed.isBillable) rows += `${parsed.code}\t${parsed.description.replace(/[\\\t]/g, '\\$&')}\n`
    }
    if (rows.length > 65_536) {
      yield rows
      rows = ''
    }
  }
  if (rows) yield rows
}

const lineFeed = 10
const utf8 = new TextDecoder('utf-8', { fatal: true })
const latin1 = new TextDecoder('latin1')

/** Lines are cut as bytes, because an older year may not be UTF-8: a line that is not is read as Latin-1. */
async function* linesOf(file: AsyncIterable<Uint8Array>) {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of file) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      yield decodeLine(bytes.subarray(start, end))
      start = end + 1
    }
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) yield decodeLine(rest)
}

/** Without the carriage return of a Windows file, and without the end-of-file sign that old tools leave. */
const decodeLine = (bytes: Uint8Array): string => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    text = latin1.decode(bytes)
  }
  return text.replaceAll('\u001a', '').trimEnd()
}

const merge = async (client: PoolClient) => {
  const { rows } = await client.query<{ added: number; changed: number; unchanged: number; customKept: number }>(
    `with custom as (select count(*)::int as n from icd join icd_file f on upper(f.code) = upper(icd.code) where icd.is_custom),
     merged as (
       insert into icd as t (code, description) select code, description from icd_file
       on conflict (upper(code)) do update set description = excluded.description, is_active = true
       where not t.is_custom and (t.description, t.is_active) is distinct from (excluded.description, true)
       returning xmax = 0 as is_new)
     select added, changed, custom.n as "customKept", total - added - changed - custom.n as unchanged from custom,
       (select count(*) filter (where is_new)::int as added, count(*) filter (where not is_new)::int as changed from merged) m,
       (select count(*)::int as total from icd_file) f`,
  )
  return rows[0] as { added: number; changed: number; unchanged: number; customKept: number }
}

const switchOffMissing = async (client: PoolClient): Promise<number> => {
  const { rowCount } = await client.query(
    `update icd set is_active = false where is_active and not is_custom
     and not exists (select from icd_file f where upper(f.code) = upper(icd.code))`,
  )
  return rowCount ?? 0
}
