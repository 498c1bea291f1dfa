import { can } from '@lis/contract/access/permissions.ts'
import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Freshness } from '../../ui/freshness.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchInput } from '../../ui/smart-views/search-input.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { MessageList } from './message-list.tsx'
import { MessagePane } from './message-pane.tsx'
import { PartnerStrip } from './partner-strip.tsx'
import { countOf, deskTabs, groupMessages, useDesk, useDeskAddress } from './use-desk.ts'

const Split = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  minHeight: 0,
  display: 'flex',
  '& > .list': { flex: '0 0 440px', minWidth: 0, overflow: 'auto', borderRight: '1px solid var(--line-strong)' },
  [theme.breakpoints.down('lg')]: { '& > .list': { flexBasis: 320 } },
  [theme.breakpoints.down('sm')]: { display: 'block', '& > .list': { borderRight: 0 } },
}))
const Bar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  borderBottom: '1px solid var(--line)',
  '& > nav': { flex: '1 1 auto', minWidth: 0, borderBottom: 0 },
  '& > .ways': { flex: 'none', display: 'flex', gap: 4, margin: 0, padding: '0 16px', border: 0 },
  '& > .ways button': {
    height: 24,
    padding: '0 10px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-sm)',
    background: 'var(--surface)',
    color: 'var(--text)',
    font: 'inherit',
    cursor: 'pointer',
  },
  '& > .ways button[aria-pressed=true]': {
    background: 'var(--p-100)',
    borderColor: 'var(--p)',
    color: 'var(--p)',
    fontWeight: 600,
  },
  [theme.breakpoints.down('sm')]: { '& > .ways': { display: 'none' } },
}))
const More = styled('p')({ padding: '8px 16px', color: 'var(--text-3)' })

const ways = [
  ['', 'All'],
  ['IN', 'In'],
  ['OUT', 'Out'],
] as const

/** The messages from and to partners; held messages are decided here. */
export const DeskPage = () => {
  const { address, change } = useDeskAddress()
  const desk = useDesk(address)
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const groups = groupMessages(desk.messages)
  const ids = groups.map(({ first }) => first.id)
  const currentId = address.messageId ?? (isPhone ? null : (ids[0] ?? null))
  const choose = (id: number) => change({ message: String(id) })
  const at = currentId === null ? -1 : ids.indexOf(currentId)
  // The position of the open message, in case it has left the list.
  const lastAt = useRef(0)
  useEffect(() => {
    if (at >= 0) lastAt.current = at
  })
  const step = (by: 1 | -1) => {
    const next = ids[(at >= 0 ? at : lastAt.current - (by === 1 ? 1 : 0)) + by]
    if (next !== undefined) choose(next)
  }
  const settled = () => {
    const next = ids.filter((id) => id !== currentId)[Math.max(at, 0)]
    change({ message: next === undefined ? '' : String(next) })
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  return (
    <>
      <DeskHead
        search={address.search}
        onSearch={(search) => change({ search, message: '' })}
        readAt={desk.readAt}
        isLost={desk.error !== null}
      />
      <PartnerStrip chosenId={address.interfaceId} onChoose={(interfaceId) => change({ interfaceId, message: '' })} />
      <Bar>
        <TabLinks
          label="State"
          tabs={deskTabs.map(([tab, label]) => ({
            to: tab === 'all' ? '/interfaces' : `/interfaces?show=${tab}`,
            label,
            isCurrent: address.show === tab,
            mark: desk.counts && (
              <span style={{ color: 'var(--text-3)', fontWeight: 400 }}>
                {countOf(desk.counts, tab).toLocaleString('en-US')}
              </span>
            ),
          }))}
        />
        <fieldset className="ways" aria-label="Direction">
          {ways.map(([direction, label]) => (
            <button
              key={label}
              type="button"
              aria-pressed={address.direction === direction}
              onClick={() => change({ direction, message: '' })}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </Bar>
      {desk.error && desk.messages.length === 0 ? (
        <LoadFailed error={desk.error} onRetry={desk.retry} />
      ) : desk.isLoading ? (
        <LoadingState label="Data loading" />
      ) : groups.length === 0 ? (
        <Nothing isWaiting={address.show === 'waiting' || address.show === 'HELD'} />
      ) : (
        <Split>
          <div className="list">
            <MessageList groups={groups} currentId={currentId} onChoose={choose} />
            {desk.total > desk.messages.length && (
              <More>
                The first {desk.messages.length} of {desk.total.toLocaleString('en-US')} messages. Search for others.
              </More>
            )}
            {isPhone && <More>Messages are decided on at a larger screen.</More>}
          </div>
          {!isPhone && currentId !== null && <MessagePane id={currentId} onStep={step} onSettled={settled} />}
        </Split>
      )}
    </>
  )
}

const Nothing = ({ isWaiting }: { isWaiting: boolean }) => (
  <EmptyState title={isWaiting ? 'Nothing held' : 'No messages'}>
    {isWaiting ? 'Every message has been processed.' : 'No message matches.'}
  </EmptyState>
)

interface DeskHeadProps {
  search: string
  onSearch: (text: string) => void
  readAt: number
  isLost: boolean
}

const DeskHead = ({ search, onSearch, readAt, isLost }: DeskHeadProps) => {
  const mayManage = can(useRole(), 'interfaces.manage')
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  return (
    <PageHeader
      title="Interface desk"
      action={
        <>
          <Freshness readAt={readAt} isLost={isLost} />
          {!isPhone && (
            <>
              <SearchInput label="Patient, order, control id" value={search} onSearch={onSearch} />
              <Button component={Link} to="/interfaces/partners">
                {mayManage ? 'Manage interfaces' : 'Interfaces'}
              </Button>
            </>
          )}
        </>
      }
    />
  )
}
