/** Filters for the codes of requisitions and of tests; the server accepts no others. */
export const requisitionCodes = { scope: ['REQ', 'BOTH'] } as const
export const testCodes = { scope: ['TEST', 'BOTH'] } as const

/** Reads the ids of codes from the record in a conflict reply; undefined where there are none. */
export const readIds =
  (name: string) =>
  ({ [name]: ids }: Record<string, unknown>): number[] | undefined =>
    Array.isArray(ids) ? ids.map(Number) : undefined

/** Compares regardless of order. */
export const hasSameIds = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id))

/** Shows chosen codes by their labels. */
export const labelsOf = (options: readonly { value: string | number; label: string }[]) => (ids: readonly number[]) =>
  options
    .filter(({ value }) => ids.includes(Number(value)))
    .map(({ label }) => label)
    .join(', ') || 'None'
