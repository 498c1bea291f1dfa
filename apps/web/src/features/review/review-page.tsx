import { can } from '@lis/contract/access/permissions.ts'
import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useEffect, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { AddIssue } from '../../domain/add-issue.tsx'
import { useRole } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Freshness } from '../../ui/freshness.tsx'
import { CloseIcon, lineIcon, RetryIcon, WarningIcon } from '../../ui/icons.tsx'
import { KeyHelp, KeyHints, type PageKeys } from '../../ui/key-help.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { DecideDialog, type Deciding } from './decide-dialog.tsx'
import { PassedIcon, ReasonIcon } from './reason-icon.tsx'
import { countKinds, groupRuns, type ReasonKind, whyNotAccepted } from './review-groups.ts'
import { ReviewPane } from './review-pane.tsx'
import { ReviewTable } from './review-table.tsx'
import { ShareStrip } from './share-strip.tsx'
import { StopButton, StoppedBanner } from './stop-switch.tsx'
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
const Bar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  padding: '4px 16px',
  background: 'var(--p-50)',
  borderTop: '1px solid var(--line-strong)',
  '& .count': { minWidth: 90, fontWeight: 600, color: 'var(--text-strong)' },
  '& .key': {
    marginLeft: 6,
    padding: '0 4px',
    borderRadius: 'var(--r-xs)',
    boxShadow: 'inset 0 0 0 1px currentColor',
    fontFamily: 'inherit',
    fontSize: 10,
    opacity: 0.7,
  },
  [theme.breakpoints.down('sm')]: {
    position: 'sticky',
    bottom: 0,
    zIndex: 2,
    flexWrap: 'wrap',
    padding: '8px 12px',
    '& .key': { display: 'none' },
    '& .count': { flexBasis: '100%' },
    '& span:has(> button), & > button': { flex: '1 1 28%' },
    '& span:has(> button) > button': { width: '100%' },
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
  // The position of the current result, in case it has left the list.
  const lastAt = useRef(0)
  const wanted = resultId ?? keyId
  const at = wanted === null ? -1 : ids.indexOf(wanted)
  const currentAt = at >= 0 ? at : Math.min(lastAt.current, ids.length - 1)
  const current = ordered[currentAt]
  useEffect(() => {
    if (currentAt >= 0) lastAt.current = currentAt
  })
  const isOpen = isWide || resultId !== null
  const show = (id: number | undefined) => {
    if (id === undefined) return
    setKeyId(id)
    // Below the table's full width the pane floats: it opens by a click, and moving by keys does not.
    if (isWide || resultId !== null) change({ result: String(id) })
  }
  const chosen = ordered.filter(({ id }) => marked.has(id))
  const targets = chosen.length > 0 ? chosen : current ? [current] : []
  const mark = (changed: readonly number[], isMarked: boolean) =>
    setMarked((before) => new Set([...before].filter((id) => !changed.includes(id)).concat(isMarked ? changed : [])))
  const decision = useDecide((done) => mark(done, false))
  const decide = (deciding: Deciding) => {
    if (!mayDecide || (deciding === 'accept' && whyNot(targets))) return
    if ((deciding === 'rerun' || deciding === 'dilute') && targets.every(({ state }) => state === 'HELD')) return
    decision.decide(deciding, targets)
  }
  const [issueOf, setIssueOf] = useState<number | null>(null)
  const mayAddIssue = can(useRole(), 'issues.add')
  // An issue is about one requisition.
  const issueId = targets.length === 1 ? (targets[0]?.reqId ?? null) : null
  const openIssue = () => mayAddIssue && issueId !== null && setIssueOf(issueId)
  useKeys({
    j: () => show(ids[currentAt + 1]),
    k: () => show(ids[currentAt - 1]),
    arrowdown: () => show(ids[currentAt + 1]),
    arrowup: () => show(ids[currentAt - 1]),
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
                  setKeyId(id)
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
            <Actions
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
          key={decision.asked.deciding + decision.asked.isReasonWanted}
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

/** Several can be tried at once: the dry run shows which cannot be accepted. */
const whyNot = (targets: readonly ReviewResult[]) => {
  const [first] = targets
  if (!first) return undefined
  const reasons = targets.map(whyNotAccepted)
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined
}

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

interface ActionsProps {
  targets: readonly ReviewResult[]
  count: number
  isBusy: boolean
  onDecide: (deciding: Deciding) => void
  /** Null where the result belongs to no requisition, or several are selected. */
  onIssue: (() => void) | null
}

const Key = ({ children }: { children: string }) => (
  <span className="key" aria-hidden="true">
    {children}
  </span>
)

const Actions = ({ targets, count, isBusy, onDecide, onIssue }: ActionsProps) => {
  const stop = whyNot(targets)
  const isHeld = targets.every(({ state }) => state === 'HELD')
  return (
    <Bar role="toolbar" aria-label="Decide">
      <span className="count">{count > 0 ? `${count} selected` : 'This result'}</span>
      <Tooltip title={stop ?? ''}>
        <span>
          <Button
            variant="contained"
            startIcon={<PassedIcon />}
            disabled={isBusy || stop !== undefined}
            onClick={() => onDecide('accept')}
          >
            Accept <Key>A</Key>
          </Button>
        </span>
      </Tooltip>
      <Tooltip title={isHeld ? 'It belongs to no test that could be run again' : ''}>
        <span>
          <Button startIcon={<RetryIcon />} disabled={isBusy || isHeld} onClick={() => onDecide('rerun')}>
            Rerun <Key>R</Key>
          </Button>
        </span>
      </Tooltip>
      <Tooltip title={isHeld ? 'It belongs to no test that could be run again' : ''}>
        <span>
          <Button startIcon={<DropIcon />} disabled={isBusy || isHeld} onClick={() => onDecide('dilute')}>
            Dilute <Key>D</Key>
          </Button>
        </span>
      </Tooltip>
      <Button color="error" startIcon={<CloseIcon />} disabled={isBusy} onClick={() => onDecide('reject')}>
        Reject <Key>X</Key>
      </Button>
      <Button startIcon={<WarningIcon />} disabled={!onIssue} onClick={() => onIssue?.()}>
        Add issue <Key>I</Key>
      </Button>
      <KeyHints>
        <kbd>J</kbd>
        <kbd>K</kbd> move <kbd>Space</kbd> select <kbd>Z</kbd> undo <kbd>?</kbd> all keys
      </KeyHints>
    </Bar>
  )
}

const DropIcon = lineIcon('M8 2c2.5 3 4 5 4 7a4 4 0 0 1-8 0c0-2 1.5-4 4-7z')
