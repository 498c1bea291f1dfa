import type { Lab, SeedContext } from './seed-context.ts'

const freezersPerLab = 2
const shelves = ['1', '2', '3']
const racks = ['A', 'B']
const boxes = ['01', '02', '03']
const side = 9

/** Which slots a laboratory has; placements take them one after the other, so that no slot is taken twice. */
export class Freezers {
  readonly #slots = new Map<number, number[]>()
  readonly #taken = new Map<number, number>()

  addSlot(labId: number, slotId: number) {
    const slots = this.#slots.get(labId)
    if (slots) slots.push(slotId)
    else this.#slots.set(labId, [slotId])
  }

  /** A free slot, or undefined once nine tenths are full: in a full freezer no sample could be placed. */
  take(labId: number): number | undefined {
    const taken = this.#taken.get(labId) ?? 0
    const slots = this.#slots.get(labId) ?? []
    if (taken >= slots.length * 0.9) return undefined
    this.#taken.set(labId, taken + 1)
    return slots[taken]
  }

  /** Where a discarded sample was: any slot of the laboratory. */
  former(labId: number, point: number): number {
    const slots = this.#slots.get(labId) ?? []
    return slots[Math.floor(point * slots.length)] as number
  }

  get size(): number {
    return [...this.#slots.values()].reduce((sum, slots) => sum + slots.length, 0)
  }
}

export const addFreezers = (context: SeedContext, labs: readonly Lab[]): Freezers => {
  const freezers = new Freezers()
  for (const lab of labs) {
    for (let number = 1; number <= freezersPerLab; number += 1) addFreezer(context, freezers, lab, number)
  }
  return freezers
}

const addFreezer = ({ ids, rows }: SeedContext, freezers: Freezers, lab: Lab, number: number) => {
  const freezerId = ids.next('freezer')
  const description = `Freezer ${number}, ${number === 1 ? '-80' : '-20'} °C`
  rows.add('freezer', { id: freezerId, lab_id: lab.id, code: `FRZ${number}`, description })
  for (const shelf of shelves) {
    for (const rack of racks) {
      for (const box of boxes) {
        const boxId = ids.next('freezer_box')
        rows.add('freezer_box', {
          id: boxId,
          freezer_id: freezerId,
          shelf,
          rack,
          box,
          row_count: side,
          column_count: side,
        })
        for (let place = 0; place < side * side; place += 1) {
          const slotId = ids.next('freezer_slot')
          const letter = String.fromCharCode(65 + Math.floor(place / side))
          rows.add('freezer_slot', { id: slotId, box_id: boxId, row_letter: letter, slot: (place % side) + 1 })
          freezers.addSlot(lab.id, slotId)
        }
      }
    }
  }
}
