import { styled } from '@mui/material/styles'
import { useEffect, useRef } from 'react'
import { MessageStateTag } from '../../domain/message-state-tag.tsx'
import { formatDateInZone, formatTimestamp } from '../../lib/formats.ts'
import { ArrowRightIcon, lineIcon } from '../../ui/icons.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import type { MessageGroup } from './use-desk.ts'

const ArrowLeftIcon = lineIcon('M13.5 8h-10M7 4.5 3.5 8 7 11.5')

const List = styled('ul')({
  '& button': {
    width: '100%',
    display: 'flex',
    flexDirection: 'column',
    gap: 3,
    padding: '7px 16px',
    border: 0,
    borderBottom: '1px solid var(--line)',
    background: 'none',
    color: 'var(--text)',
    font: 'inherit',
    textAlign: 'left',
    cursor: 'pointer',
  },
  '& button:hover': { background: 'var(--n-50)' },
  '& button:focus-visible': { outline: 'none', boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& button[aria-current=true]': { background: 'var(--selected)', boxShadow: 'inset 3px 0 0 var(--selected-line)' },
  '& .line': { display: 'flex', alignItems: 'center', gap: 8, minWidth: 0 },
  '& .way': {
    flex: 'none',
    width: 44,
    display: 'inline-flex',
    alignItems: 'center',
    gap: 4,
    fontSize: 11,
    color: 'var(--text-3)',
  },
  '& .below': { paddingLeft: 52 },
  '& .cut': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .grow': { flex: '1 1 auto' },
  '& .name': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .faint': { color: 'var(--text-3)' },
  '& .small': { fontSize: 11 },
  '& .time': { flex: 'none', fontSize: 11, color: 'var(--text-3)' },
})

interface MessageListProps {
  groups: readonly MessageGroup[]
  currentId: number | null
  onChoose: (id: number) => void
}

export const MessageList = ({ groups, currentId, onChoose }: MessageListProps) => {
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: moving by keys brings the chosen row into view
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [currentId])
  return (
    <List ref={list} aria-label="Messages">
      {groups.map((group) => (
        <li key={group.first.id}>
          <Row group={group} isCurrent={group.first.id === currentId} onChoose={() => onChoose(group.first.id)} />
        </li>
      ))}
    </List>
  )
}

const Row = ({ group, isCurrent, onChoose }: { group: MessageGroup; isCurrent: boolean; onChoose: () => void }) => {
  const { first: message, count } = group
  const zone = useZone()
  const [today, then] = [new Date().toISOString(), message.receivedDate].map((iso) => formatDateInZone(iso, zone))
  const { text, zone: abbreviation } = formatTimestamp(message.receivedDate, zone)
  const who = [message.reqId === null ? '' : `#${message.reqId}`, message.patientName].filter(Boolean).join(' ')
  return (
    <button type="button" aria-current={isCurrent} onClick={onChoose}>
      <span className="line">
        <span className="way">
          {message.direction === 'IN' ? <ArrowRightIcon size={14} /> : <ArrowLeftIcon size={14} />}
          {message.direction === 'IN' ? 'In' : 'Out'}
        </span>
        <b className="name cut">{message.interfaceName ?? 'Unknown sender'}</b>
        <span className="faint cut grow">
          {count > 1 ? `${message.messageType}, ${count} messages` : message.messageType}
        </span>
        <time className="time" dateTime={message.receivedDate}>
          {today === then ? text.slice(-5) : text} {abbreviation}
        </time>
      </span>
      <span className="line below">
        <MessageStateTag state={message.state} />
        <span className={`cut grow ${message.state === 'ACCEPTED' ? 'faint' : ''}`}>{message.reason}</span>
      </span>
      {who && (
        <span className="below cut small">
          {who}
          {count > 1 && ` and ${count - 1} more`}
        </span>
      )}
    </button>
  )
}
