import type { FieldDef, Values } from './field-types.ts'

interface Conversion {
  /** The value of the field before, and the other fields then and after. */
  from: unknown
  before: Values
  after: Values
}

/**
 * Applies `converts` of the fields. A field that returns to its former value gives the others their former values too, unless they were
 * typed over: rounding there and back would change them.
 */
export const createConversions = (fields: readonly FieldDef[]) => {
  const last = new Map<string, Conversion>()
  return (name: string, values: Values, next: unknown): Values => {
    const field = fields.find((one) => one.name === name)
    if (!field?.converts) return {}
    const former = last.get(name)
    const after = former && isUndone(former, values, next) ? former.before : field.converts(values, next)
    const before = Object.fromEntries(Object.keys(after).map((other) => [other, values[other]]))
    last.set(name, { from: values[name], before, after })
    return after
  }
}

const isUndone = ({ from, after }: Conversion, values: Values, next: unknown) =>
  from === next && Object.entries(after).every(([name, value]) => values[name] === value)
