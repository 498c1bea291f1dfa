import type { MonthMoney } from '@lis/contract/home-practice.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

const months = 6

/** The amounts billed and paid in each of the last months, the current one first. */
export const readMoney = async (db: Db): Promise<MonthMoney[]> => {
  const { rows } = await sql<MonthMoney>`
    select to_char(day, 'YYYY-MM') as month, currency_code as "currencyCode", sum(billed)::numeric(14,2)::text as billed,
      sum(received)::numeric(14,2)::text as received, (sum(billed) - sum(received))::numeric(14,2)::text as open
    from (select * from money_by_day union all select * from money_by_day_delta) m
    where day >= (date_trunc('month', current_date) - make_interval(months => ${months - 1}))::date and day <= current_date
    group by 1, 2 order by 1 desc, 2`.execute(db)
  return rows
}
