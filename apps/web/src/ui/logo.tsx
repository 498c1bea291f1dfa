const positions = [6.5, 12, 17.5]
const tubes = positions.flatMap((y) => positions.map((x) => ({ x, y, isInLetter: x === 6.5 || y === 17.5 })))

interface LogoProps {
  size?: number
  /** Colours of the tile and the dots; the accent colour by default. */
  tile?: string
  dots?: string
}

/** The product's logo: a tube rack seen from above, with an L in it. */
export const Logo = ({ size = 24, tile = 'var(--p)', dots = 'var(--on-p)' }: LogoProps) => (
  <svg width={size} height={size} viewBox="0 0 24 24" role="img" aria-label="LIS logo" display="block">
    <rect width="24" height="24" rx="6" fill={tile} />
    {tubes.map(({ x, y, isInLetter }) => (
      <circle key={`${x} ${y}`} cx={x} cy={y} r="1.9" fill={dots} opacity={isInLetter ? 1 : 0.34} />
    ))}
  </svg>
)
