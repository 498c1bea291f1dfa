import { sql } from 'kysely'

/** Before the codes, in the reason for which a result went. */
export const failReason = 'Fail code'

/** Of the current test `x`: a number that comes back when the last fail code is taken off, by the rule of `findPutAside`. */
export const hasNumberPutAside = sql`x.result is null and not x.is_retest
  and exists (select from requisition_test_reason f join reason re on re.id = f.reason_id and re.type_code = 'FAIL' where f.requisition_test_id = x.id)
  and (select v.reason like ${sql.lit(`${failReason}%`)} and v.result ~ '^-?[0-9]*[.]?[0-9]+$' from requisition_test_revision v
    where v.requisition_test_id = x.id order by v.id desc limit 1)`
