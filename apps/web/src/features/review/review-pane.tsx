import { instrumentResultRoutes, type ReviewResult } from '@lis/contract/instrument-results.ts'
import { reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatDateInZone, formatLongDate } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { CloseIcon } from '../../ui/icons.tsx'
import { RawMessage } from '../../ui/raw-message.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Timestamp, ZoneProvider } from '../../ui/timestamp.tsx'
import { BrokenIcon, PassedIcon, ReasonIcon } from './reason-icon.tsx'
import { kindOf, numbersOf, signed, testOf } from './review-groups.ts'
import { TrendChart } from './trend-chart.tsx'

const Pane = styled('aside')(({ theme }) => ({
  flex: '0 0 380px',
  minWidth: 0,
  overflow: 'auto',
  background: 'var(--surface)',
  borderLeft: '1px solid var(--line-strong)',
  '& > section': { padding: '12px 16px', borderTop: '1px solid var(--line)' },
  '& h2': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: 8,
    marginBottom: 8,
    fontSize: 12,
    fontWeight: 600,
    color: 'var(--text-strong)',
  },
  '& h2 small, & .faint': { fontSize: 11, fontWeight: 400, color: 'var(--text-3)' },
  [theme.breakpoints.down('lg')]: {
    position: 'absolute',
    inset: '0 0 0 auto',
    zIndex: 5,
    width: 'min(380px, 100%)',
    boxShadow: 'var(--shadow-3)',
  },
  [theme.breakpoints.down('sm')]: { position: 'fixed', inset: 0, zIndex: 1200, width: '100%' },
}))
const Band = styled('div')({
  position: 'sticky',
  top: 0,
  zIndex: 1,
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 36,
  padding: '4px 8px 4px 16px',
  background: 'var(--id-bg)',
  color: 'var(--id-text)',
  boxShadow: 'inset 4px 0 0 var(--id-stripe)',
  fontSize: 13,
  fontWeight: 600,
  '& > span': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  '& a': { color: 'inherit' },
})
const Value = styled('p')({
  display: 'flex',
  alignItems: 'baseline',
  flexWrap: 'wrap',
  gap: 8,
  '& b': { fontSize: 20, lineHeight: '28px', color: 'var(--text-strong)', overflowWrap: 'anywhere' },
  '& .grow': { flex: '1 1 auto' },
})
const Lines = styled('ul')({
  marginTop: 4,
  '& li': { display: 'flex', gap: 8, padding: '2px 0', lineHeight: '16px' },
  '& li svg': { marginTop: 1 },
  '& li:first-of-type': { fontWeight: 600, color: 'var(--text-strong)' },
})
const Small = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& th': { textAlign: 'left', fontSize: 11, fontWeight: 400, color: 'var(--text-3)' },
  '& th, & td': { height: 24, padding: '0 4px 0 0' },
  '& td': { borderTop: '1px solid var(--line)' },
  '& td:not(:first-of-type), & th:not(:first-of-type)': { textAlign: 'right' },
})
const Chips = styled('ul')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: 6,
  '& li': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 4,
    minHeight: 20,
    padding: '1px 7px',
    borderRadius: 'var(--r-xs)',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--text-2)',
    background: 'var(--surface-3)',
    boxShadow: 'inset 0 0 0 1px var(--line)',
  },
  '& li.broken': {
    color: 'var(--error)',
    background: 'var(--error-bg)',
    boxShadow: 'inset 0 0 0 1px var(--error-line)',
  },
})

interface ReviewPaneProps {
  row: ReviewResult
  /** The other results that wait for the same test. */
  others: readonly ReviewResult[]
  onClose: () => void
}

