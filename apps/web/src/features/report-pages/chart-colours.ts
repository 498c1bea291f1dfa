/** A sequence with large differences in lightness, so that colour-blind users can distinguish them. */
const sideBySide = ['var(--p)', 'var(--n-400)', 'var(--warning-solid)']
/** Parts of a whole, from good to bad: grey while nothing is wrong, then amber, then red. */
const stacked: Record<number, readonly string[]> = {
  3: ['var(--n-400)', 'var(--warning-solid)', 'var(--error)'],
  4: ['var(--n-300)', 'var(--n-500)', 'var(--warning-solid)', 'var(--error)'],
  5: ['var(--n-300)', 'var(--n-400)', 'var(--n-600)', 'var(--warning-solid)', 'var(--error)'],
}

export const coloursOf = (series: number, isStacked: boolean): readonly string[] =>
  (isStacked && stacked[series]) || sideBySide
