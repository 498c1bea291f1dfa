import { can } from '@lis/contract/access/permissions.ts'
import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { AddIssue } from '../../domain/add-issue.tsx'
import { useRole } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Freshness } from '../../ui/freshness.tsx'
import { KeyHelp, type PageKeys } from '../../ui/key-help.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { DecideDialog, type Deciding } from './decide-dialog.tsx'
import { ReasonIcon } from './reason-icon.tsx'
import { ReviewActions } from './review-actions.tsx'
import { countKinds, groupRuns, type ReasonKind, whyNoneAccepted } from './review-groups.ts'
import { ReviewPane } from './review-pane.tsx'
import { ReviewTable } from './review-table.tsx'
import { ShareStrip } from './share-strip.tsx'
import { StopButton, StoppedBanner } from './stop-switch.tsx'
import { TakenNotice } from './taken-notice.tsx'
import { useCurrent } from './use-current.ts'
import { useDecide } from './use-decide.ts'
import { useReview, useReviewAddress } from './use-review.ts'

const Split = styled('div')({
  position: 'relative',
  flex: '1 1 auto',
  minHeight: 0,
  display: 'flex',
  '& > .rows': { flex: '1 1 auto', minWidth: 0, overflow: 'auto', containerType: 'inline-size' },
})
const TabBar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  borderBottom: '1px solid var(--line)',
  '& > nav': { flex: '1 1 auto', minWidth: 0, borderBottom: 0 },
  '& > .kinds': { flex: 'none', display: 'flex', flexWrap: 'wrap', gap: 6, margin: 0, padding: '4px 16px', border: 0 },
  '& > .kinds button': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 5,
    height: 22,
    padding: '0 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-sm)',
    background: 'var(--surface-2)',
    color: 'var(--text)',
    font: 'inherit',
    fontSize: 11,
    fontWeight: 600,
    cursor: 'pointer',
  },
  '& > .kinds button:focus-visible': { outline: 'none', boxShadow: 'var(--focus-ring)' },
  '& > .kinds button[aria-pressed=true]': { background: 'var(--p-100)', borderColor: 'var(--p)', color: 'var(--p)' },
  [theme.breakpoints.down('lg')]: { flexDirection: 'column', alignItems: 'stretch', '& > .kinds': { paddingTop: 0 } },
  [theme.breakpoints.down('sm')]: {
    '& > .kinds': { flexWrap: 'nowrap', overflowX: 'auto', padding: '0 12px 8px' },
    '& > .kinds button': { flex: 'none', height: 32 },
  },
}))
const More = styled('p')({ padding: '8px 16px', color: 'var(--text-3)' })

