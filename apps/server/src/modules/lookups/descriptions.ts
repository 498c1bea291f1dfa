import type { LovType } from '@lis/contract/lookups.ts'
import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { DB } from '../../platform/db/types.ts'

const eb = expressionBuilder<DB>()

/** The description of a code in its lookup list `type`; null for no code and for one that is not in the list. */
export const lookupDescription = (type: LovType, code: Expression<unknown>): RawBuilder<string | null> =>
  sql`${eb
    .selectFrom('lov')
    .select('lov.description')
    .where('lov.type_code', '=', sql.lit(type))
    .where('lov.code', '=', code as Expression<string>)}`

/** The description of a code; a code that is no longer in its list shows as itself. */
export const lookupDescriptionOrCode = <Code>(
  type: LovType,
  code: Expression<Code>,
): RawBuilder<string | Extract<Code, null>> => sql`coalesce(${lookupDescription(type, code)}, ${code})`
