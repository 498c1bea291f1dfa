/** Which codes can be given to what; the server takes no others. */
export const ofRequisitions = { scope: ['REQ', 'BOTH'] } as const
export const ofTests = { scope: ['TEST', 'BOTH'] } as const

/** The ids of codes under a name of the record that a lost race shows; undefined where there are none. */
export const idsIn =
  (name: string) =>
  ({ [name]: ids }: Record<string, unknown>): number[] | undefined =>
    Array.isArray(ids) ? ids.map(Number) : undefined

/** The same codes, in whatever order they were chosen. */
export const isSameIds = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id))

/** How they are shown where two choices are compared. */
export const namesOf = (options: readonly { value: string | number; label: string }[]) => (ids: readonly number[]) =>
  options
    .filter(({ value }) => ids.includes(Number(value)))
    .map(({ label }) => label)
    .join(', ') || 'None'
