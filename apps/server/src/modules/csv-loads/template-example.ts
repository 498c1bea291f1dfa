import { loadColumns } from '@lis/contract/csv-load-columns.ts'
import type { LoadType } from '@lis/contract/csv-loads.ts'
import { isNpi } from '@lis/contract/physicians.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

type Example = Record<string, string>

/** The example row of a template, with records of this laboratory where it has any, so the row can be loaded unchanged. */
export const exampleRow = async (db: Db, type: LoadType): Promise<string[]> => {
  const { rows } = await queries[type].execute(db)
  const found = rows[0] ?? {}
  const own = type === 'PHYSICIAN' ? { ...found, npiNumber: await freeNpi(db) } : found
  return loadColumns[type].map(({ name, example }) => (own as Example)[name] ?? example)
}

const aClient = sql`select c.id, c.legacy_client_id, c.collaborator_id from client c where c.deleted_at is null and c.zone <> 'TZNA'`

const queries: Record<LoadType, RawBuilder<Example>> = {
  REQUISITION: sql<Example>`
    select o.name as "colaId", '' as "clientId", c.legacy_client_id as "legacyClientId", p.id::text as "orderingClientPhysId",
      p.npi_number as "npiNumber", e.id::text as "eventId", l.lab_code as "labId",
      to_char(now() - interval '1 day', 'MM/DD/YYYY "08:15"') as "dateCollected"
    from (${aClient}) c join collaborator o on o.id = c.collaborator_id and o.deleted_at is null
      join lateral (select cp.id, ph.npi_number from client_physician cp join physician ph on ph.id = cp.physician_id
        where cp.client_id = c.id and cp.deleted_at is null and ph.deleted_at is null order by cp.id limit 1) p on true
      join lateral (select id from client_event where client_id = c.id and deleted_at is null order by id limit 1) e on true
      join lateral (select lab.lab_code from client_lab x join lab on lab.id = x.lab_id and lab.deleted_at is null
        where x.client_id = c.id order by lab.id limit 1) l on true
    order by c.id limit 1`,
  // Of a patient without an earlier order, so that no delta check asks for a confirmation.
  RESULT: sql<Example>`
    select r.id::text as "reqId", t.code as "testCode",
      case when t.code = 'HDL' then '52.4' else round((t.confirm_lo + t.confirm_hi) / 2, t.significant_digits)::text end as result,
      to_char(greatest(l.received_at, now() - interval '1 hour') at time zone lab.zone, 'MM/DD/YYYY HH24:MI') as "processDate"
    from requisition r join requisition_list l on l.requisition_id = r.id join lab on lab.id = r.lab_id
      join requisition_test x on x.requisition_id = r.id and x.deleted_at is null and x.result is null and not x.is_retest
      join test t on t.id = x.test_id and t.result_kind = 'numeric' and not t.is_calculated and t.confirm_lo is not null and t.confirm_hi is not null
    where r.status_code = 'PROCESS' and r.deleted_at is null
      and not exists (select from requisition_test_reason f where f.requisition_test_id = x.id)
      and not exists (select from requisition o where o.patient_id = r.patient_id and o.id <> r.id)
    order by t.code <> 'HDL', r.id desc limit 1`,
  CLIENT: sql<Example>`
    select (select 'C-' || to_char(n, 'FM0000') from generate_series(420, 9999) as n
        where not exists (select from client where upper(legacy_client_id) = 'C-' || to_char(n, 'FM0000'))
          and not exists (select from collaborator where upper(alias) = 'C-' || to_char(n, 'FM0000')) limit 1) as "legacyClientId",
      'US' as "clientCountryId", 'WI' as "clientStateId", o.name as "colaId",
      (select lab_code from lab where deleted_at is null order by is_default desc, id limit 1) as "labIds",
      coalesce((select rep_code from sales_person where deleted_at is null and type_code = 'SLS' order by id limit 1), '') as "salesIds"
    from collaborator o where o.deleted_at is null and exists (select from lab where deleted_at is null) order by o.id limit 1`,
  QC: sql<Example>`
    select i.name as instrument, t.code as "testCode", to_char(now() at time zone lab.zone - interval '5 minutes', 'MM/DD/YYYY HH24:MI') as "ranAt", x.lots[1] as lot1,
      x.means[1] as value1, x.lots[2] as lot2, x.means[2] as value2, x.lots[3] as lot3, x.means[3] as value3, x.lots[4] as lot4, x.means[4] as value4
    from instrument i join lab on lab.id = i.lab_id join lateral (
      select g.test_id, array_agg(g.lot_number order by g.level) as lots, array_agg(g.mean::text order by g.level) as means
      from (select distinct on (l.level) g.test_id, l.level, l.lot_number, g.mean from qc_target g join qc_lot l on l.id = g.lot_id
        where g.instrument_id = i.id and g.test_id = (select min(test_id) from qc_target where instrument_id = i.id)
          and l.expires > now() and g.valid_from < now() and (g.valid_to is null or g.valid_to > now()) order by l.level, g.valid_from desc) g
      group by g.test_id having array_agg(g.level order by g.level) = (array[1, 2, 3, 4])[1:count(*)]) x on true
      join test t on t.id = x.test_id
    where i.deleted_at is null order by i.id limit 1`,
  PHYSICIAN: sql<Example>`
    select '' as "clientIds", c.legacy_client_id as "legacyClientId" from (${aClient}) c order by c.id limit 1`,
}

/** An NPI that no physician has: an existing one would give that physician the example's clients. */
const freeNpi = async (db: Db): Promise<string> => {
  const candidates = Array.from({ length: 1000 }, (_, index) => String(1234567893 + index)).filter(isNpi)
  const { rows } = await sql<{ npi: string }>`
    select x.npi from unnest(${candidates}::text[]) with ordinality as x(npi, place)
    where not exists (select from physician p where p.npi_number = x.npi) order by x.place limit 1`.execute(db)
  return rows[0]?.npi ?? '1234567893'
}
