import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type ChecklistLine, requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { ClockIcon, ErrorIcon, type Icon, RequisitionsIcon, UserIcon, WarningIcon } from '../../ui/icons.tsx'
import { CheckIcon } from '../../ui/table/table-icons.tsx'

const Lines = styled('ul')(({ theme }) => ({
  margin: -12,
  padding: 0,
  listStyle: 'none',
  '& li': {
    display: 'flex',
    alignItems: 'flex-start',
    gap: 8,
    padding: '8px 12px',
    borderBottom: '1px solid var(--line)',
    '&:last-of-type': { borderBottom: 0 },
  },
  '& svg': { flex: 'none' },
  '& div': { flex: '1 1 auto', minWidth: 0 },
  '& strong': { display: 'block', fontWeight: 600, color: 'var(--text-strong)' },
  '& small': { display: 'block', fontSize: 11, lineHeight: '15px', color: 'var(--text-3)', overflowWrap: 'anywhere' },
  '& a': { flex: 'none', fontWeight: 600, color: 'var(--link)', textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  '& li.done': { color: 'var(--text-3)', '& svg': { color: 'var(--success)' } },
  [theme.breakpoints.down('sm')]: {
    '& li': { minHeight: 48, alignItems: 'center', fontSize: 13 },
    '& a': {
      padding: '9px 12px',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--r-sm)',
      color: 'var(--text-strong)',
    },
  },
}))
const Left = styled('span')({
  height: 18,
  padding: '0 6px',
  marginRight: 4,
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  lineHeight: '18px',
  fontWeight: 600,
  color: 'var(--warning)',
  background: 'var(--warning-bg)',
  '&.none': { color: 'var(--success)', background: 'var(--success-bg)' },
})

interface LineStyle {
  Glyph: Icon
  tone: string
  action: string
}
const grey = 'var(--text-3)'
const styles: Record<ChecklistLine['code'], LineStyle> = {
  openIssues: { Glyph: ErrorIcon, tone: 'var(--error)', action: 'Open Issues' },
  clientZone: { Glyph: WarningIcon, tone: 'var(--warning)', action: 'Open client' },
  failCodes: { Glyph: ErrorIcon, tone: 'var(--error)', action: 'Open' },
  hasTest: { Glyph: RequisitionsIcon, tone: grey, action: 'Add tests' },
  hasReceivedSpecimen: { Glyph: RequisitionsIcon, tone: grey, action: 'Add specimen' },
  resultsComplete: { Glyph: ClockIcon, tone: 'var(--warning)', action: 'Enter results' },
  hasReport: { Glyph: RequisitionsIcon, tone: grey, action: 'Upload Report' },
  demographicQcPassed: { Glyph: UserIcon, tone: grey, action: 'Open' },
  hasReleasedReport: { Glyph: RequisitionsIcon, tone: grey, action: 'Open' },
  hasBillType: { Glyph: RequisitionsIcon, tone: grey, action: 'Open' },
  hasIcd: { Glyph: RequisitionsIcon, tone: grey, action: 'Add ICD' },
  hasPrimaryInsurance: { Glyph: RequisitionsIcon, tone: grey, action: 'Add insurance' },
}

/** Why a requisition has not moved on; each line links to the place where it can be fixed. */
export const ChecklistCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id, clientId } = requisition
  const query = useQuery(read(requisitionRecordRoutes.checklist, { params: { id } }))
  const open = query.data?.data.filter(({ isDone }) => isDone === 0).length
  return (
    <Card
      title="What stops it going out"
      actions={
        open === undefined ? null : (
          <Left className={open === 0 ? 'none' : undefined}>{open === 0 ? 'Nothing' : `${open} left`}</Left>
        )
      }
    >
      <Loaded query={query}>
        {({ data }) => (
          <Lines>
            {data
              .filter(({ isDone }) => isDone === 0)
              .map((line) => (
                <Line key={line.code} line={line} requisitionId={id} clientId={clientId} />
              ))}
            <Done lines={data.filter(({ isDone }) => isDone === 1)} />
          </Lines>
        )}
      </Loaded>
    </Card>
  )
}

interface LineProps {
  line: ChecklistLine
  requisitionId: number
  clientId: number
}

/** Completed items are listed in one line. */
const Done = ({ lines }: { lines: readonly ChecklistLine[] }) =>
  lines.length > 0 && (
    <li className="done">
      <CheckIcon />
      <div>{lines.map(({ title }) => title).join(' · ')}</div>
    </li>
  )

const Line = ({ line: { code, title, detail, tabSlug }, requisitionId, clientId }: LineProps) => {
  const { Glyph, tone, action } = styles[code]
  return (
    <li>
      <Glyph color={tone} />
      <div>
        <strong>{title}</strong>
        <small>{detail}</small>
      </div>
      <Link to={tabSlug === null ? `/clients/${clientId}/show` : `/requisitions/${requisitionId}/show/${tabSlug}`}>
        {action}
      </Link>
    </li>
  )
}
