import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { SuccessIcon, WarningIcon } from '../../ui/icons.tsx'
import { MendLink, OutcomeFrame } from './dry-run.tsx'

interface BulkOutcomeProps {
  rows: readonly RequisitionRow[]
  outcome: Outcome
  /** 'moved': what became of those with which it went well. */
  done: string
}

/** What became of each row, once a bulk action has run: nothing half-fails in silence. */
export const BulkOutcome = ({ rows, outcome: { moved, refused }, done }: BulkOutcomeProps) => {
  const failures = new Map(refused.map((refusal) => [refusal.id, refusal]))
  return (
    <>
      <p role="status" style={{ marginBottom: 12, fontSize: 20, lineHeight: '28px', color: 'var(--text-strong)' }}>
        {moved.length} {done}, {refused.length} not
      </p>
      <OutcomeFrame>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
        <section className="rows" tabIndex={0} aria-label="Outcome of each requisition">
          <table>
            <thead>
              <tr>
                <th>Requisition</th>
                <th>Outcome</th>
                <th style={{ textAlign: 'right' }}>Mend</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => {
                const failure = failures.get(row.id)
                return (
                  <tr key={row.id}>
                    <td>{requisitionTitle(row)}</td>
                    <td>
                      <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
                        {failure ? (
                          <WarningIcon size={14} style={{ flex: 'none', color: 'var(--warning)' }} />
                        ) : (
                          <SuccessIcon size={14} style={{ flex: 'none', color: 'var(--success)' }} />
                        )}
                        {failure?.reason ?? `${done.charAt(0).toUpperCase()}${done.slice(1)}`}
                      </span>
                    </td>
                    <td>
                      <MendLink id={row.id} tabSlug={failure?.tabSlug ?? null} />
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </section>
      </OutcomeFrame>
    </>
  )
}
