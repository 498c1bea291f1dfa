/** The chosen tests, as the call expects them. */
export const chosenTests = (tests: readonly string[]) => {
  const idsOf = (kind: 'P' | 'T') => tests.filter((key) => key.startsWith(kind)).map((key) => Number(key.slice(1)))
  return { panelIds: idsOf('P'), testIds: idsOf('T') }
}

/** Panels and tests of a set, as the field of tests has them. */
export const keysOfSet = ({ panelIds, testIds }: ReturnType<typeof chosenTests>) => [
  ...panelIds.map((id) => `P${id}`),
  ...testIds.map((id) => `T${id}`),
]
