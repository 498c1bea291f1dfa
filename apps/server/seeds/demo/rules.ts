import { rulesOf, type TestRules } from '@lis/contract/results/rules.ts'
import type { Catalogue } from './catalogue.ts'
import type { Client } from './clients.ts'
import type { RuleBook } from './draft.ts'
import type { World } from './world.ts'

/** The limits of every test for every collaborator, read once. */
export const makeRuleBook = (catalogue: Catalogue, world: World): RuleBook => {
  const shelves = new Map<number, Map<string, TestRules>>()
  for (const { id, ranges } of world.collaborators) {
    const shelf = new Map<string, TestRules>()
    for (const test of catalogue.tests.values()) {
      // An own range is a copy of the catalogue's with the own values written over it, as it is stored.
      const own = ranges.get(test.testCode)
      const rules = rulesOf(test, own && { ...test, ...own })
      shelf.set(test.testCode, rules)
      shelf.set(test.resultKey, rules)
    }
    shelves.set(id, shelf)
  }
  return {
    of: (client: Client, key: string) => {
      const rules = shelves.get(client.collaborator.id)?.get(key)
      if (!rules) throw new Error(`No rules for ${key}`)
      return rules
    },
  }
}
