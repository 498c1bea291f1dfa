import { sql } from 'kysely'
import type { Sql } from '../../platform/lists.ts'

/**
 * `spent`: the stages that requisitions left since `start`, before `end` if it is given, and the hours they took. RECEIPT ends when the
 * requisition is accessioned, TOTAL when it is released; both begin with the first received specimen.
 */
export const spentSince = (start: Sql, end?: Sql): Sql => sql`moved as materialized (
        select e.requisition_id, e.from_code, e.to_code, e.at from requisition_status_event e where e.at >= ${start} ${end ? sql`and e.at < ${end}` : sql``}),
      spent as (
        select m.from_code as code, extract(epoch from m.at - (select max(b.at) from requisition_status_event b
            where b.requisition_id = m.requisition_id and b.to_code = m.from_code and b.at <= m.at)) / 3600 as hours, null::boolean as is_in_time, m.requisition_id
          from moved m join requisition_status_type f on f.code = m.from_code join requisition_status_type t on t.code = m.to_code
          where m.from_code in ('ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE') and t.sort_order > f.sort_order
        union all
        select case m.to_code when 'ACC' then 'RECEIPT' else 'TOTAL' end, extract(epoch from m.at - l.received_at) / 3600,
            case when m.to_code = 'RELEASE' then m.at <= l.due_at end, m.requisition_id
          from moved m join requisition_list l on l.requisition_id = m.requisition_id where m.to_code in ('ACC', 'RELEASE') and l.received_at is not null)`
