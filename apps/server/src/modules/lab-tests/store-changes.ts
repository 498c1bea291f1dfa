import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { type ResultChanges, recalculate } from './calculate.ts'
import type { RuleBook } from './rule-book.ts'
import { loadRulesAtResultTime } from './stored-rules.ts'
import { type ResultChange, replacesFailCodes, type StoredTest, writeChanges } from './stored-tests.ts'

interface StoreOptions {
  /** The doubts that the writer confirmed, per requisition. */
  confirmed?: ReadonlyMap<number, string[]>
  /** Requisitions whose inputs have changed in another way: tests added or removed, a fail code. */
  alsoRecalculate?: readonly number[]
  /** The changes already include the calculated tests. */
  isComplete?: boolean
}

/** Recalculates, writes all changes with their history, and returns the new versions by test. */
export const storeChanges = async (
  write: WriteCall,
  tests: readonly StoredTest[],
  book: RuleBook,
  changes: ResultChanges,
  { confirmed = new Map(), alsoRecalculate = [], isComplete = false }: StoreOptions = {},
): Promise<Map<number, number>> => {
  if (!isComplete) {
    const touched = new Set([...alsoRecalculate, ...[...changes.values()].map(({ test }) => test.requisitionId)])
    const byRequisition = Map.groupBy(tests, ({ requisitionId }) => requisitionId)
    const rulesAtResultTime = await loadRulesAtResultTime(write.db, tests, book)
    for (const id of touched) recalculate(byRequisition.get(id) ?? [], book, changes, rulesAtResultTime)
  }
  const withRules = [...changes.values()].map((change) => ({
    ...change,
    rules: change.rules ?? book.of(change.test.collaboratorId, change.test.testId),
  }))
  const versions = await writeChanges(write.db, write.actor.userId, withRules)
  if (changes.size === 0) return versions
  const records = [...Map.groupBy(changes.values(), ({ test }) => test.requisitionId)].map(
    ([requisitionId, list]): AuditRecord => {
      const doubts = confirmed.get(requisitionId)
      return {
        entity: 'requisition',
        entityId: requisitionId,
        requisitionId,
        action: 'RESULT',
        old: Object.fromEntries(list.map(({ test }) => [test.testCode, test.result ?? test.reportable])),
        new: Object.fromEntries(list.map(({ test, result, reportable }) => [test.testCode, result ?? reportable])),
        ...(doubts && { reason: `Confirmed: ${doubts.join(' ')}` }),
      }
    },
  )
  await recordAudit(write.db, write.actor, write.requestId, [...records, ...removedFailCodes(withRules)])
  return versions
}

/** `writeChanges` removes fail codes that a result replaces. */
const removedFailCodes = (changes: readonly ResultChange[]): AuditRecord[] =>
  changes.filter(replacesFailCodes).map(({ test: { requisitionId, testCode, failCodes } }) => ({
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'TEST',
    old: { [`${testCode} failCodes`]: failCodes },
    new: { [`${testCode} failCodes`]: '' },
  }))
