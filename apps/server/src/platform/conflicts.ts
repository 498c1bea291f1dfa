import { conflict } from './errors.ts'

/** A message stays readable: of more records than this the others are counted. */
const mostNamed = 5

/** Refuses a deletion of several records at once and names each that stands in the way, not only the first. */
export const throwConflictIfAny = (reasons: readonly (string | null)[]): void => {
  const given = reasons.filter((reason) => reason !== null)
  if (given.length === 0) return
  const more = given.length > mostNamed ? [`and ${given.length - mostNamed} more`] : []
  throw conflict([...given.slice(0, mostNamed), ...more].join('; '))
}
