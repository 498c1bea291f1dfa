import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { displayStatus, isStatusCode } from '@lis/contract/requisitions/status.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { FlagTags } from '../../domain/flag-tags.tsx'
import { recallList } from '../../domain/list-position.ts'
import { PrintLabelsButton } from '../../domain/print-labels.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { StageChip } from '../../domain/stage-chip.tsx'
import { useRole } from '../../lib/session.ts'
import { ChevronLeftIcon } from '../../ui/icons.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
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
  '& .grow': { flex: '1 1 auto' },
  [theme.breakpoints.down('md')]: { flexWrap: 'wrap', padding: '8px 16px', gap: '4px 12px' },
  // On phones the shell's top bar stands above it.
  [theme.breakpoints.down('sm')]: {
    top: 56,
    '& .back, & .grow': { display: 'none' },
    '& .add, & .print': { position: 'absolute', right: 8, bottom: 6, width: 44, minWidth: 0, padding: 0, fontSize: 0 },
    '& .print': { right: 60 },
    '& .add .MuiButton-startIcon, & .print .MuiButton-startIcon': { margin: 0 },
  },
}))
const Status = styled(Link)({
  textDecoration: 'none',
  borderRadius: 'var(--r-full)',
  '&:focus-visible': { outline: 'none', boxShadow: 'var(--focus-ring)' },
})

/** Whose requisition this is and how far it has come. It stays in view on every tab: a mix-up of two patients begins out of sight. */
export const IdentityBand = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { reqStatusCode: code, reqStatusDesc, sourceReqId, patientGenderDesc, patientAge, flag } = requisition
  const role = useRole()
  const title = requisitionTitle(requisition)
  useDocumentTitle(title)
  const stage = isStatusCode(code) ? displayStatus(code) : reqStatusDesc
  return (
    <Band>
      <IconButton
        className="back"
        component={Link}
        to={`/requisitions${recallList(requisition.id)?.search ?? ''}`}
        aria-label="Back to Requisitions"
        size="small"
      >
        <ChevronLeftIcon />
      </IconButton>
      <h1>{title}</h1>
      <Status
        to={`/requisitions?status=${stage === 'Billed' ? 'Billing' : stage}`}
        aria-label={`Status ${stage}: show this list`}
      >
        <StageChip code={code} title={reqStatusDesc} />
      </Status>
      <span className="meta">
        <b>{patientGenderDesc.slice(0, 1)}</b> · <b>{patientAge} y</b>
      </span>
      {sourceReqId !== null && (
        <span className="meta">
          Copy of <Link to={`/requisitions/${sourceReqId}/show`}>#{sourceReqId}</Link>
        </span>
      )}
      {can(role, 'requisitions.seeFlag') && <FlagTags ids={flag} />}
      <span className="grow" />
      <ListSteps requisitionId={requisition.id} />
      <PrintLabelsButton requisition={requisition} />
      {can(role, 'requisitions.addButton') && (
        <Button className="add" variant="contained" startIcon={<PlusIcon />} component={Link} to="/requisitions/create">
          Requisition
        </Button>
      )}
    </Band>
  )
}
