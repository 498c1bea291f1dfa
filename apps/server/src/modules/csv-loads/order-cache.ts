import type { LoadedOrder } from './loaded-orders.ts'
import type { Person } from './order-patients.ts'
import type { OrderRow } from './order-rows.ts'
import type { OrderedTest } from './order-tests.ts'

/**
 * Orders and patients of earlier rows of the file. In a dry run the database has none of them. In a load it has the patients of earlier
 * chunks, who may have changed since, so only those of the present chunk are cached.
 */
export const createOrderCache = (isDry: boolean) => {
  const orders = new Map<string, LoadedOrder>()
  /** In the state after the latest row. */
  const people = new Map<number, Person>()
  /** Ids of the patients with an order, by group. */
  const groups = new Map<string, Set<number>>()
  let undos: (() => void)[] = []
  let begun = -1
  let lastId = 0

  const undoAll = (from: number) => {
    for (const undo of undos.splice(from).reverse()) undo()
  }
  return {
    /** A chunk that is repeated after a conflict: forgets its rows, or they would count as loaded. */
    beginPiece: (firstRow: number) => {
      if (begun === firstRow) undoAll(0)
      begun = firstRow
      undos = []
      if (isDry) return
      people.clear()
      groups.clear()
    },
    /** Returns a function that undoes what is added from now on. */
    mark: () => {
      const from = undos.length
      return () => undoAll(from)
    },
    nextPersonId: () => --lastId,
    findOrder: (key: string) => orders.get(key),
    /** The patients of the database in the state after earlier rows, with those who are only in the file. */
    withPeopleAhead: (group: string, known: readonly Person[]): Person[] => {
      const here = groups.get(group)
      const all = known.map((person) => {
        const ahead = people.get(person.id)
        return ahead ? { ...ahead, isOrderedHere: person.isOrderedHere || (here?.has(person.id) ?? false) } : person
      })
      const others = [...(here ?? [])].filter((id) => !known.some((person) => person.id === id))
      return [...all, ...others.map((id) => people.get(id) as Person)]
    },
    remember: (
      { key, patientKey, collectedOn, codes }: OrderRow,
      group: string,
      person: Person,
      tests: readonly OrderedTest[],
    ) => {
      const { id } = person
      const before = people.get(id)
      const here = groups.get(group) ?? new Set()
      const wasHere = here.has(id)
      orders.set(key, {
        id: null,
        patientKeys: [patientKey],
        days: [collectedOn],
        codes: [...codes, ...tests.map(({ code }) => code)],
      })
      people.set(id, person)
      groups.set(group, here.add(id))
      undos.push(() => {
        orders.delete(key)
        if (before) people.set(id, before)
        else people.delete(id)
        if (!wasHere) here.delete(id)
      })
    },
  }
}
