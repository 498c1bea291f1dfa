import { can } from '@lis/contract/access/permissions.ts'
import { type InterfaceMessageDetail, interfaceMessageRoutes } from '@lis/contract/interfaces.ts'
import IconButton from '@mui/material/IconButton'
import { styled, useTheme } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { MessageStateTag } from '../../domain/message-state-tag.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { ChevronDownIcon } from '../../ui/icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { type Decision, firstDecision } from './decision.ts'
import { MessageActions } from './message-actions.tsx'
import { FieldTable, PreviewList, RawText } from './message-parts.tsx'
import { useOrderables } from './orderables.ts'
import { ProblemCards } from './problem-cards.tsx'

const Pane = styled('section')({
  flex: '1 1 auto',
  minWidth: 0,
  minHeight: 0,
  display: 'flex',
  flexDirection: 'column',
})
const Head = styled('header')({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  padding: '4px 16px',
  borderBottom: '1px solid var(--line)',
  '& h2': { fontSize: 13, lineHeight: '18px', fontWeight: 600, color: 'var(--text-strong)' },
  '& .more': { flex: '1 1 auto', color: 'var(--text-3)' },
})
const Body = styled('div')({
  flex: '1 1 auto',
  minHeight: 0,
  overflow: 'auto',
  display: 'flex',
  flexDirection: 'column',
})
const Columns = styled('div')({
  flex: '1 0 auto',
  display: 'grid',
  gridTemplateColumns: 'minmax(220px, 288px) minmax(180px, 1fr) minmax(240px, 306px)',
  '&.two': { gridTemplateColumns: 'minmax(0, 1fr) 290px' },
  '& > section': { minWidth: 0, borderLeft: '1px solid var(--line)' },
  '& > section:first-of-type': { borderLeft: 0 },
  '& .title': {
    minHeight: 32,
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    padding: '0 12px',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--text-2)',
    background: 'var(--surface-2)',
    borderBottom: '1px solid var(--line)',
  },
  '& .title h3': { fontSize: 11 },
  '& .title small': { fontWeight: 400 },
  '& .title button': {
    border: 0,
    background: 'none',
    padding: '4px 0',
    font: 'inherit',
    color: 'var(--text-2)',
    cursor: 'pointer',
  },
  '& .title button[aria-pressed=true]': { color: 'var(--p)', borderBottom: '2px solid var(--p)' },
})
const History = styled('p')({
  flex: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  gap: '0 16px',
  padding: '8px 16px',
  borderTop: '1px solid var(--line)',
  fontSize: 11,
  color: 'var(--text-2)',
})

interface MessagePaneProps {
  id: number
  onStep: (by: 1 | -1) => void
  /** After a decision: the next one. */
  onSettled: () => void
}

/** One message: its problems, its fields, its text and a preview. */
export const MessagePane = ({ id, ...rest }: MessagePaneProps) => {
  const query = useQuery({
    ...read(interfaceMessageRoutes.one, { params: { id } }),
    staleTime: 0,
    refetchOnMount: 'always',
  })
  return (
    <Pane aria-label="Message">
      <Loaded query={query}>{({ data }) => <Message key={data.id} message={data} {...rest} />}</Loaded>
    </Pane>
  )
}

const Message = ({
  message,
  onStep,
  onSettled,
}: Omit<MessagePaneProps, 'id'> & { message: InterfaceMessageDetail }) => {
  const [decided, setDecided] = useState<Partial<Decision>>({})
  const mayWork = can(useRole(), 'interfaces.work')
  const orderables = useOrderables()
  const isNarrow = useMediaQuery(useTheme().breakpoints.down('lg'), { noSsr: true })
  const [isRaw, setRaw] = useState(false)
  const isOpen = message.direction === 'IN' && (message.state === 'HELD' || message.state === 'FAILED')
  const decision: Decision = { ...firstDecision(message), ...decided }
  const named = message.fields.filter(({ name }) => name !== '').length
  const fieldsTitle = (
    <>
      Fields <small>{`${named} of ${message.fields.length} used`}</small>
    </>
  )
  return (
    <>
      <PaneHead message={message} onStep={onStep} />
      <Body>
        {isOpen && (
          <ProblemCards
            message={message}
            decision={decision}
            onDecide={(change) => setDecided((before) => ({ ...before, ...change }))}
            orderables={orderables}
            isDisabled={!mayWork}
          />
        )}
        <Columns className={isNarrow ? 'two' : undefined}>
          {isNarrow ? (
            <section>
              <div className="title">
                <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
                  {fieldsTitle}
                </button>
                <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
                  As it came
                </button>
              </div>
              {isRaw ? <RawText message={message} /> : <FieldTable message={message} />}
            </section>
          ) : (
            <>
              <Part title={fieldsTitle}>
                <FieldTable message={message} />
              </Part>
              <Part title={message.direction === 'IN' ? 'As it came' : 'As it went'} isGrey>
                <RawText message={message} />
              </Part>
            </>
          )}
          <Part title="What we would make of it">
            <PreviewList message={message} decision={decision} codeOf={orderables.codeOf} />
          </Part>
        </Columns>
      </Body>
      <MessageHistory message={message} />
      {mayWork && <MessageActions message={message} decision={decision} isOpen={isOpen} onSettled={onSettled} />}
    </>
  )
}

const Part = ({ title, isGrey = false, children }: { title: ReactNode; isGrey?: boolean; children: ReactNode }) => (
  <section style={isGrey ? { background: 'var(--bg)' } : undefined}>
    <div className="title">
      <h3>{title}</h3>
    </div>
    {children}
  </section>
)

const PaneHead = ({ message, onStep }: { message: InterfaceMessageDetail; onStep: (by: 1 | -1) => void }) => (
  <Head>
    <MessageStateTag state={message.state} />
    <h2>
      {message.preview?.action ?? message.messageType ?? 'Message'} {message.direction === 'IN' ? 'from' : 'to'}{' '}
      {message.interfaceName ?? 'an unknown sender'}
    </h2>
    <span className="more">
      {message.messageType}
      {message.controlId && `, ${message.controlId}`}
      {message.reqId !== null && (
        <>
          , <Link to={`/requisitions/${message.reqId}/show`}>#{message.reqId}</Link>
        </>
      )}
    </span>
    <Tooltip title="Previous (K)">
      <IconButton aria-label="Previous message" onClick={() => onStep(-1)}>
        <ChevronDownIcon style={{ transform: 'rotate(180deg)' }} />
      </IconButton>
    </Tooltip>
    <Tooltip title="Next (J)">
      <IconButton aria-label="Next message" onClick={() => onStep(1)}>
        <ChevronDownIcon />
      </IconButton>
    </Tooltip>
  </Head>
)

const MessageHistory = ({ message }: { message: InterfaceMessageDetail }) => (
  <History>
    <b>History</b>
    <span>
      <Timestamp at={message.receivedDate} /> {message.direction === 'IN' ? 'received' : 'queued'}
      {message.ackCode && `, answer ${message.ackCode}`}
    </span>
    {message.attempts > 1 && <span>{message.attempts} attempts</span>}
    {message.settledDate && (
      <span>
        <Timestamp at={message.settledDate} /> {message.state.toLowerCase()}
      </span>
    )}
    {message.reason && <span>{message.reason}</span>}
  </History>
)
