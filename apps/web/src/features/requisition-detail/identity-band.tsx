import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { canEditPatient, displayStatus, isStatusCode } from '@lis/contract/requisitions/status.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { use, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { FailTags } from '../../domain/fail-codes.tsx'
import { FlagTags } from '../../domain/flag-tags.tsx'
import { recallList } from '../../domain/list-position.ts'
import { listAddressOf } from '../../domain/list-steps.ts'
import { PrinterIcon, PrintLabelsDialog } from '../../domain/print-labels.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { StageChip } from '../../domain/stage-chip.tsx'
import { formatLongDate } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { ChevronLeftIcon, EditIcon } from '../../ui/icons.tsx'
import { type PageAction, usePageBar } from '../../ui/page-bar.ts'
import { Breadcrumbs, HeaderTools, useDocumentTitle } from '../../ui/page-header.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { CorrectIdentityDialog, correctIdentityLabel } from './correct-identity.tsx'
import { ListSteps } from './list-steps.tsx'

const Band = styled('header')(({ theme }) => ({
  flex: 'none',
  position: 'sticky',
  top: 0,
  zIndex: 4,
  minHeight: 48,
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  padding: '0 16px',
  background: 'var(--id-bg)',
  color: 'var(--id-text)',
  borderBottom: '1px solid var(--id-line)',
  boxShadow: 'inset 4px 0 0 var(--id-stripe)',
  '& h1': { fontSize: 16, lineHeight: '24px', fontWeight: 600, letterSpacing: '-.005em', minWidth: 0 },
  '& .meta': { color: 'var(--id-text-2)', whiteSpace: 'nowrap', '& b': { color: 'var(--id-text)', fontWeight: 600 } },
  '& .meta a': { color: 'var(--id-text)', textDecorationColor: 'var(--id-stripe)', textUnderlineOffset: 2 },
  '& nav[aria-label=Breadcrumbs]': { color: 'inherit', '& a': { color: 'inherit' } },
  '& .end': { display: 'flex', alignItems: 'center', gap: 12, marginLeft: 'auto' },
  '& .action': { flex: 'none' },
  // A long name and a wide menu need two lines, or the buttons would overflow.
  [theme.breakpoints.down('lg')]: { flexWrap: 'wrap', padding: '8px 16px', gap: '4px 12px' },
  // On phones below the shell's top bar.
  [theme.breakpoints.down('sm')]: {
    top: 56,
    padding: '10px 16px 10px 18px',
    '& h1': { width: '100%' },
    // On phones these are in that bar.
    '& .back, & .action, & .correct': { display: 'none' },
    '& .end': { marginLeft: 0 },
  },
}))
const Status = styled(Link)({
  textDecoration: 'none',
  borderRadius: 'var(--r-full)',
  '&:focus-visible': { outline: 'none', boxShadow: 'var(--focus-ring)' },
})

/**
 * The requisition's patient and status. Visible on every tab, so that two patients are not mixed up. While it is loading only the number is
 * known.
 */
export const IdentityBand = ({ id, requisition }: { id: number; requisition: RequisitionDetail | undefined }) => {
  const role = useRole()
  const [isPrinting, setPrinting] = useState(false)
  const [isCorrecting, setCorrecting] = useState(false)
  const status = requisition?.reqStatusCode ?? ''
  const mayCorrect = isStatusCode(status) && canEditPatient(role, status)
  const title = requisition ? requisitionTitle(requisition) : `#${id}`
  useDocumentTitle(title)
  const actions = useMemo(
    () => [
      ...(can(role, 'requisitions.printLabels')
        ? [{ label: 'Print labels', icon: PrinterIcon, run: () => setPrinting(true) }]
        : []),
      ...(can(role, 'requisitions.addButton')
        ? [{ label: 'Requisition', icon: PlusIcon, to: '/requisitions/create' }]
        : []),
    ],
    [role],
  )
  const list = recallList(id)
  const to = `/requisitions${list ? listAddressOf(list, id) : ''}`
  const bar = useMemo(
    () => ({
      title: 'Requisition',
      back: { to, label: 'Back to Requisitions' },
      actions: [
        ...(mayCorrect ? [{ label: correctIdentityLabel, icon: EditIcon, run: () => setCorrecting(true) }] : []),
        ...actions,
      ],
    }),
    [to, actions, mayCorrect],
  )
  usePageBar(bar)
  return (
    <Band>
      <IconButton className="back" component={Link} to={to} aria-label={bar.back.label} size="small">
        <ChevronLeftIcon />
      </IconButton>
      <Breadcrumbs parent={{ to, label: 'Requisitions' }} />
      <h1>{requisition ? <Title requisition={requisition} /> : title}</h1>
      {mayCorrect && (
        <Tooltip title={correctIdentityLabel}>
          <IconButton
            className="correct"
            size="small"
            aria-label={correctIdentityLabel}
            onClick={() => setCorrecting(true)}
          >
            <EditIcon />
          </IconButton>
        </Tooltip>
      )}
      {requisition && <Facts requisition={requisition} />}
      <div className="end">
        <ListSteps requisitionId={id} />
        {actions.map((action) => (
          <Action key={action.label} action={action} />
        ))}
        {use(HeaderTools)}
      </div>
      {requisition && isCorrecting && (
        <CorrectIdentityDialog requisition={requisition} onClose={() => setCorrecting(false)} />
      )}
      {requisition && isPrinting && (
        <PrintLabelsDialog requisitions={[requisition]} onClose={() => setPrinting(false)} />
      )}
    </Band>
  )
}

/** The title with isolated names: a right-to-left name would otherwise reorder the number and date. */
const Title = ({ requisition }: { requisition: RequisitionDetail }) => (
  <>
    #{requisition.id} | <bdi>{requisition.patientLastName}</bdi>, <bdi>{requisition.patientFirstName}</bdi> (
    {formatLongDate(requisition.patientDob)})
  </>
)

/** On phones it is in the top bar. */
const Action = ({ action: { label, icon: Glyph, to, run } }: { action: PageAction }) =>
  to === undefined ? (
    <Button className="action" startIcon={<Glyph />} onClick={run}>
      {label}
    </Button>
  ) : (
    <Button className="action" variant="contained" startIcon={<Glyph />} component={Link} to={to}>
      {label}
    </Button>
  )

const Facts = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { reqStatusCode: code, reqStatusDesc, sourceReqId, patientGenderDesc, patientAge, flag } = requisition
  const role = useRole()
  const maySeeFlag = can(role, 'requisitions.seeFlag')
  const stage = isStatusCode(code) ? displayStatus(code) : reqStatusDesc
  return (
    <>
      <Status
        to={`/requisitions?status=${stage === 'Billed' ? 'Billing' : stage}`}
        aria-label={`Status ${stage}: show this list`}
      >
        <StageChip code={code} isGrouped />
      </Status>
      {stage === 'Billed' && stage !== reqStatusDesc && can(role, 'requisitionTabs.billing') && (
        <span className="meta">{reqStatusDesc}</span>
      )}
      <span className="meta">
        <b>{patientGenderDesc.slice(0, 1)}</b> · <b>{patientAge} y</b>
      </span>
      {sourceReqId !== null && (
        <span className="meta">
          Copy of <Link to={`/requisitions/${sourceReqId}/show`}>#{sourceReqId}</Link>
        </span>
      )}
      <FailTags requisitionId={requisition.id} />
      {maySeeFlag && <FlagTags ids={flag} />}
    </>
  )
}
