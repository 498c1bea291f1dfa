import type { PoolClient } from 'pg'

/** Set by the yearly ICD load; from then on the official list, not our short one, defines the codes. */
export const officialIcdSetting = 'icd.order-file'

/** For how many years a report is kept, for the trigger that refuses to remove one. */
export const recordYearsSetting = 'reports.recordYears'

/** Left by the demo loader: only a database that has it may be shown in demo mode. */
export const demoSetting = 'demo'

export type Queryable = Pick<PoolClient, 'query'>

export const readSetting = async (db: Queryable, key: string): Promise<unknown> => {
  const { rows } = await db.query<{ value: unknown }>('select value from setting where key = $1', [key])
  return rows[0]?.value
}

export const writeSetting = (db: Queryable, key: string, value: unknown) =>
  db.query(
    `insert into setting as t (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value, version = t.version + 1, updated_at = now()`,
    [key, JSON.stringify(value)],
  )
