import { type CriticalCall, criticalCallRoutes, criticalLabels } from '@lis/contract/critical-calls.ts'
import { required } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { z } from 'zod'
import { formatLongDate, formatPhone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useSession } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { ClockIcon, CloseIcon, SuccessIcon } from '../../ui/icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { Trend } from '../../ui/trend.tsx'
import { AttemptForm } from './attempt-form.tsx'
import { escalations, isOpenCall } from './call-time.ts'
import { limitText, sentence, valueText } from './call-words.ts'
import { Timer } from './timer.tsx'

const Sheet = styled('section')(({ theme }) => ({
  flex: '0 0 560px',
  minWidth: 0,
  display: 'flex',
  flexDirection: 'column',
  background: 'var(--surface)',
  borderLeft: '1px solid var(--line-strong)',
  boxShadow: 'var(--shadow-2)',
  '& h2': { flex: '1 1 auto', fontSize: 16, fontWeight: 600, color: 'var(--text-strong)' },
  '& h3': { fontSize: 12, fontWeight: 600, color: 'var(--text-strong)' },
  [theme.breakpoints.down('lg')]: { flexBasis: 460 },
  [theme.breakpoints.down('md')]: { position: 'fixed', inset: 0, zIndex: 1200 },
}))
const Head = styled('header')({ flex: 'none', display: 'flex', alignItems: 'center', gap: 8, padding: '10px 16px' })
const Band = styled('div')({
  flex: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: '4px 12px',
  padding: '6px 16px',
  background: 'var(--id-bg)',
  color: 'var(--id-text)',
  boxShadow: 'inset 4px 0 0 var(--id-stripe)',
  fontSize: 14,
  fontWeight: 600,
  '& a': { color: 'inherit' },
})
const Body = styled('div')({
  flex: '1 1 auto',
  minHeight: 0,
  overflow: 'auto',
  display: 'flex',
  flexDirection: 'column',
  gap: 14,
  padding: 16,
})
const Say = styled('blockquote')({
  margin: 0,
  padding: 12,
  borderRadius: 'var(--r-md)',
  background: 'var(--p-50)',
  border: '1px solid var(--p-200)',
  fontSize: 14,
  lineHeight: '20px',
  '& strong': { display: 'block', fontSize: 12, marginBottom: 4 },
})
const ProofLine = styled('p')({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  padding: '8px 12px',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
})
const Lines = styled('ul')({
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  '& li': {
    display: 'grid',
    gridTemplateColumns: '16px minmax(0, 1fr) auto',
    gap: 8,
    padding: '7px 10px',
    borderBottom: '1px solid var(--line)',
  },
  '& li:last-of-type': { borderBottom: 0 },
  '& small': { color: 'var(--text-3)', fontSize: 11 },
})

/** One call: what to say, whom to call, the attempts so far, and the form for the next one. The other timers stay visible. */
export const CallSheet = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const query = useQuery(read(criticalCallRoutes.one, { params: { id } }))
  return (
    <Sheet aria-label="Call a critical result">
      <Head>
        <h2>Call a critical result</h2>
        <Button variant="text" aria-label="Close" onClick={onClose} sx={{ minWidth: 28, px: 1 }}>
          <CloseIcon />
        </Button>
      </Head>
      <Loaded query={query}>{({ data }) => <Call key={data.id} call={data} />}</Loaded>
    </Sheet>
  )
}

const Call = ({ call }: { call: CriticalCall }) => (
  <>
    <Band>
      <span>
        <Link to={`/requisitions/${call.reqId}/show`}>#{call.reqId}</Link> | {call.patientName} (
        {formatLongDate(call.patientDob)})
      </span>
      {isOpenCall(call) && <Timer call={call} isUntil />}
    </Band>
    <Body>
      <Say>
        <strong>Say it, then let them read it back</strong>
        {sentence(call)}
      </Say>
      <p>
        <strong style={{ color: 'var(--error)', fontSize: 14 }}>{valueText(call)}</strong> {limitText(call)}. Final
        since <Timestamp at={call.raisedAt} />, to be called by <Timestamp at={call.dueAt} />.
      </p>
      <Proof call={call} />
      <Contacts call={call} />
      <Tries call={call} />
      {isOpenCall(call) ? <OpenCall call={call} /> : <Ended call={call} />}
    </Body>
  </>
)

/** The earlier values: an unexpected critical value needs a second look. */
const Proof = ({ call: { trend, value, testDesc } }: { call: CriticalCall }) => {
  const [last] = trend
  if (!last) return <p>First {testDesc} of this patient.</p>
  const values = [...trend.map((one) => Number(one.value)).reverse(), Number(value)]
  return (
    <ProofLine>
      {values.every(Number.isFinite) && <Trend values={values} />}
      <span>
        Before: <strong>{last.value}</strong> <Timestamp at={last.at} />
        {trend.length > 1 &&
          `, earlier ${trend
            .slice(1, 4)
            .map((one) => one.value)
            .join(', ')}`}
      </span>
    </ProofLine>
  )
}

const escalationWords = {
  1: 'The department is notified, unless somebody has the call',
  2: 'Management is notified',
} as const

