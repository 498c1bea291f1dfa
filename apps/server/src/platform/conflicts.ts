import { conflict } from './errors.ts'

/** Further reasons are only counted, so that the message stays readable. */
const maxNamed = 5

/** Rejects a deletion of several records with the reason for each record that cannot be deleted, not only the first. */
export const throwConflictIfAny = (reasons: readonly (string | null)[]): void => {
  const given = reasons.filter((reason) => reason !== null)
  if (given.length === 0) return
  const more = given.length > maxNamed ? [`and ${given.length - maxNamed} more`] : []
  throw conflict([...given.slice(0, maxNamed), ...more].join('; '))
}
