import type { CompositeField, FieldDef, Values } from './field-types.ts'

export type Side = 'mine' | 'theirs'

/** A field in which the two versions of a record differ. */
export interface Difference {
  field: FieldDef
  mine: unknown
  theirs: unknown
  /** The preselected side: the only one that changed the field; if both did, the user decides. */
  side: Side
  isContested: boolean
  /** All parts of a composite value, which are chosen together. */
  parts?: Record<Side, Values>
  shownBy?: CompositeField['shownBy']
}

/** Who saved in the meantime, when, and the new version, from the 409 reply. */
export const changeOf = (current: Values) => ({
  changedBy: typeof current.changedBy === 'string' ? current.changedBy : undefined,
  changedAt: typeof current.changedAt === 'string' ? current.changedAt : undefined,
  version: typeof current.version === 'number' ? current.version : undefined,
})

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** Equal to a user: all empty values are equal, and 3 equals '3'. */
const isEqual = (one: unknown, other: unknown): boolean => {
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) && isEmpty(other)
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item) => other.some((match) => isEqual(item, match)))
  return String(one) === String(other)
}

/** Equal values of a field; order counts where the field is ordered. */
export const isSameValue = ({ isOrdered }: FieldDef, one: unknown, other: unknown): boolean =>
  isEqual(one, other) && (!isOrdered || String(one ?? '') === String(other ?? ''))

/** Compares the record as read, as edited, and as saved by another user in the meantime. */
export const differencesOf = (fields: readonly FieldDef[], base: Values, mine: Values, theirs: Values): Difference[] =>
  fields
    .filter(({ name, kind }) => kind !== 'password' && name in theirs)
    .filter(
      ({ composite }, index, all) => !composite || all.findIndex((other) => other.composite === composite) === index,
    )
    .flatMap((field) => {
      const { composite, name } = field
      const valueIn = (values: Values) => (composite ? composite.show(values) : values[name])
      const [was, own, other] = [valueIn(base), valueIn(mine), valueIn(theirs)]
      if (isSameValue(field, own, other)) return []
      const isMine = !isSameValue(field, own, was)
      const isTheirs = !isSameValue(field, other, was)
      const difference: Difference = {
        field: composite ? { name, label: composite.label, kind: 'text' } : field,
        mine: own,
        theirs: other,
        side: isMine || !isTheirs ? 'mine' : 'theirs',
        isContested: isMine && isTheirs,
        ...(composite && {
          parts: { mine: partsIn(fields, composite, mine), theirs: partsIn(fields, composite, theirs) },
        }),
        ...(composite?.shownBy && { shownBy: composite.shownBy }),
      }
      return [difference]
    })

const partsIn = (fields: readonly FieldDef[], composite: CompositeField, values: Values): Values =>
  Object.fromEntries(fields.filter((field) => field.composite === composite).map(({ name }) => [name, values[name]]))

/** The values to save. */
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
