import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../../platform/lists.ts'

/** The age in completed years on the day of the collection of requisition `r`, in the zone of the collection. */
export const ageAtCollection = (dob: Sql): RawBuilder<number> =>
  sql`extract(year from age((r.collected_at at time zone r.collected_zone)::date, ${dob}))::int`
