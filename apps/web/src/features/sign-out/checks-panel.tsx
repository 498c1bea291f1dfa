import type { ReportCheckResult, WaitingReportDetail } from '@lis/contract/sign-out.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { ChevronDownIcon, ErrorIcon, WarningIcon } from '../../ui/icons.tsx'
import { CheckIcon } from '../../ui/table/table-icons.tsx'

/** Of the checks beside the page; the dialog of a signature stands over them. */
export const checksWidth = 'clamp(320px, 28vw, 400px)'

const Panel = styled('details')({
  '& summary': {
    display: 'flex',
    alignItems: 'center',
    gap: 6,
    padding: '8px 16px',
    cursor: 'pointer',
    borderBottom: '1px solid var(--line)',
  },
  '& .mark': { color: 'var(--text-3)' },
  '&[open] .mark': { transform: 'rotate(180deg)' },
  '& h2': { flex: '1 1 auto', margin: 0, fontSize: 13, fontWeight: 600, color: 'var(--text-strong)' },
  '& .count': {
    padding: '0 8px',
    whiteSpace: 'nowrap',
    borderRadius: 'var(--r-sm)',
    border: '1px solid',
    fontSize: 12,
    fontWeight: 600,
  },
  '& .good': { color: 'var(--success)', background: 'var(--success-bg)', borderColor: 'var(--success-line)' },
  '& .see': { color: 'var(--warning)', background: 'var(--warning-bg)', borderColor: 'var(--warning-line)' },
  '& .bad': { color: 'var(--error)', background: 'var(--error-bg)', borderColor: 'var(--error-line)' },
  '& ul': { listStyle: 'none', margin: 0, padding: 0 },
  '& li': {
    display: 'grid',
    gridTemplateColumns: '16px minmax(0, 1fr)',
    gap: '0 10px',
    padding: '8px 16px',
    borderBottom: '1px solid var(--line)',
  },
  '& li strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '& em': { marginLeft: 8, color: 'var(--text-3)', fontSize: 12, fontStyle: 'normal', fontWeight: 400 },
  '& li.PASS strong': { fontWeight: 400 },
  '& li span': { gridColumn: 2, color: 'var(--text-3)', fontSize: 12, overflowWrap: 'anywhere' },
})

const icons = {
  PASS: <CheckIcon size={16} color="var(--success)" />,
  WARN: <WarningIcon size={16} color="var(--warning)" />,
  FAIL: <ErrorIcon size={16} color="var(--error)" />,
}
const order = { FAIL: 0, WARN: 1, PASS: 2 }
const words = { PASS: 'Passed', WARN: 'To see', FAIL: 'Failed' }

/** The checks of a report; failures and warnings come first. */
export const ChecksPanel = ({
  report: { checks, reqId },
  isOpen,
}: {
  report: WaitingReportDetail
  /** Folded on a phone, where the page comes first. */
  isOpen: boolean
}) => {
  const count = (state: ReportCheckResult['state']) => checks.filter((check) => check.state === state).length
  return (
    <Panel open={isOpen} role="group" aria-label="Checks of this report">
      <summary>
        <h2>Checks of this report</h2>
        <span className="count good">{count('PASS')} passed</span>
        {count('WARN') > 0 && <span className="count see">{count('WARN')} to see</span>}
        {count('FAIL') > 0 && <span className="count bad">{count('FAIL')} failed</span>}
        <ChevronDownIcon size={16} className="mark" />
      </summary>
      <ul>
        {checks
          .toSorted((one, other) => order[one.state] - order[other.state])
          .map(({ code, state, title, detail, tabSlug }) => (
            <li key={code} className={state}>
              {icons[state]}
              <strong>
                {title}
                <em>{words[state]}</em>
              </strong>
              <span>{detail}</span>
              {state === 'FAIL' && tabSlug && (
                <span>
                  <Link to={`/requisitions/${reqId}/show/${tabSlug}`}>Fix it</Link>
                </span>
              )}
            </li>
          ))}
      </ul>
    </Panel>
  )
}
