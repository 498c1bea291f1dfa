import type { LoadedOrder } from './loaded-orders.ts'
import type { Person } from './order-patients.ts'
import type { OrderRow } from './order-rows.ts'
import type { OrderedTest } from './order-tests.ts'

/**
 * What the rows ahead in the file have brought: their orders, and their people. Of a dry run the database knows nothing of them; of a load it
 * knows the people of the pieces before, who may have been changed since, so that only those of the piece are remembered.
 */
export const createOrderCache = (isDry: boolean) => {
  const orders = new Map<string, LoadedOrder>()
  /** As the rows left them. */
  const people = new Map<number, Person>()
  /** Who has an order of a client by now. */
  const groups = new Map<string, Set<number>>()
  let undos: (() => void)[] = []
  let begun = -1
  let lastId = 0

  const undoAll = (from: number) => {
    for (const undo of undos.splice(from).reverse()) undo()
  }
  return {
    /** A piece that a conflict undid is run again: what its rows brought is forgotten, or they would count as loaded. */
    beginPiece: (firstRow: number) => {
      if (begun === firstRow) undoAll(0)
      begun = firstRow
      undos = []
      if (isDry) return
      people.clear()
      groups.clear()
    },
    /** Answers how to forget what comes after. */
    mark: () => {
      const from = undos.length
      return () => undoAll(from)
    },
    nextPersonId: () => --lastId,
    findOrder: (key: string) => orders.get(key),
    /** The people of the database as the rows ahead left them, with those whom only the file knows. */
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
