/** The chosen tests, as the call expects them. */
export const chosenTests = (tests: readonly string[]) => {
  const idsOf = (kind: 'P' | 'T') => tests.filter((key) => key.startsWith(kind)).map((key) => Number(key.slice(1)))
  return { panelIds: idsOf('P'), testIds: idsOf('T') }
}
