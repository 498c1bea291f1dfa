import { rulesOf, type TestRules } from '@lis/contract/results/rules.ts'
import type { Catalogue } from './catalogue.ts'
import type { Client } from './clients.ts'
import type { Ids, RowSink } from './copy.ts'
import type { RuleBook } from './draft.ts'
import type { World } from './world.ts'

/** The limits of every test for every collaborator, read once. */
export const makeRuleBook = (catalogue: Catalogue, world: World, ids: Ids, rows: RowSink): RuleBook => {
  const kept = new Map<string, number>()
  const idOf = (rules: string): number => {
    const known = kept.get(rules)
    if (known !== undefined) return known
    const id = ids.next('result_rules')
    rows.add('result_rules', { id, rules })
    kept.set(rules, id)
    return id
  }
  const keptIds = new Map<TestRules, number>()
  const shelves = new Map<number, Map<string, TestRules>>()
  for (const { id, ranges } of world.collaborators) {
    const shelf = new Map<string, TestRules>()
    for (const test of catalogue.tests.values()) {
      // An own range is a copy of the catalogue's with the own values written over it, as it is stored.
      const own = ranges.get(test.testCode)
      const rules = rulesOf(test, own && { ...test, ...own })
      keptIds.set(rules, idOf(JSON.stringify(rules.interpretationRules)))
      shelf.set(test.testCode, rules)
      shelf.set(test.resultKey, rules)
    }
    shelves.set(id, shelf)
  }
  const of = (client: Client, key: string): TestRules => {
    const rules = shelves.get(client.collaborator.id)?.get(key)
    if (!rules) throw new Error(`No rules for ${key}`)
    return rules
  }
  return { of, keptId: (client, key) => keptIds.get(of(client, key)) as number }
}
