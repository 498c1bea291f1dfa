import { type InterfacePartner, interfaceRoutes } from '@lis/contract/interfaces.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { ErrorIcon, SuccessIcon, WarningIcon } from '../../ui/icons.tsx'
import { readList } from '../../ui/table/read-list.ts'

const Strip = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  margin: '0 16px',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  overflowX: 'auto',
  '& button': {
    flex: '1 0 190px',
    minWidth: 0,
    display: 'flex',
    flexDirection: 'column',
    gap: 1,
    padding: '6px 10px',
    border: 0,
    borderRight: '1px solid var(--line)',
    background: 'none',
    color: 'var(--text)',
    font: 'inherit',
    textAlign: 'left',
    cursor: 'pointer',
  },
  '& button:last-of-type': { borderRight: 0 },
  '& button:focus-visible': { outline: 'none', boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& button[aria-pressed=true]': { background: 'var(--selected)' },
  '& button.down': { background: 'var(--error-bg)' },
  '& .name': { display: 'flex', alignItems: 'center', gap: 6, fontWeight: 600, color: 'var(--text-strong)' },
  '& .small': {
    paddingLeft: 22,
    fontSize: 11,
    color: 'var(--text-3)',
    whiteSpace: 'nowrap',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '& .down .state': { color: 'var(--error)', fontWeight: 600 },
  '& .held .state': { color: 'var(--warning)', fontWeight: 600 },
  [theme.breakpoints.down('sm')]: { margin: '8px 12px' },
}))

interface PartnerStripProps {
  chosenId: string
  onChoose: (id: string) => void
}

const mostShown = 50
/** Those that are down first, then those with held messages. */
const urgency = ({ retryingCount, failedCount, heldCount }: InterfacePartner) =>
  retryingCount > 0 || failedCount > 0 ? 2 : heldCount > 0 ? 1 : 0

/** The partners with their messages of the last day; a click shows those of one partner. */
export const PartnerStrip = ({ chosenId, onChoose }: PartnerStripProps) => {
  const { data } = useQuery(
    readList(interfaceRoutes.list, undefined, { page: 1, perPage: mostShown, filters: { isActive: '1' }, sort: null }),
  )
  const partners = [...(data?.data ?? [])].sort((one, other) => urgency(other) - urgency(one))
  if (partners.length === 0) return null
  return (
    <Strip role="group" aria-label="Interfaces">
      {partners.map((partner) => {
        const isChosen = chosenId === String(partner.id)
        return (
          <button
            key={partner.id}
            type="button"
            className={['', 'held', 'down'][urgency(partner)]}
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen ? '' : String(partner.id))}
          >
            <Partner partner={partner} />
          </button>
        )
      })}
    </Strip>
  )
}

const Partner = ({ partner }: { partner: InterfacePartner }) => {
  const level = urgency(partner)
  return (
    <>
      <span className="name">
        {level === 2 && <ErrorIcon size={14} color="var(--error)" />}
        {level === 1 && <WarningIcon size={14} color="var(--warning)" />}
        {level === 0 && <SuccessIcon size={14} color="var(--success)" />}
        {partner.name}
      </span>
      <span className="small state">{stateOf(partner)}</span>
      <span className="small">
        {partner.inCount} in, {partner.outCount} out
        {partner.lastMessageDate && `, ${agoOf(partner.lastMessageDate)}`}
      </span>
    </>
  )
}

const stateOf = ({ retryingCount, failedCount, heldCount, isTest, kind }: InterfacePartner) => {
  const parts = [
    failedCount > 0 && `${failedCount} failed`,
    retryingCount > 0 && `${retryingCount} retrying`,
    heldCount > 0 && `${heldCount} held`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(', ') : `${kind}${isTest === 1 ? ', test' : ', nothing waits'}`
}

const agoOf = (iso: string): string => {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`
}
