import { sql } from 'kysely'

/** How the reason of a revision begins when a fail code removed the result; the codes follow. */
export const failReason = 'Fail code'

/** Whether the current test `x` has a number that comes back when its last fail code is removed, by the rule of `findResultsClearedByFailCode`. */
export const hasNumberPutAside = sql`x.result is null and not x.is_retest
  and exists (select from requisition_test_reason f join reason re on re.id = f.reason_id and re.type_code = 'FAIL' where f.requisition_test_id = x.id)
  and (select v.reason like ${sql.lit(`${failReason}%`)} and v.result ~ '^-?[0-9]*[.]?[0-9]+$' from requisition_test_revision v
    where v.requisition_test_id = x.id order by v.id desc limit 1)`
