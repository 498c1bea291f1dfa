import type { FieldDef, Values, Whole } from './field-types.ts'

export type Side = 'mine' | 'theirs'

/** A field on which the two versions of a record differ. */
export interface Difference {
  field: FieldDef
  mine: unknown
  theirs: unknown
  /** What to start from: who alone has changed the field is right about it; where both have, the person at the screen decides. */
  side: Side
  isContested: boolean
  /** Of a value in parts: all of them, which go together. */
  parts?: Record<Side, Values>
  saidBy?: Whole['saidBy']
}

/** Who has saved meanwhile, when, and as which version: beside the record in the answer 409. */
export const changeIn = (current: Values) => ({
  who: typeof current.changedBy === 'string' ? current.changedBy : undefined,
  at: typeof current.changedAt === 'string' ? current.changedAt : undefined,
  version: typeof current.version === 'number' ? current.version : undefined,
})

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** The same to a reader: nothing is nothing however it is written, and 3 is '3'. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) && isEmpty(other)
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item) => other.some((match) => isSame(item, match)))
  return String(one) === String(other)
}

/** The same in a field: where the order counts, the same in another order is another value. */
export const isSameIn = ({ isOrdered }: FieldDef, one: unknown, other: unknown): boolean =>
  isSame(one, other) && (!isOrdered || String(one ?? '') === String(other ?? ''))

/** Compares what was read, what was typed since, and what somebody else has saved meanwhile. */
export const differencesOf = (fields: readonly FieldDef[], base: Values, mine: Values, theirs: Values): Difference[] =>
  fields
    .filter(({ name, kind }) => kind !== 'password' && name in theirs)
    .filter(({ whole }, index, all) => !whole || all.findIndex((other) => other.whole === whole) === index)
    .flatMap((field) => {
      const { whole, name } = field
      const valueIn = (values: Values) => (whole ? whole.show(values) : values[name])
      const [was, own, other] = [valueIn(base), valueIn(mine), valueIn(theirs)]
      if (isSameIn(field, own, other)) return []
      const isMine = !isSameIn(field, own, was)
      const isTheirs = !isSameIn(field, other, was)
      const difference: Difference = {
        field: whole ? { name, label: whole.label, kind: 'text' } : field,
        mine: own,
        theirs: other,
        side: isMine || !isTheirs ? 'mine' : 'theirs',
        isContested: isMine && isTheirs,
        ...(whole && { parts: { mine: partsIn(fields, whole, mine), theirs: partsIn(fields, whole, theirs) } }),
        ...(whole?.saidBy && { saidBy: whole.saidBy }),
      }
      return [difference]
    })

const partsIn = (fields: readonly FieldDef[], whole: Whole, values: Values): Values =>
  Object.fromEntries(fields.filter((field) => field.whole === whole).map(({ name }) => [name, values[name]]))

/** What is saved in the end. */
export const merge = (mine: Values, differences: readonly Difference[], sides: Record<string, Side>): Values => ({
  ...mine,
  ...Object.assign(
    {},
    ...differences.map((one) => {
      const side = sides[one.field.name] ?? one.side
      return one.parts?.[side] ?? { [one.field.name]: one[side] }
    }),
  ),
})