/** The selected result: reasons, trend, other tests, raw record and checks. */
export const ReviewPane = ({ row, others, onClose }: ReviewPaneProps) => (
  <ZoneProvider zone={row.labZone}>
    <Pane aria-label="Selected result">
      <Band>
        <span>
          {row.reqId === null ? (
            `Specimen ${row.specimenId}: no requisition`
          ) : (
            <>
              <Link to={`/requisitions/${row.reqId}/show/tests`}>#{row.reqId}</Link> | {row.patientName}
              {row.patientDob && ` (${formatLongDate(row.patientDob)})`}
            </>
          )}
        </span>
        <Button variant="text" color="inherit" aria-label="Close" onClick={onClose} sx={{ minWidth: 28, px: 1 }}>
          <CloseIcon />
        </Button>
      </Band>
      <section aria-label="Why it waits">
        <Value>
          <b>
            {row.value} {row.units}
          </b>
          {testOf(row)}
          <span className="grow" />
          <span className="faint">
            {row.previousValue === null
              ? 'First result'
              : `Previous ${row.previousValue}${row.delta === null ? '' : `, ${signed(row.delta)}`}`}
          </span>
        </Value>
        <Lines>
          {row.reasons.map(({ code, text }) => (
            <li key={code + text}>
              <ReasonIcon kind={kindOf(code)} />
              {text}
            </li>
          ))}
        </Lines>
      </section>
      {row.trend.length > 0 && (
        <Part title="Trend">
          {numbersOf(row).length > 1 && <TrendChart row={row} />}
          <details>
            <summary>Show as table</summary>
            <Small>
              <tbody>
                {row.trend.map(({ value, at }) => (
                  <tr key={at}>
                    <td>{formatDateInZone(at, row.labZone)}</td>
                    <td>{value}</td>
                  </tr>
                ))}
              </tbody>
            </Small>
          </details>
        </Part>
      )}
      {others.length > 0 && (
        <Part title="Other results of this test" note="Accepting one needs a reason">
          <Small>
            <tbody>
              {others.map((other) => (
                <tr key={other.id}>
                  <td>
                    {other.instrumentName}, run {other.messageId}
                  </td>
                  <td>
                    {other.value} {other.units}
                  </td>
                </tr>
              ))}
            </tbody>
          </Small>
        </Part>
      )}
      {row.reqId !== null && <SameTubes reqId={row.reqId} except={row.testCode} />}
      <Part title="From the instrument" note={row.instrumentName}>
        <RawMessage>{markValue(row.rawRecord, row.value)}</RawMessage>
        <Small>
          <tbody>
            {fromInstrument(row).map(([label, value]) => (
              <tr key={label}>
                <td className="faint">{label}</td>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </Small>
      </Part>
      <Checks key={row.version} id={row.id} />
    </Pane>
  </ZoneProvider>
)

const Part = ({ title, note, children }: { title: string; note?: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h2>
      {title}
      {note && <small>{note}</small>}
    </h2>
    {children}
  </section>
)

const markValue = (raw: string, value: string): ReactNode => {
  // The value is a field of its own: '|8.9|', not a part of a time or of a code.
  const at = raw.indexOf(`|${value}|`)
  if (at < 0) return raw
  return (
    <>
      {raw.slice(0, at + 1)}
      <mark>{value}</mark>
      {raw.slice(at + 1 + value.length)}
    </>
  )
}

const mostSkewSec = 300

const fromInstrument = (row: ReviewResult): readonly (readonly [string, ReactNode])[] => {
  const { operator, reagentLot, measuredAt, clockOffsetSec, flags, specimenId, instrumentCode } = row
  const skew = clockOffsetSec === null ? 0 : Math.abs(clockOffsetSec)
  return [
    ['Specimen', specimenId] as const,
    ['Code', instrumentCode] as const,
    ...(flags.length > 0 ? [['Flags', flags.join(', ')] as const] : []),
    ...(operator ? [['Operator', operator] as const] : []),
    ...(reagentLot ? [['Reagent lot', reagentLot] as const] : []),
    ...(measuredAt ? [['Measured', <Timestamp key="at" at={measuredAt} />] as const] : []),
    ...(skew > mostSkewSec && clockOffsetSec !== null
      ? [['Clock offset', `${Math.round(skew / 60)} min ${clockOffsetSec > 0 ? 'fast' : 'slow'}`] as const]
      : []),
  ]
}

/** The requisition's other results beside the patient's earlier ones: a mix-up shows in more than one test. */
const SameTubes = ({ reqId, except }: { reqId: number; except: string | null }) => {
  const { data } = useQuery(readList(reqTestRoutes.list, { id: reqId }, allRows))
  const tests = (data?.data ?? []).filter(
    ({ testCode, reportableResult, isRetest }) => testCode !== except && reportableResult !== null && isRetest !== 1,
  )
  if (tests.length === 0) return null
  return (
    <Part title="Other tests of this requisition" note="to spot a mix-up">
      <Small>
        <thead>
          <tr>
            <th scope="col">Test</th>
            <th scope="col">Now</th>
            <th scope="col">Before</th>
          </tr>
        </thead>
        <tbody>
          {tests.slice(0, mostTests).map(({ reqTestId, testDesc, reportableResult, previous }) => (
            <tr key={reqTestId}>
              <td>{testDesc}</td>
              <td>
                <b>{reportableResult}</b>
              </td>
              <td>{previous ? (previous.reportableResult ?? previous.result) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </Small>
    </Part>
  )
}
const mostTests = 8

/** A result listed for review has another decision. */
const Checks = ({ id }: { id: number }) => {
  const { data } = useQuery({ ...read(instrumentResultRoutes.result, { params: { id } }), staleTime: 0 })
  const decision = data?.data.decision
  if (!decision) return null
  const passed = decision.checks.filter((check) => check.passed).length
  const rule = decision.ruleId === null ? 'no rule' : `rule ${decision.ruleId}, version ${decision.ruleVersion}`
  return (
    <Part title="Checks" note={`${passed} of ${decision.checks.length} passed, ${rule}`}>
      <Chips>
        {decision.checks
          .toSorted((one, other) => Number(one.passed) - Number(other.passed))
          .map(({ code, passed: isPassed, text }) => (
            <li key={code} className={isPassed ? undefined : 'broken'}>
              {isPassed ? <PassedIcon size={12} /> : <BrokenIcon size={12} />}
              {text}
            </li>
          ))}
      </Chips>
    </Part>
  )
}
