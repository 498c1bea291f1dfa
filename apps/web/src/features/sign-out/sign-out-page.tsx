import { reportRoutes } from '@lis/contract/reports.ts'
import type { MeaningCode, WaitingReport, WaitingReportDetail } from '@lis/contract/sign-out.ts'
import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type RefObject, useCallback, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { formatDuration } from '../../lib/durations.ts'
import { events } from '../../lib/events.ts'
import { useSession } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { useSave } from '../../lib/use-save.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { BatchBox } from './batch-box.tsx'
import { ChecksPanel, checksWidth } from './checks-panel.tsx'
import { ReleasedBar } from './released-bar.tsx'
import { ReportPage } from './report-page.tsx'
import { SignDialog, type SignTarget } from './sign-dialog.tsx'
import { labelOf, useNoticeOfOthers, useSignedToday, useWaiting, useWaitingReport } from './use-sign-out.ts'
import { WaitingList } from './waiting-list.tsx'

const Split = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  minHeight: 0,
  display: 'grid',
  gridTemplateColumns: `304px minmax(0, 1fr) ${checksWidth}`,
  borderTop: '1px solid var(--line)',
  '& > .list': { display: 'flex', flexDirection: 'column', minHeight: 0, borderRight: '1px solid var(--line-strong)' },
  '& > .list > .rows': { flex: '1 1 auto', minHeight: 0, overflow: 'auto' },
  '& > .page': { display: 'flex', flexDirection: 'column', minHeight: 0, padding: 16, overflow: 'auto' },
  '& > .checks': { minHeight: 0, overflow: 'auto', borderLeft: '1px solid var(--line-strong)' },
  [theme.breakpoints.down('lg')]: {
    gridTemplateColumns: '280px minmax(0, 1fr)',
    gridTemplateRows: 'minmax(420px, 1fr) auto',
    overflow: 'auto',
    '& > .list': { gridRow: '1 / 3' },
    '& > .checks': { borderLeft: 0, borderTop: '1px solid var(--line)', overflow: 'visible' },
  },
  [theme.breakpoints.down('sm')]: {
    display: 'flex',
    flexDirection: 'column',
    '& > .page': { order: 1, flex: 'none', overflow: 'visible' },
    '& > .checks': { order: 2, flex: 'none' },
    '& > .list': { order: 3, flex: 'none', borderRight: 0, borderTop: '1px solid var(--line-strong)' },
    '& > .list > .rows': { overflow: 'visible' },
  },
}))
const Bar = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  marginBottom: 12,
  '& > h2': { flex: '1 1 auto', minWidth: 0, margin: 0, fontSize: 13, fontWeight: 600, overflowWrap: 'anywhere' },
})
/** Always visible on a phone. */
const SignBar = styled('div')({
  position: 'sticky',
  bottom: 0,
  zIndex: 1,
  order: 4,
  padding: '8px 16px',
  borderTop: '1px solid var(--line-strong)',
  background: 'var(--surface)',
  '& > *': { width: '100%' },
})
const Count = styled('span')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  gap: 16,
  color: 'var(--text-3)',
  fontSize: 12,
  '& kbd': {
    padding: '0 5px',
    marginLeft: 4,
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-sm)',
    font: 'inherit',
  },
  [theme.breakpoints.down('sm')]: { display: 'none' },
}))

