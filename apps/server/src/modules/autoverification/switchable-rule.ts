import type { SwitchInput } from '@lis/contract/autoverification.ts'
import { type RawBuilder, sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { WriteCall } from '../../platform/http/implement.ts'

/** Tables of rules that are switched on and off. */
type RuleTable = 'autoverify_rule' | 'reflex_rule'

interface SwitchableRule {
  id: number
  version: number
  isActive: 0 | 1
  ruleVersion: number
}

/** The fields of a rule that a user enters. */
export const inputOf = <Rule extends SwitchableRule>({
  id: _,
  version: __,
  isActive: ___,
  ruleVersion: ____,
  ...input
}: Rule) => input

export const auditRule = (
  { db, actor, requestId }: WriteCall,
  entity: RuleTable,
  entityId: number,
  record: Pick<AuditRecord, 'action' | 'old' | 'new' | 'reason'>,
) => recordAudit(db, actor, requestId, { entity, entityId, ...record })

/** Removes a locked rule. */
export const removeLockedRule = async (call: WriteCall, table: RuleTable, id: number, old: AuditRecord['old']) => {
  await updateRow(call, table)
    .set({ deleted_at: sql<string>`now()`, is_active: false, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await auditRule(call, table, id, { action: 'DELETE', old })
}

/** Switches a locked rule on or off; `more` are columns that change with it. */
export const switchLockedRule = async (
  call: WriteCall,
  table: RuleTable,
  { id, isActive: before, ruleVersion }: SwitchableRule,
  { isActive, reason }: SwitchInput,
  more: { was_active?: RawBuilder<boolean> } = {},
) => {
  if (isActive === before) return
  await updateRow(call, table)
    .set({ is_active: isActive === 1, version: sql<number>`version + 1`, ...more })
    .where('id', '=', id)
    .execute()
  await auditRule(call, table, id, {
    action: isActive === 1 ? 'ON' : 'OFF',
    reason,
    old: { isActive: before },
    new: { isActive, ruleVersion },
  })
}

// The types of an update of either table are too many for the compiler; the columns are the same.
const updateRow = ({ db }: WriteCall, table: RuleTable) => db.updateTable(table as 'autoverify_rule')
