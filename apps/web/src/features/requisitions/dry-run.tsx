import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { WarningIcon } from '../../ui/icons.tsx'

export const OutcomeFrame = styled('div')({
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-md)',
  overflow: 'hidden',
  '& header': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    height: 36,
    padding: '0 12px',
    background: 'var(--warning-bg)',
    borderBottom: '1px solid var(--warning-line)',
    color: 'var(--warning)',
    fontWeight: 600,
  },
  '& .rows': { maxHeight: 320, overflow: 'auto' },
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th': {
    height: 28,
    padding: '0 12px',
    textAlign: 'left',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--text-2)',
    background: 'var(--surface-2)',
  },
  '& td': { height: 40, padding: '4px 12px', borderTop: '1px solid var(--line)' },
  '& td:first-of-type': { fontWeight: 600, color: 'var(--text-strong)', whiteSpace: 'nowrap' },
  '& td:last-of-type': {
    textAlign: 'right',
    whiteSpace: 'nowrap',
    '& a': { color: 'var(--link)', fontWeight: 600, textDecoration: 'none' },
  },
})

const openLabels: Record<string, string> = {
  tests: 'Open Tests',
  specimens: 'Open Specimens',
  reportsDelivery: 'Open Reports/Delivery',
  billing: 'Open Billing',
  status: 'Open Status',
}

/** The way to where it is mended. */
export const MendLink = ({ id, tabSlug }: { id: number; tabSlug: string | null }) =>
  tabSlug && <Link to={`/requisitions/${id}/show/${tabSlug}`}>{openLabels[tabSlug] ?? 'Open'}</Link>

/** What will move (or go, or be told), what will not, why, and the way to where that is mended. */
export const DryRun = ({ outcome: { moved, refused }, verb = 'move' }: { outcome: Outcome; verb?: string }) => (
  <>
    <div style={{ display: 'flex', alignItems: 'baseline', gap: 10 }}>
      <strong style={{ fontSize: 20, lineHeight: '28px', fontWeight: 600, color: 'var(--text-strong)' }}>
        {moved.length} will {verb}, {refused.length} will not
      </strong>
      <span style={{ color: 'var(--text-3)' }}>Nothing has been changed yet.</span>
    </div>
    <div aria-hidden style={{ display: 'flex', gap: 2, height: 6, margin: '8px 0 16px' }}>
      <i style={{ flex: moved.length, background: 'var(--p)', borderRadius: 3 }} />
      <i style={{ flex: refused.length, background: 'var(--warning-solid)', borderRadius: 3 }} />
    </div>
    {refused.length > 0 && (
      <OutcomeFrame>
        <header>
          <WarningIcon size={16} /> {refused.length} will not {verb}
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
        <section className="rows" tabIndex={0} aria-label={`Requisitions that will not ${verb}`}>
          <table>
            <thead>
              <tr>
                <th>Requisition</th>
                <th>Why it stays</th>
                <th style={{ textAlign: 'right' }}>Mend</th>
              </tr>
            </thead>
            <tbody>
              {refused.map(({ id, label, reason, tabSlug }) => (
                <tr key={id}>
                  <td>{label}</td>
                  <td>{reason}</td>
                  <td>
                    <MendLink id={id} tabSlug={tabSlug} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </OutcomeFrame>
    )}
  </>
)
