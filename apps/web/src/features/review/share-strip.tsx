import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import { styled } from '@mui/material/styles'
import { formatDuration } from '../../lib/durations.ts'
import { useToday } from './use-review.ts'

const Strip = styled('section')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 20,
  margin: '0 16px 8px',
  padding: '8px 16px',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  '& .figure': { flex: 'none', display: 'flex', flexDirection: 'column' },
  '& .figure small, & .legend': { color: 'var(--text-3)', fontSize: 11, lineHeight: '16px' },
  '& .figure strong': { fontSize: 16, lineHeight: '22px', color: 'var(--text-strong)' },
  '& .figure.late strong': { color: 'var(--error)' },
  '& .figure.warn strong': { color: 'var(--warning)' },
  '& .share': { flex: '1 1 auto', minWidth: 0 },
  '& .bar': { display: 'flex', gap: 2, height: 8, marginBottom: 6 },
  '& .bar i': { borderRadius: 3, minWidth: 2 },
  '& .legend': { display: 'flex', flexWrap: 'wrap', gap: '0 16px' },
  '& .legend b': { color: 'var(--text-strong)' },
  '& .legend i': { display: 'inline-block', width: 8, height: 8, marginRight: 6, borderRadius: 2 },
  '& .end': { paddingLeft: 20, borderLeft: '1px solid var(--line)' },
  [theme.breakpoints.down('sm')]: {
    flexWrap: 'wrap',
    gap: '8px 16px',
    margin: '0 12px 8px',
    '& .share': { order: 1, flexBasis: '100%' },
    '& .end': { paddingLeft: 16 },
  },
}))

/** The longest permitted wait, as on Home. */
const limitMs = 2 * 3_600_000
const warnFrom = 0.75

/** The share of results verified by rule today, and the rest. */
export const ShareStrip = ({ rows, total }: { rows: readonly ReviewResult[]; total: number | undefined }) => {
  const { verified, accepted } = useToday()
  const all = (verified ?? 0) + (accepted ?? 0) + (total ?? 0)
  const isKnown = verified !== undefined && accepted !== undefined && total !== undefined && all > 0
  const parts = [
    ['auto-verified', verified, 'var(--p)'],
    ['accepted by hand', accepted, 'var(--info)'],
    ['wait here', total, 'var(--warning-solid)'],
  ] as const
  // Of more than one page, neither is known.
  const isWhole = rows.length === total
  const oldest =
    rows.length === 0 || !isWhole ? null : Date.now() - Math.min(...rows.map((row) => Date.parse(row.receivedAt)))
  const held = rows.filter(({ qcState }) => qcState === 'OUT').length
  const tone = oldest === null || oldest < limitMs * warnFrom ? '' : oldest > limitMs ? 'late' : 'warn'
  return (
    <Strip aria-label="Today">
      <div className="figure">
        <small>Auto-verified today</small>
        <strong>{isKnown ? `${((100 * (verified ?? 0)) / all).toFixed(1)}%` : '–'}</strong>
      </div>
      <div className="share">
        <div className="bar" aria-hidden="true">
          {parts.map(([label, count, colour]) => (
            <i key={label} style={{ flex: count || 0, background: colour, display: count ? undefined : 'none' }} />
          ))}
          {all === 0 && <i style={{ flex: 1, background: 'var(--surface-3)' }} />}
        </div>
        <div className="legend">
          {parts.map(([label, count, colour]) => (
            <span key={label}>
              <i style={{ background: colour }} />
              <b>{count === undefined ? '–' : count.toLocaleString('en-US')}</b> {label}
            </span>
          ))}
        </div>
      </div>
      <div className={`figure end ${tone}`}>
        <small>Oldest waits</small>
        <strong>{oldest === null ? '–' : `${formatDuration(oldest)} of 2 h`}</strong>
      </div>
      <div className={`figure end ${held > 0 ? 'late' : ''}`}>
        <small>Held by QC</small>
        <strong>{isWhole ? held : '–'}</strong>
      </div>
    </Strip>
  )
}
