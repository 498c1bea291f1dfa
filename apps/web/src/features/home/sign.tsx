const paths = { up: 'M8 3l6 10H2z', down: 'M8 13 2 3h12z', other: 'M8 2l6 6-6 6-6-6z' } as const

/** An icon for above, below or otherwise outside, beside the word. Drawn, because not every font has such characters. */
export const Sign = ({ kind }: { kind: keyof typeof paths }) => (
  <svg width="9" height="9" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
    <path d={paths[kind]} />
  </svg>
)
