import { type InterfaceMessageDetail, interfaceMessageRoutes } from '@lis/contract/interfaces.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { useKeys } from '../../lib/use-keys.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CloseIcon, RetryIcon } from '../../ui/icons.tsx'
import { ButtonKey } from '../../ui/key-help.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { type Decision, reprocessBody } from './decision.ts'
import { offersOf } from './offers.ts'

const Bar = styled('footer')({
  flex: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  padding: '8px 16px',
  borderTop: '1px solid var(--line-strong)',
  '& .note': { marginLeft: 'auto', color: 'var(--text-2)' },
})

interface MessageActionsProps {
  message: InterfaceMessageDetail
  decision: Decision
  /** It waits for a decision. */
  isOpen: boolean
  onSettled: () => void
}

/** What can be done about the message. */
export const MessageActions = (props: MessageActionsProps) => {
  const { message, isOpen } = props
  const canDismiss = message.state === 'HELD' || message.state === 'FAILED'
  const canResend = message.direction === 'OUT' && ['SENT', 'ACCEPTED', 'FAILED'].includes(message.state)
  if (!canDismiss && !canResend) return null
  return (
    <Bar>
      {canDismiss && <Dismiss {...props} />}
      {canResend && <Resend message={message} />}
      {isOpen && <Reprocess {...props} />}
    </Bar>
  )
}

const Dismiss = ({ message, onSettled }: MessageActionsProps) => {
  const [isAsking, setAsking] = useState(false)
  const dismiss = useSave(interfaceMessageRoutes.dismiss)
  return (
    <>
      <Button color="error" startIcon={<CloseIcon />} onClick={() => setAsking(true)}>
        Dismiss
      </Button>
      {isAsking && (
        <FormDialog
          title="Dismiss this message"
          subject={[message.interfaceName, message.messageType, message.patientName].filter(Boolean).join(', ')}
          intro={
            message.direction === 'IN' && (
              <p>
                Nothing will be made of it. The sender has had its answer and hears nothing more; tell them if they need
                to know.
              </p>
            )
          }
          submitLabel="Dismiss"
          isSubmitRisky
          schema={interfaceMessageRoutes.dismiss.body}
          fields={[{ name: 'reason', label: 'Reason', kind: 'multiline', isRequired: true }]}
          onSubmit={async (body) => {
            await dismiss({ params: { id: message.id }, body })
            onSettled()
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

const Resend = ({ message }: { message: InterfaceMessageDetail }) => {
  const [isBusy, setBusy] = useState(false)
  const resend = useSave(interfaceMessageRoutes.resend, { isImmediate: true })
  const send = async () => {
    setBusy(true)
    // The failure has been announced.
    await resend({ params: { id: message.id } }).catch(() => undefined)
    setBusy(false)
  }
  return (
    <ActionButton startIcon={<RetryIcon />} isBusy={isBusy} onClick={send}>
      Send again
    </ActionButton>
  )
}

const Reprocess = ({ message, decision, onSettled }: MessageActionsProps) => {
  const [busy, setBusy] = useState<'one' | 'all' | null>(null)
  const notify = useNotify()
  const reprocess = useSave(interfaceMessageRoutes.reprocess, { isImmediate: true, isSilent: true })
  const others = message.sameCauseCount
  const { main, second } = offersOf(message, decision)
  const run = async (alsoSame: boolean) => {
    if (busy) return
    setBusy(alsoSame ? 'all' : 'one')
    try {
      const { data } = await reprocess({ params: { id: message.id }, body: reprocessBody(message, decision, alsoSame) })
      if (data.state === 'ACCEPTED') {
        const more = data.alsoSettled.length > 0 ? ` and ${data.alsoSettled.length} more` : ''
        notify.info(data.reqId === null ? `Accepted${more}` : `Requisition #${data.reqId}${more}`)
        onSettled()
      } else notify.warning(data.reason ?? 'It is still held')
    } catch {
      // The failure has been announced.
    } finally {
      setBusy(null)
    }
  }
  useKeys({ r: () => void run(false), 'ctrl+enter': () => void run(main.alsoSame) })
  const isBusy = ({ alsoSame }: { alsoSame: boolean }) => busy === (alsoSame ? 'all' : 'one')
  return (
    <>
      <span className="note">
        {others > 0 && `${others} more ${others === 1 ? 'waits' : 'wait'} for the same reason`}
      </span>
      {second && (
        <ActionButton
          startIcon={<RetryIcon />}
          isBusy={isBusy(second)}
          {...(!second.alsoSame && { 'aria-keyshortcuts': 'R' })}
          onClick={() => run(second.alsoSame)}
        >
          {second.label}
          {!second.alsoSame && <ButtonKey aria-hidden="true">R</ButtonKey>}
        </ActionButton>
      )}
      <ActionButton
        variant="contained"
        isBusy={isBusy(main)}
        aria-keyshortcuts="Control+Enter"
        onClick={() => run(main.alsoSame)}
      >
        {main.label}
        <ButtonKey aria-hidden="true">Ctrl Enter</ButtonKey>
      </ActionButton>
    </>
  )
}