const Contacts = ({ call }: { call: CriticalCall }) => (
  <>
    <h3>Who to call, in this order</h3>
    {call.contacts.length === 0 ? (
      <p>The practice has no telephone number. Add one to the client.</p>
    ) : (
      <Lines>
        {call.contacts.map(({ name, role, phone }, index) => (
          <li key={`${name} ${phone}`}>
            <span>{index + 1}</span>
            <span>
              {name} <small>{role}</small>
            </span>
            <a href={`tel:+${phone}`}>{formatPhone(phone)}</a>
          </li>
        ))}
      </Lines>
    )}
    {isOpenCall(call) && (
      <Lines>
        {escalations(call).map(({ level, at }) => (
          <li key={level}>
            <ClockIcon size={14} color="var(--text-3)" />
            <span>{escalationWords[level as 1 | 2]}</span>
            {call.escalation >= level ? <small>notified</small> : <Timestamp at={at} />}
          </li>
        ))}
      </Lines>
    )}
  </>
)

const outcomeWords = { REACHED: 'Reached', NOANSWER: 'No answer', MESSAGE: 'Message left, does not count' }

const Tries = ({ call }: { call: CriticalCall }) =>
  call.attempts.length > 0 && (
    <>
      <h3>Tries</h3>
      <Lines>
        {call.attempts.map((attempt) => (
          <li key={attempt.id}>
            {attempt.readBackOk === 1 ? (
              <SuccessIcon size={14} color="var(--success)" />
            ) : (
              <CloseIcon size={14} color="var(--text-3)" />
            )}
            <span>
              {outcomeWords[attempt.outcome]}
              {attempt.calledTo && `: ${attempt.calledTo}`}
              {attempt.role && ` (${attempt.role})`}{' '}
              {attempt.readBackOk === 0 && (
                <strong style={{ color: 'var(--error)' }}>read back {attempt.readBack}, which is another value</strong>
              )}
              {attempt.readBackOk === 1 && `, read back ${attempt.readBack}`}
              {attempt.note && <small> {attempt.note}</small>}
            </span>
            <small>
              <Timestamp at={attempt.calledAt} /> {attempt.calledBy}
            </small>
          </li>
        ))}
      </Lines>
    </>
  )

const Ended = ({ call }: { call: CriticalCall }) => (
  <p>
    {call.state === 'SUPERSEDED'
      ? 'The value has been corrected: another call has taken the place of this one.'
      : `Closed by ${call.closedByName ?? ''}${call.closeReason ? ` without a read-back: ${call.closeReason}` : ', read back'}.`}
  </p>
)

const takeOver = z.object({ reason: required(criticalLabels.reason, 1000) })

const OpenCall = ({ call }: { call: CriticalCall }) => {
  const [dialog, setDialog] = useState<'close' | 'takeOver' | null>(null)
  const [isTaking, setTaking] = useState(false)
  const take = useSave(criticalCallRoutes.take, { isImmediate: true })
  const takeWithReason = useSave(criticalCallRoutes.take)
  const close = useSave(criticalCallRoutes.close)
  const ownId = useSession()?.access.userId
  const isOthers = call.state === 'TAKEN' && call.takenById !== ownId
  const subject = `#${call.reqId} | ${call.patientName} (${formatLongDate(call.patientDob)})`
  const takeIt = async () => {
    setTaking(true)
    // The failure has been announced.
    await take({ params: { id: call.id }, body: { reason: null } }).catch(() => undefined)
    setTaking(false)
  }
  useKeys({
    t: () => {
      if (isOthers) setDialog('takeOver')
      else if (call.state === 'OPEN' && !isTaking) void takeIt()
    },
  })
  return (
    <>
      {call.state === 'OPEN' ? (
        <div>
          <ActionButton isBusy={isTaking} onClick={takeIt}>
            Take this call
          </ActionButton>
        </div>
      ) : (
        <p>
          {call.takenByName} has this call.{' '}
          {isOthers && (
            <Button size="small" onClick={() => setDialog('takeOver')}>
              Take it over
            </Button>
          )}
        </p>
      )}
      <AttemptForm call={call} />
      <div>
        <Button variant="text" onClick={() => setDialog('close')}>
          Close without a read-back
        </Button>
      </div>
      {dialog === 'close' && (
        <FormDialog
          title="Close without a read-back"
          subject={subject}
          intro={<p>Only if nobody needs to be told by telephone. The reason stays in the history.</p>}
          submitLabel="Close the call"
          isSubmitRisky
          schema={criticalCallRoutes.close.body}
          fields={[{ name: 'reason', label: criticalLabels.reason, kind: 'multiline', isRequired: true }]}
          onSubmit={(body) => close({ params: { id: call.id }, body })}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'takeOver' && (
        <FormDialog
          title="Take the call over"
          subject={subject}
          intro={<p>{call.takenByName} has this call. The reason stays in the history.</p>}
          submitLabel="Take it over"
          schema={takeOver}
          fields={[{ name: 'reason', label: criticalLabels.reason, kind: 'multiline', isRequired: true }]}
          onSubmit={(body) => takeWithReason({ params: { id: call.id }, body })}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  )
}
