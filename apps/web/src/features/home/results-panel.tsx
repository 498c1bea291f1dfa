import { can } from '@lis/contract/access/permissions.ts'
import { homeRoutes } from '@lis/contract/home.ts'
import { homePracticeRoutes, type NewResult, type NewResultTest } from '@lis/contract/home-practice.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useReportFiles } from '../../domain/report-files.ts'
import { events } from '../../lib/events.ts'
import { formatLongDate } from '../../lib/formats.ts'
import { readLimits } from '../../lib/limits.ts'
import { useRole } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { useSave } from '../../lib/use-save.ts'
import { RequisitionsIcon, SuccessIcon } from '../../ui/icons.tsx'
import { CheckIcon } from '../../ui/table/table-icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { Trend } from '../../ui/trend.tsx'
import type { PagedPart } from './paged-rows.tsx'
import { Panel } from './panel.tsx'
import { RangeBar } from './range-bar.tsx'
import { Sign } from './sign.tsx'

const Groups = styled('div')(({ theme }) => ({
  '& article': { borderBottom: '1px solid var(--line)' },
  '& article:last-of-type': { borderBottom: 0 },
  '& article:focus-visible': { outline: 'none', boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& article > header': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '2px 10px',
    minHeight: 36,
    padding: '4px 12px',
    background: 'var(--n-50)',
  },
  '& h3': { fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  '& a': { color: 'var(--link)', textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  '& .grow': { flex: '1 1 auto' },
  '& .tag': {
    padding: '1px 6px',
    borderRadius: 'var(--r-xs)',
    background: 'var(--warning-bg)',
    color: 'var(--warning)',
    fontSize: 11,
    fontWeight: 600,
  },
  '& table': { width: '100%', borderCollapse: 'collapse', tableLayout: 'fixed' },
  '& th': { height: 22, padding: '0 6px', textAlign: 'left', fontSize: 11, fontWeight: 400, color: 'var(--text-3)' },
  '& td': { height: 28, padding: '0 6px', overflow: 'hidden', textOverflow: 'ellipsis' },
  '& th:first-of-type, & td:first-of-type': { paddingLeft: 24, width: '18%' },
  '& .sign': { width: '14%' },
  '& .bar': { width: '10%' },
  '& .num': { textAlign: 'right', width: '8%' },
  '& .units': { width: '7%' },
  '& .normal': { width: '10%', whiteSpace: 'nowrap' },
  '& .result': { width: '10%' },
  // Nothing of a result is cut off: a long one takes several lines.
  '& td.result': { overflow: 'visible', overflowWrap: 'anywhere' },
  '& .value': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .flag': { color: 'var(--error)', fontWeight: 600 },
  '& .flag .critical': { marginLeft: 6 },
  '& .critical': {
    display: 'inline-block',
    whiteSpace: 'nowrap',
    padding: '1px 6px',
    borderRadius: 'var(--r-xs)',
    background: 'var(--error-bg)',
    color: 'var(--error)',
    fontSize: 11,
    fontWeight: 600,
  },
  '& th.line': { whiteSpace: 'nowrap' },
  '& .shade': { display: 'inline-block', width: 10, height: 8, marginLeft: 4, background: 'var(--n-200)' },
  '& .rest': { padding: '2px 12px 8px 24px', fontSize: 11, color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: {
    '& .wide': { display: 'none' },
    '& .before': { display: 'none' },
    '& td': { overflowWrap: 'anywhere' },
    '& th:first-of-type, & td:first-of-type': { paddingLeft: 12, width: '27%' },
    '& .num, & .result': { width: '20%' },
    '& .sign': { width: '28%' },
  },
}))
const Normal = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  padding: '8px 12px',
  '& svg': { flex: 'none', color: 'var(--success)' },
  '& b': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .who': { flex: '1 1 160px', minWidth: 0, color: 'var(--text-3)' },
})
const None = styled('div')({ padding: 12, color: 'var(--text-3)' })

interface ResultsPanelProps extends PagedPart<NewResult> {
  asOf: string
}

const nameOf = ({ patientLastName, patientFirstName }: NewResult) => `${patientLastName}, ${patientFirstName}`

/** Released results that this person has not reviewed: abnormal ones one by one, normal ones together. */
export const ResultsPanel = ({ rows: results, total, foot, isFocused, asOf }: ResultsPanelProps) => {
  const save = useSave(homePracticeRoutes.setReviewed, {
    invalidates: [homeRoutes.read.path, homeRoutes.counts.path, homePracticeRoutes.newResults.path],
    isSilent: true,
  })
  const [isSaving, setSaving] = useState(false)
  const review = async (reviewed: readonly NewResult[]) => {
    const reqIds = reviewed.map(({ reqId }) => reqId)
    const [one] = reviewed
    setSaving(true)
    try {
      await save({ body: { reqIds, asOf } })
      const message =
        reqIds.length === 1 && one ? `Reviewed: ${nameOf(one)}, #${one.reqId}` : `${reqIds.length} reviewed`
      const undo = () => void save({ body: { reqIds, isReviewed: 0 } }).catch(() => undefined)
      events.emit('notice', { type: 'info', message, action: { label: 'Undo', run: undo } })
    } catch {
      // The notice says why.
    }
    setSaving(false)
  }
  const isNormal = ({ isAllNormal, isCorrected }: NewResult) => isAllNormal === 1 && isCorrected === 0
  const normal = results.filter(isNormal)
  const others = results.filter((result) => !isNormal(result))
  const list = useRef<HTMLDivElement>(null)
  const { viewNewest } = useReportFiles('VIEW')
  const patients = () => [...(list.current?.querySelectorAll<HTMLElement>('article') ?? [])]
  const at = () => patients().findIndex((article) => article.contains(document.activeElement))
  const move = (step: 1 | -1) => {
    const all = patients()
    const next = all[Math.min(all.length - 1, Math.max(0, at() < 0 ? 0 : at() + step))]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  // The next patient takes the place of one who was reviewed by key, and the focus with it.
  const freed = useRef<number | null>(null)
  useEffect(() => {
    if (freed.current === null || at() >= 0) return
    const all = patients()
    all[Math.min(freed.current, all.length - 1)]?.focus()
    freed.current = null
  })
  const reviewCurrent = () => {
    const place = at()
    const current = others[place]
    if (!current || isSaving) return
    freed.current = place
    void review([current])
  }
  const openCurrent = () => {
    const current = others[at()]
    if (current) void viewNewest(current.reqId)
  }
  useKeys({ j: () => move(1), k: () => move(-1), e: reviewCurrent, o: openCurrent })
  return (
    <Panel title="New results" note={total === null ? '' : `${total} not reviewed`} isFocused={isFocused}>
      <Groups ref={list}>
        {results.length === 0 && <None>No new results</None>}
        {others.map((result) => (
          <ResultGroup
            key={result.reqId}
            result={result}
            isSaving={isSaving}
            onReport={() => void viewNewest(result.reqId)}
            onReview={() => void review([result])}
          />
        ))}
      </Groups>
      {normal.length > 0 && (
        <Normal>
          <SuccessIcon />
          <b>{normal.length} with only normal results</b>
          <span className="who">
            {normal.slice(0, 4).map(nameOf).join(' · ')}
            {normal.length > 4 && ` and ${normal.length - 4} more`}
          </span>
          <Button disabled={isSaving} onClick={() => void review(normal)}>
            {normal.length === 1 ? 'Reviewed' : `Review ${normal.length} together`}
          </Button>
        </Normal>
      )}
      {foot}
    </Panel>
  )
}

interface ResultGroupProps {
  result: NewResult
  isSaving: boolean
  onReport: () => void
  onReview: () => void
}

const ResultGroup = ({ result, isSaving, onReport, onReview }: ResultGroupProps) => {
  const mayOpen = can(useRole(), 'requisitions.open')
  const { reqId, patientDob, releasedDate, tests, isCritical, isCorrected, changes } = result
  const isShown = ({ flag, isCritical }: NewResultTest) => flag !== '' || isCritical === 1
  const shown = tests.filter(isShown)
  const rest = tests.filter((test) => !isShown(test))
  return (
    <article aria-label={nameOf(result)} tabIndex={-1}>
      <header>
        <h3>{nameOf(result)}</h3>
        <span>({formatLongDate(patientDob)})</span>
        {mayOpen ? <Link to={`/requisitions/${reqId}/show/reportsDelivery`}>#{reqId}</Link> : <span>#{reqId}</span>}
        {isCritical === 1 && <span className="critical">Critical</span>}
        {isCorrected === 1 && <span className="tag">Corrected</span>}
        <span className="grow" />
        <Timestamp at={releasedDate} />
        <Button
          startIcon={<RequisitionsIcon />}
          onClick={onReport}
          aria-label={`Report of ${nameOf(result)}, #${reqId}`}
        >
          Report
        </Button>
        <Button
          startIcon={<CheckIcon />}
          disabled={isSaving}
          onClick={onReview}
          aria-label={`Reviewed: ${nameOf(result)}, #${reqId}`}
        >
          Reviewed
        </Button>
      </header>
      {shown.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Test</th>
              <th scope="col" className="num result">
                Result
              </th>
              <th scope="col" className="wide units">
                Units
              </th>
              <th scope="col" className="sign">
                Flag
              </th>
              <th scope="col" className="wide bar">
                Range
              </th>
              <th scope="col" className="wide normal">
                Normal
              </th>
              <th scope="col" className="num before">
                Previous
              </th>
              <th scope="col" className="num wide">
                Change
              </th>
              <th scope="col" className="line">
                Trend <i className="shade" /> <span className="wide">normal</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((test) => (
              <ResultRow key={test.testCode} test={test} />
            ))}
          </tbody>
        </table>
      )}
      {tests.length === 0 && <div className="rest">The values are in the report</div>}
      {changes.length > 0 && <div className="rest">{changes.join('. ')}</div>}
      {rest.length > 0 && (
        <div className="rest">
          {rest
            .slice(0, 4)
            .map(({ testDesc }) => testDesc)
            .join(', ')}
          {rest.length > 4 && ` and ${rest.length - 4} more`} not outside the normal range
        </div>
      )}
    </article>
  )
}

const flagNames = { H: 'High', L: 'Low', A: 'Abnormal', '': '' } as const
const flagSigns = { H: 'up', L: 'down', A: 'other' } as const

/** The change from the previous value, in percent. */
const changeOf = ({ result, previous }: NewResultTest): string => {
  const [now, before] = [Number(result), Number(previous)]
  if (previous === null || !Number.isFinite(now) || !Number.isFinite(before) || before === 0) return '–'
  const percent = Math.round((100 * (now - before)) / Math.abs(before))
  return percent === 0 ? '0%' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`
}

const ResultRow = ({ test }: { test: NewResultTest }) => (
  <tr>
    <td title={test.testCode}>{test.testDesc}</td>
    <td className="num result value">{test.result}</td>
    <td className="wide units">{test.units}</td>
    <td className="flag sign">
      {test.flag !== '' && <Sign kind={flagSigns[test.flag]} />} {test.interpretation ?? flagNames[test.flag]}
      {test.isCritical === 1 && <b className="critical">Critical</b>}
    </td>
    <td className="wide bar">
      <RangeBar result={test.result} units={test.units} normal={test.range} borderline={test.borderline} />
    </td>
    <td className="wide normal">{test.range || '–'}</td>
    <td className="num before">{test.previous ?? '–'}</td>
    <td className="num wide">{changeOf(test)}</td>
    <td className="line">
      {test.trend.length > 1 ? <Trend values={test.trend} normal={readLimits(test.range)} /> : <small>first</small>}
    </td>
  </tr>
)
