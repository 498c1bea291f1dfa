import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { formatLongDate } from '../lib/formats.ts'
import { lineIcon, WarningIcon } from '../ui/icons.tsx'
import { ChevronRightIcon } from '../ui/table/table-icons.tsx'
import { requisitionTitle } from './requisition-title.ts'
import { shortReason, useFixLink } from './use-fix-link.ts'

const CopyIcon = lineIcon('M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3')
const NewTabIcon = lineIcon('M9.5 2.5h4v4M13.5 2.5 8 8M11.5 9v4.5h-9v-9H7')

const Frame = styled('div')(({ theme }) => ({
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-md)',
  overflow: 'hidden',
  '& > .head': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 36,
    padding: '0 8px 0 12px',
    background: 'var(--warning-bg)',
    borderBottom: '1px solid var(--warning-line)',
    color: 'var(--warning)',
    fontWeight: 600,
    '& > :last-child:not(span)': { marginLeft: 'auto' },
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
    whiteSpace: 'nowrap',
  },
  '& td': { height: 44, padding: '4px 12px', borderTop: '1px solid var(--line)', whiteSpace: 'nowrap' },
  '& td.who': { fontWeight: 600, color: 'var(--text-strong)' },
  '& td.why': { width: '99%', whiteSpace: 'normal', '& b': { fontWeight: 600, color: 'var(--text-strong)' } },
  '& td.why small': { display: 'block', fontSize: 11, lineHeight: '14px', color: 'var(--text-3)' },
  '& a': { color: 'var(--link)', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } },
  '& td.fix a': { display: 'flex', justifyContent: 'flex-end', alignItems: 'center', gap: 8, fontWeight: 600 },
  '& details': { padding: '0 12px', background: 'var(--surface-2)' },
  '& * + details': { borderTop: '1px solid var(--line)' },
  '& summary': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 36,
    cursor: 'pointer',
    listStyle: 'none',
    '&::-webkit-details-marker': { display: 'none' },
    '& > svg': { flex: 'none', color: 'var(--text-3)' },
    '& > b': { flex: 'none', fontWeight: 600, color: 'var(--text-strong)' },
    '& > span': { color: 'var(--text-3)', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  },
  '& details[open] > summary': { '& > svg': { transform: 'rotate(90deg)' }, '& > span': { display: 'none' } },
  '& ul': { maxHeight: 200, margin: '0 0 8px 24px', padding: 0, overflow: 'auto', columns: '260px auto' },
  [theme.breakpoints.down('sm')]: {
    '& thead': { display: 'none' },
    '& tr': {
      display: 'flex',
      flexWrap: 'wrap',
      gap: '2px 12px',
      padding: '8px 12px',
      borderTop: '1px solid var(--line)',
    },
    '& td': { height: 'auto', padding: 0, border: 0 },
    '& td.why': { width: '100%' },
  },
}))

/** The fields that identify a requisition to the user. */
export type PlannedRow = Pick<RequisitionRow, 'id' | 'patientFirstName' | 'patientLastName' | 'patientDob'>

interface DryRunProps {
  outcome: Outcome
  rows: readonly PlannedRow[]
  /** 'move': what will happen to each. */
  verb: string
  /** Lists the successful ones at once: they are about to be deleted. */
  isOpen?: boolean | undefined
}

/** What will and will not move (or be deleted, or be notified), why, and links to fix it. */
export const DryRun = ({ outcome: { moved, refused }, rows, verb, isOpen = false }: DryRunProps) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const names = moved.flatMap((id) => byId.get(id) ?? []).map(requisitionTitle)
  return (
    <>
      <div style={{ display: 'flex', alignItems: 'baseline', gap: '0 10px', flexWrap: 'wrap' }}>
        <strong
          style={{
            fontSize: 20,
            lineHeight: '28px',
            fontWeight: 600,
            color: 'var(--text-strong)',
            textWrap: 'balance',
          }}
        >
          {moved.length} will {verb}, {refused.length} will not
        </strong>
        <span style={{ color: 'var(--text-3)' }}>Nothing has been changed yet.</span>
      </div>
      <div aria-hidden style={{ display: 'flex', gap: 2, height: 6, margin: '8px 0 16px' }}>
        <i style={{ flex: moved.length, background: 'var(--p)', borderRadius: 3 }} />
        <i style={{ flex: refused.length, background: 'var(--warning-solid)', borderRadius: 3 }} />
      </div>
      <Frame hidden={names.length + refused.length === 0}>
        {refused.length > 0 && <Refused refused={refused} byId={byId} verb={verb} />}
        {names.length > 0 && (
          <details open={isOpen}>
            <summary>
              <ChevronRightIcon size={14} />
              <b>
                {names.length} will {verb}
              </b>
              <span>
                {names.slice(0, 3).join(' · ')}
                {names.length > 3 && ` and ${names.length - 3} more`}
              </span>
            </summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
            <ul tabIndex={0} aria-label={`Requisitions that will ${verb}`}>
              {names.map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </details>
        )}
      </Frame>
    </>
  )
}

interface RefusedProps {
  refused: readonly Refusal[]
  byId: ReadonlyMap<number, PlannedRow>
  verb: string
}

const Refused = ({ refused, byId, verb }: RefusedProps) => {
  const fixLink = useFixLink()
  const copy = () => navigator.clipboard.writeText(refused.map(({ label, reason }) => `${label}\t${reason}`).join('\n'))
  return (
    <>
      <div className="head">
        <WarningIcon size={16} />
        <span>
          {refused.length} will not {verb}
        </span>
        {/* Browsers have no clipboard without TLS. */}
        {navigator.clipboard && (
          <Button variant="text" size="small" color="inherit" startIcon={<CopyIcon />} onClick={copy}>
            Copy list
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
      <section className="rows" tabIndex={0} aria-label={`Requisitions that will not ${verb}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Req ID</th>
              <th scope="col">Patient Name</th>
              <th scope="col">Patient DOB</th>
              <th scope="col">Why it stays</th>
              <th scope="col">Fix</th>
            </tr>
          </thead>
          <tbody>
            {refused.map((refusal) => {
              const row = byId.get(refusal.id)
              const link = fixLink(refusal)
              return (
                <tr key={refusal.id}>
                  <td>#{refusal.id}</td>
                  <td className="who">{row && `${row.patientLastName}, ${row.patientFirstName}`}</td>
                  <td>{row && formatLongDate(row.patientDob)}</td>
                  <td className="why">
                    <Reasons text={shortReason(refusal.reason)} />
                  </td>
                  <td className="fix">
                    {link && (
                      // In a new tab: the user fixes it there, returns and checks again.
                      <a href={link.href} target="_blank" rel="noopener">
                        {link.label} <NewTabIcon size={14} />
                      </a>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** The first reason, and the number of others. */
const Reasons = ({ text }: { text: string }) => {
  const [first, ...others] = text.split('; ')
  return (
    <>
      <b>{first}</b>
      {others.length > 0 && <small>Also: {others.join('; ')}</small>}
    </>
  )
}
