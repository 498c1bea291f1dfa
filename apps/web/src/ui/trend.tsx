/** A small line chart of a few values, oldest first, for a cell. */
export const Trend = ({ values }: { values: readonly number[] }) => {
  const least = Math.min(...values)
  const span = Math.max(...values) - least || 1
  const x = (index: number) => 3 + (70 * index) / (values.length - 1)
  const y = (value: number) => 17 - (14 * (value - least)) / span
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
  const last = values.length - 1
  return (
    <svg width="76" height="20" viewBox="0 0 76 20" role="img" aria-label={`Trend: ${values.join(', ')}`}>
      <path d={line.join('')} fill="none" stroke="var(--n-500)" strokeWidth="1.25" strokeLinejoin="round" />
      <circle cx={x(last)} cy={y(values[last] as number)} r="2.25" fill="var(--p)" />
    </svg>
  )
}