/** Reports that wait for a signature: one at a time with its checks, and the normal ones together. */
export const SignOutPage = () => {
  const waiting = useWaiting()
  const [params, setParams] = useSearchParams()
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [target, setTarget] = useState<SignTarget | null>(null)
  const [released, setReleased] = useState<readonly WaitingReport[]>([])
  const forgetReleased = useCallback(() => setReleased([]), [])
  const page = useRef<HTMLElement>(null)
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const person = useSession()?.access
  const ids = waiting.rows.map(({ reportId }) => reportId)
  const asked = Number(params.get('report'))
  // While it is being signed it stays, whoever else signs it meanwhile.
  const beingSigned = target?.reqId === undefined ? null : (target.reports[0]?.id ?? null)
  const currentId = beingSigned ?? (ids.includes(asked) ? asked : (ids[0] ?? null))
  const choose = (id: number) => setParams({ report: String(id) }, { replace: true })
  const step = (by: 1 | -1) => {
    const next = ids[(currentId === null ? -1 : ids.indexOf(currentId)) + by]
    if (next !== undefined) choose(next)
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  const noteOwn = useNoticeOfOthers(waiting, currentId, target !== null)
  const mark = (marked: readonly number[], isChosen: boolean) =>
    setChosen((before) => new Set([...before].filter((id) => !marked.includes(id)).concat(isChosen ? marked : [])))
  const signed = (done: readonly number[], meaningCode: MeaningCode) => {
    setTarget(null)
    noteOwn(done)
    mark(done, false)
    if (meaningCode !== 'REVIEW') setReleased(waiting.rows.filter(({ reportId }) => done.includes(reportId)))
    events.emit('notice', {
      type: 'info',
      message: `${done.length === 1 ? 'Signed' : `${done.length} reports signed`}${meaningCode === 'REVIEW' ? '' : ' and released'}`,
    })
    const next = ids.filter((id) => !done.includes(id))[Math.max(0, currentId === null ? 0 : ids.indexOf(currentId))]
    if (next !== undefined) choose(next)
  }
  if (waiting.error && waiting.rows.length === 0) return <LoadFailed error={waiting.error} onRetry={waiting.retry} />
  return (
    <>
      <PageHeader
        title="Sign-out"
        action={
          <Count>
            {countText(waiting.total, waiting.rows)}
            <span aria-hidden>
              <kbd>J</kbd> <kbd>K</kbd> next, previous <kbd>S</kbd> sign <kbd>R</kbd> return
            </span>
          </Count>
        }
      />
      {released.length > 0 && (
        <ReleasedBar
          key={released.map(({ reportId }) => reportId).join()}
          reports={released}
          onClose={forgetReleased}
        />
      )}
      {waiting.isLoading ? (
        <LoadingState label="Data loading" />
      ) : currentId === null ? (
        <NothingToSign />
      ) : (
        <Split>
          <div className="list">
            <div className="rows">
              <WaitingList {...waiting} currentId={currentId} onChoose={choose} chosen={chosen} onMark={mark} />
            </div>
            {!isPhone && chosen.size > 0 && <BatchBox ids={[...chosen]} onSign={setTarget} onUnmark={mark} />}
          </div>
          <Current
            key={currentId}
            id={currentId}
            page={page}
            isPhone={isPhone}
            next={nextOf(currentId, waiting)}
            onSign={setTarget}
            onReturn={() => noteOwn([currentId])}
            onReturned={() => step(1)}
          />
        </Split>
      )}
      {target && (
        <SignDialog
          target={target}
          page={page}
          signerName={`${person?.userFirstName ?? ''} ${person?.userLastName ?? ''}`.trim()}
          onClose={() => setTarget(null)}
          onSigned={signed}
        />
      )}
    </>
  )
}

const NothingToSign = () => {
  const { signedCount = 0, ownCount = 0 } = useSignedToday().data?.data ?? {}
  const counted = `${signedCount} ${signedCount === 1 ? 'report was' : 'reports were'} signed today`
  return (
    <EmptyState title="Nothing to sign">
      {signedCount > 0 && (
        <>
          {counted}
          {ownCount === 0 ? '.' : ownCount === signedCount ? ', by you.' : `, ${ownCount} of them by you.`}
          <br />
        </>
      )}
      Reports that are made or corrected appear here.
    </EmptyState>
  )
}

const countText = (total: number, rows: readonly WaitingReport[]) => {
  if (total === 0) return ''
  const oldest = Math.min(...rows.map(({ waitingSince }) => Date.parse(waitingSince)))
  return `${total} to sign, the oldest ${formatDuration(Date.now() - oldest)}`
}

interface CurrentProps {
  id: number
  page: RefObject<HTMLElement | null>
  isPhone: boolean
  next: string | undefined
  onSign: (target: SignTarget) => void
  onReturn: () => void
  onReturned: () => void
}

/** The report that opens after this one, by its place among those that need a look, or among the normal ones: '2 of 5'. */
const nextOf = (id: number, { toLookAt, normal }: Pick<ReturnType<typeof useWaiting>, 'toLookAt' | 'normal'>) => {
  const group = [toLookAt, normal].find((rows) => rows.some(({ reportId }) => reportId === id)) ?? []
  const place = group.findIndex(({ reportId }) => reportId === id) + 2
  return place > group.length ? undefined : `${place} of ${group.length}`
}

const Current = ({ id, page, isPhone, next, onSign, onReturn, onReturned }: CurrentProps) => {
  const { data, error, refetch } = useWaitingReport(id)
  const report = data?.data
  const sign = () =>
    report && isSignable(report) && onSign({ ...targetOf(report), ...(next !== undefined && { next }) })
  const save = useSave(reportRoutes.setLabQc, { isImmediate: true })
  const giveBack = async () => {
    if (!report) return
    onReturn()
    const saved = await save({
      params: { reqID: report.reqId, reportID: report.reportId },
      body: { labQcStatusCode: 'HOLD' },
    }).catch(() => null)
    if (saved) onReturned()
  }
  useKeys({ s: sign, r: giveBack })
  if (error) return <LoadFailed error={error} onRetry={() => refetch()} />
  if (!report) return <LoadingState label="Report loading" />
  const signButton = (
    <Button variant="contained" disabled={!isSignable(report)} title={whyNot(report)} onClick={sign}>
      Sign…
    </Button>
  )
  return (
    <>
      <section ref={page} className="page" aria-label="The page as it will be signed">
        <Bar>
          <h2>{labelOf(report)}</h2>
          <Button onClick={giveBack}>Return to review</Button>
          <Button component={Link} to={`/requisitions/${report.reqId}/show/tests`}>
            Edit comment
          </Button>
          {!isPhone && signButton}
        </Bar>
        <ReportPage url={report.url} label={`Report of ${labelOf(report)}`} />
      </section>
      <div className="checks">
        <ChecksPanel report={report} isOpen={!isPhone} />
      </div>
      {isPhone && <SignBar>{signButton}</SignBar>}
    </>
  )
}

const whyNot = ({ mayUserSign, checks }: WaitingReportDetail): string | undefined => {
  if (mayUserSign === 0) return 'You have no right to sign reports of this laboratory'
  return checks.some(({ state }) => state === 'FAIL') ? 'A check has failed' : undefined
}
const isSignable = (report: WaitingReportDetail) => whyNot(report) === undefined

/** One line for each warning: one that concerns several elements is ticked once. */
const warningsOf = ({ checks }: WaitingReportDetail): string[] => {
  const byDetail = Map.groupBy(
    checks.filter(({ state }) => state === 'WARN'),
    ({ detail }) => detail,
  )
  return [...byDetail].map(([detail, [first, ...more]]) =>
    more.length > 0 || !first ? detail : `${first.title}: ${detail}`,
  )
}

const targetOf = (report: WaitingReportDetail): SignTarget => ({
  reports: [{ id: report.reportId, contentSha256: report.contentSha256 }],
  label: labelOf(report),
  meaningCodes: report.meaningCodes,
  warnings: warningsOf(report),
  isCodeNeeded: report.isCodeNeeded === 1,
  reqId: report.reqId,
})
