const columns = 8
const rows = 12
const step = 46

const isInLetter = (column: number, row: number) =>
  (column === 2 && row >= 3 && row <= 8) || (row === 8 && column >= 2 && column <= 5)
// Pseudo-random, but the same on every visit.
const faintness = (place: number) => 0.05 + (((place * 14) % 23) / 23) * 0.13

const tubes = Array.from({ length: columns * rows }, (_, place) => {
  const column = place % columns
  const row = Math.floor(place / columns)
  const isLit = isInLetter(column, row)
  return {
    place,
    x: 26 + column * step,
    y: 26 + row * step,
    fill: isLit ? '#BFE3F0' : '#5FB1D0',
    opacity: isLit ? 0.92 : faintness(place),
  }
})

/** A tube rack seen from above, eight by twelve like a plate, with an L in it. */
export const RackPattern = () => (
  <svg
    viewBox="0 0 374 558"
    width="374"
    height="558"
    aria-hidden="true"
    style={{ position: 'absolute', left: 25, top: 'max(120px, calc(50% - 264px))' }}
  >
    {tubes.map(({ place, x, y, fill, opacity }) => (
      <circle key={place} cx={x} cy={y} r="16" fill={fill} opacity={opacity} />
    ))}
  </svg>
)