/** Results of instruments that wait for a person: the reasons, and the decision. */
export const ReviewPage = () => {
  const { instrumentId, kind, resultId, change } = useReviewAddress()
  const review = useReview(instrumentId, kind)
  const { query, all, rows, total } = review
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set())
  const isWide = useMediaQuery(useTheme().breakpoints.up('lg'), { noSsr: true })
  const navigate = useNavigate()
  const mayDecide = can(useRole(), 'review.decide')
  const runs = groupRuns(rows)
  const ordered = runs.flatMap((run) => run.rows)
  const ids = ordered.map(({ id }) => id)
  const [keyId, setKeyId] = useState<number | null>(null)
  const [own, setOwn] = useState<ReadonlySet<number>>(new Set())
  const waitingIds = new Set(all.map(({ id }) => id))
  const mark = (changed: readonly number[], isMarked: boolean) =>
    setMarked((before) => new Set([...before].filter((id) => !changed.includes(id)).concat(isMarked ? changed : [])))
  const decision = useDecide((done) => {
    setOwn((before) => new Set([...before, ...done]))
    mark(done, false)
  })
  const selection = useCurrent(resultId ?? keyId, {
    ids,
    isWaiting: (id) => query.data === undefined || waitingIds.has(id),
    isOwn: (id) => own.has(id) || decision.isBusy,
  })
  const current = ordered.find(({ id }) => id === selection.id)
  const isOpen = isWide || resultId !== null
  const show = (id: number | undefined) => {
    if (id === undefined) return
    setKeyId(id)
    // What others have decided about is no longer selected.
    setMarked((before) => new Set([...before].filter((one) => waitingIds.has(one))))
    // Below the table's full width the pane floats: it opens by a click, and moving by keys does not.
    if (isWide || resultId !== null) change({ result: String(id) })
  }
  const chosen = ordered.filter(({ id }) => marked.has(id))
  // The last selected one may have been decided by somebody else; the current one must not take its place unseen.
  const hasLost = [...marked].some((id) => !waitingIds.has(id))
  const targets = chosen.length > 0 ? chosen : current && !hasLost ? [current] : []
  const decide = (deciding: Deciding) => {
    if (!mayDecide || (deciding === 'accept' && whyNoneAccepted(targets))) return
    if ((deciding === 'rerun' || deciding === 'dilute') && targets.every(({ state }) => state === 'HELD')) return
    decision.decide(deciding, targets)
  }
  const [issueOf, setIssueOf] = useState<number | null>(null)
  const mayAddIssue = can(useRole(), 'issues.add')
  // An issue is about one requisition.
  const issueId = targets.length === 1 ? (targets[0]?.reqId ?? null) : null
  const openIssue = () => mayAddIssue && issueId !== null && setIssueOf(issueId)
  useKeys({
    j: () => show(selection.step(1)),
    k: () => show(selection.step(-1)),
    arrowdown: () => show(selection.step(1)),
    arrowup: () => show(selection.step(-1)),
    ' ': () => current && mark([current.id], !marked.has(current.id)),
    a: () => decide('accept'),
    r: () => decide('rerun'),
    d: () => decide('dilute'),
    x: () => decide('reject'),
    i: () => openIssue(),
    z: decision.undo,
    enter: () => current?.reqId && navigate(`/requisitions/${current.reqId}/show/tests`),
    escape: () => {
      if (marked.size > 0) setMarked(new Set())
      else change({ result: '' })
    },
  })
  return (
    <>
      <ReviewHead readAt={query.dataUpdatedAt} isLost={query.error !== null} />
      <StoppedBanner />
      <ShareStrip rows={all} total={total} />
      <Filters
        review={review}
        instrumentId={instrumentId}
        kind={kind}
        onKind={(next) => change({ kind: next ?? '' })}
      />
      {selection.takenId !== null && <TakenNotice key={selection.takenId} id={selection.takenId} />}
      {query.error && !query.data ? (
        <LoadFailed error={query.error} onRetry={() => query.refetch()} />
      ) : query.isPending ? (
        <LoadingState label="Data loading" />
      ) : rows.length === 0 ? (
        <EmptyState title={total === 0 ? 'All verified' : 'No result waits for this reason'}>
          {total === 0 ? 'No result waits for a person.' : 'Choose another instrument or reason.'}
        </EmptyState>
      ) : (
        <>
          <Split>
            <div className="rows">
              <ReviewTable
                runs={runs}
                currentId={current?.id ?? null}
                chosen={marked}
                onChoose={(id) => {
                  show(id)
                  change({ result: String(id) })
                }}
                onMark={mark}
              />
              {total !== undefined && total > all.length && (
                <More>
                  The first {all.length} of {total.toLocaleString('en-US')} results.
                </More>
              )}
            </div>
            {isOpen && current && (
              <ReviewPane
                key={current.id}
                row={current}
                others={all.filter((row) => row.id !== current.id && isSameTest(row, current))}
                onClose={() => change({ result: '' })}
              />
            )}
          </Split>
          {mayDecide && (
            <ReviewActions
              targets={targets}
              count={chosen.length}
              isBusy={decision.isBusy}
              onDecide={decide}
              onIssue={mayAddIssue && issueId !== null ? openIssue : null}
            />
          )}
        </>
      )}
      {issueOf !== null && (
        <Dialog open onClose={() => setIssueOf(null)} aria-label={`Add an issue to #${issueOf}`}>
          <AddIssue requisitionId={issueOf} onClose={() => setIssueOf(null)} />
        </Dialog>
      )}
      <KeyHelp keys={reviewKeys} />
      {decision.asked && (
        <DecideDialog
          key={decision.asked.deciding + decision.asked.reasonWanted}
          {...decision.asked}
          isBusy={decision.isBusy}
          onDecide={decision.confirm}
          onClose={decision.close}
        />
      )}
    </>
  )
}

const isSameTest = (one: ReviewResult, other: ReviewResult) =>
  one.reqTestId !== null && one.reqTestId === other.reqTestId

const ReviewHead = (freshness: { readAt: number; isLost: boolean }) => (
  <PageHeader
    title="Review"
    action={
      <>
        <Freshness {...freshness} />
        <StopButton />
        <Button component={Link} to="/review/rules">
          Rules
        </Button>
      </>
    }
  />
)

interface FiltersProps {
  review: ReturnType<typeof useReview>
  instrumentId: number | null
  kind: ReasonKind | null
  onKind: (kind: ReasonKind | null) => void
}

const Filters = ({ review: { all, ofInstrument, total }, instrumentId, kind, onKind }: FiltersProps) => {
  const instruments = [...Map.groupBy(all, (row) => row.instrumentId)]
  const kinds = countKinds(ofInstrument)
  const numberOf = (count: number | string) => <span style={{ color: 'var(--text-3)', fontWeight: 400 }}>{count}</span>
  return (
    <TabBar>
      <TabLinks
        label="Instrument"
        tabs={[
          { to: '/review', label: 'All', isCurrent: instrumentId === null, mark: numberOf(total ?? '–') },
          ...instruments.map(([id, rows]) => ({
            to: `/review?instrumentId=${id}`,
            label: rows[0]?.instrumentName ?? '',
            isCurrent: instrumentId === id,
            mark: numberOf(rows.length),
          })),
        ]}
      />
      {kinds.length > 0 && (
        <fieldset className="kinds" aria-label="Why it waits">
          {kinds.map((one) => (
            <button
              key={one.kind}
              type="button"
              aria-pressed={kind === one.kind}
              onClick={() => onKind(kind === one.kind ? null : one.kind)}
            >
              <ReasonIcon kind={one.kind} size={12} />
              {one.label} {one.count}
            </button>
          ))}
        </fieldset>
      )}
    </TabBar>
  )
}

const reviewKeys: PageKeys = [
  ['J K', 'Next and previous result'],
  ['Space', 'Select'],
  ['A', 'Accept'],
  ['R', 'Rerun'],
  ['D', 'Dilute and run again'],
  ['X', 'Reject'],
  ['I', 'Add an issue'],
  ['Z', 'Undo the last decision'],
  ['Enter', 'Open the requisition'],
  ['Esc', 'Clear the selection, close the result'],
]
