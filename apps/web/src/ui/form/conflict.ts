import type { FieldDef, Values } from './field-types.ts'

export type Side = 'mine' | 'theirs'

/** A field on which the two versions of a record differ. */
export interface Difference {
  field: FieldDef
  mine: unknown
  theirs: unknown
  /** What to start from: who alone has changed the field is right about it; where both have, the person at the screen decides. */
  side: Side
  isContested: boolean
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

/** Compares what was read, what was typed since, and what somebody else has saved meanwhile. */
export const differencesOf = (fields: readonly FieldDef[], base: Values, mine: Values, theirs: Values): Difference[] =>
  fields
    .filter(({ name, kind }) => kind !== 'password' && name in theirs && !isSame(mine[name], theirs[name]))
    .map((field) => {
      const { name } = field
      const isMine = !isSame(mine[name], base[name])
      const isTheirs = !isSame(theirs[name], base[name])
      return {
        field,
        mine: mine[name],
        theirs: theirs[name],
        side: isMine || !isTheirs ? 'mine' : 'theirs',
        isContested: isMine && isTheirs,
      }
    })

/** What is saved in the end. */
export const merge = (mine: Values, differences: readonly Difference[], sides: Record<string, Side>): Values => ({
  ...mine,
  ...Object.fromEntries(
    differences.map((one) => [one.field.name, (sides[one.field.name] ?? one.side) === 'mine' ? one.mine : one.theirs]),
  ),
})
