import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { IncomingTest, Problem } from './incoming-order.ts'

/** A test or panel that was ordered, with the codes of the partner. */
export interface OrderedItem {
  placer: string
  placerSystem?: string | undefined
  testId: number | null
  panelId: number | null
  /** Our own code. */
  ourCode: string
  code: string
  name: string
  system: string
}

export interface ResolvedTests {
  items: OrderedItem[]
  unknown: { code: string; name: string }[]
  problems: Problem[]
}

interface Meaning {
  place: number
  test_id: number | null
  panel_id: number | null
  our_code: string
}

/** Finds what each code means: by the partner's table first, then our own codes, then LOINC. */
export const resolveTests = async (
  db: Db,
  partnerId: number,
  tests: readonly IncomingTest[],
): Promise<ResolvedTests> => {
  const asked = tests.flatMap(({ codes }, place) => codes.map((code, rank) => ({ ...code, place, rank })))
  const { rows } = await sql<Meaning>`
    with asked as (
      select * from unnest(${asked.map(({ place }) => place)}::int[], ${asked.map(({ rank }) => rank)}::int[], ${asked.map(({ code }) => code)}::text[],
        ${asked.map(({ system }) => system)}::text[]) as a(place, rank, code, system)),
    found as (
      select a.place, 0 as how, a.rank, t.id as test_id, n.id as panel_id, coalesce(t.code, n.code) as our_code
      from asked a join interface_code m on m.partner_id = ${partnerId} and m.code = a.code
        left join test t on t.id = m.test_id and t.deleted_at is null left join panel n on n.id = m.panel_id and n.deleted_at is null
      where t.id is not null or n.id is not null
      union all
      select a.place, 1, a.rank, t.id, null, t.code from asked a join test t on upper(t.code) = upper(a.code) and t.deleted_at is null
      union all
      select a.place, 1, a.rank, null, n.id, n.code from asked a join panel n on upper(n.code) = upper(a.code) and n.deleted_at is null
      union all
      -- A LOINC that several tests share does not say which one is meant.
      select a.place, 2, a.rank, min(t.id), null, min(t.code) from asked a join test t on t.loinc_code = a.code and t.deleted_at is null
      where a.system = 'LN' group by a.place, a.rank, a.code having count(*) = 1)
    select distinct on (place) place, test_id, panel_id, our_code from found order by place, how, rank, panel_id nulls last`.execute(
    db,
  )
  const meanings = new Map(rows.map((row) => [row.place, row]))
  const result: ResolvedTests = { items: [], unknown: [], problems: [] }
  for (const [place, { placer, placerSystem, codes, path }] of tests.entries()) {
    const meaning = meanings.get(place)
    const [sent = { code: '', name: '', system: '' }] = codes
    if (meaning) {
      const { test_id: testId, panel_id: panelId, our_code: ourCode } = meaning
      result.items.push({ placer, placerSystem, testId, panelId, ourCode, ...sent })
    } else {
      result.unknown.push(sent)
      result.problems.push({
        code: 'UNKNOWN_TEST',
        path,
        value: sent.code,
        message: `Unknown test code ${sent.code}`,
      })
    }
  }
  return result
}

export const choiceOf = (items: readonly OrderedItem[]) => ({
  testIds: [...new Set(items.flatMap(({ testId }) => testId ?? []))],
  panelIds: [...new Set(items.flatMap(({ panelId }) => panelId ?? []))],
})

export interface Suggestion {
  code: string
  testId: number | null
  panelId: number | null
  why: string
}

/** Suggestions for unknown codes: by a LOINC code among them, by the table of another partner, or by the name. */
export const suggestMeanings = async (
  db: Db,
  partnerId: number,
  tests: readonly IncomingTest[],
  unknown: readonly { code: string; name: string }[],
): Promise<Suggestion[]> => {
  if (unknown.length === 0) return []
  const loincs = unknown.map(({ code }) => {
    const test = tests.find(({ codes }) => codes[0]?.code === code)
    return test?.codes.find((one) => /^\d{1,7}-\d$/.test(one.code))?.code ?? ''
  })
  const { rows } = await sql<Suggestion>`
    with asked as (select * from unnest(${unknown.map(({ code }) => code)}::text[], ${unknown.map(({ name }) => name)}::text[], ${loincs}::text[]) as a(code, name, loinc)),
    found as (
      select a.code, 1 as rank, t.id as test_id, null::int as panel_id, 'same LOINC ' || a.loinc as why
      from asked a join test t on t.loinc_code = a.loinc and t.deleted_at is null where a.loinc <> ''
      union all
      select a.code, 2, m.test_id, m.panel_id, p.name || ' means ' || coalesce(t.code, n.code)
      from asked a join interface_code m on upper(m.code) = upper(a.code) and m.partner_id <> ${partnerId}
        join interface_partner p on p.id = m.partner_id and p.deleted_at is null
        left join test t on t.id = m.test_id left join panel n on n.id = m.panel_id
      union all
      select a.code, 3, t.id, null, 'same name' from asked a join test t on lower(t.description) = lower(a.name) and t.deleted_at is null where a.name <> ''
      union all
      select a.code, 3, null, n.id, 'same name' from asked a join panel n on lower(n.description) = lower(a.name) and n.deleted_at is null where a.name <> '')
    select distinct on (code) code, test_id as "testId", panel_id as "panelId", why from found order by code, rank, test_id`.execute(
    db,
  )
  return rows
}
