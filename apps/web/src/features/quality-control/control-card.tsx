import { can } from '@lis/contract/access/permissions.ts'
import { type QcChart, type QcStatus, qcLabels, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { useEffect, useRef } from 'react'
import { z } from 'zod'
import { formatDuration } from '../../lib/durations.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { Timestamp, useZone } from '../../ui/timestamp.tsx'
import { CorrectiveAction, openAction } from './corrective-action.tsx'
import { minuteOf, nowIn, timeFields, timeShape } from './time-fields.ts'

interface ControlCardProps {
  status: QcStatus
  chart: QcChart
  isActing: boolean
  onActing: (isActing: boolean) => void
  onEnter: () => void
}

/** The steps that bring a test back into control; if it is in control, when the next controls are due. */
export const ControlCard = ({ status, chart, isActing, onActing, onEnter }: ControlCardProps) => {
  const mayRun = can(useRole(), 'qc.run')
  const isOut = status.state === 'OUT'
  const action = openAction(status, chart)
  const isOpen = isOut || action !== null
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!isActing || !isOut) return
    form.current?.querySelector<HTMLElement>('[role=combobox], input')?.focus()
    onActing(false)
  }, [isActing, isOut, onActing])
  return (
    <div>
      <Card
        title={isOpen ? 'Corrective action' : 'Control'}
        actions={
          isOut && status.since ? (
            <OpenFor since={status.since} />
          ) : mayRun && !isOpen ? (
            <Button size="small" onClick={() => onActing(true)} aria-keyshortcuts="C">
              Record an action
            </Button>
          ) : undefined
        }
      >
        {isOpen ? (
          <CorrectiveAction
            status={status}
            chart={chart}
            action={action}
            mayRun={mayRun}
            onEnter={onEnter}
            ref={form}
          />
        ) : (
          <InControl status={status} />
        )}
      </Card>
      {chart.actions.length > 0 && (
        <Card title="Actions">
          <ul>
            {chart.actions.map(({ id, cause, action: what, doneAt, recordedBy, signedBy }) => (
              <li key={id} style={{ padding: '4px 0' }}>
                <Timestamp at={doneAt} /> {recordedBy}
                <br />
                <strong>{cause}</strong> {what}
                <br />
                {signedBy ? `Signed by ${signedBy}` : 'Not signed yet'}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {isActing && !isOut && <ActionDialog status={status} onClose={() => onActing(false)} />}
    </div>
  )
}

const OpenFor = ({ since }: { since: string }) => (
  <span style={{ color: 'var(--warning)', fontWeight: 600 }}>
    Open {formatDuration(Math.max(0, Date.now() - Date.parse(since)))}
  </span>
)

const InControl = ({ status: { nextDueAt, lastGoodRunAt, state } }: { status: QcStatus }) => (
  <p>
    {lastGoodRunAt ? (
      <>
        Last run in control <Timestamp at={lastGoodRunAt} />.{' '}
      </>
    ) : (
      'No run in control yet. '
    )}
    {nextDueAt ? (
      <>
        {state === 'DUE' ? 'Controls were due' : 'Next controls due'} <Timestamp at={nextDueAt} />.
      </>
    ) : (
      'There is no schedule: without a plan controls always count as due.'
    )}
  </p>
)

const actionForm = z.object({
  ...qualityControlRoutes.createAction.body.pick({ cause: true, action: true }).shape,
  ...timeShape,
})

const ActionDialog = ({ status, onClose }: { status: QcStatus; onClose: () => void }) => {
  const { instrumentId, testCode } = status
  const zone = useZone()
  const save = useSave(qualityControlRoutes.createAction)
  return (
    <FormDialog
      title="Corrective action"
      subject={`${testCode} on ${status.instrumentName}`}
      submitLabel="Record"
      columns={2}
      schema={actionForm}
      values={nowIn(zone)}
      fields={[
        { name: 'cause', label: qcLabels.cause, kind: 'multiline', isRequired: true, isWide: true },
        { name: 'action', label: qcLabels.action, kind: 'multiline', isRequired: true, isWide: true },
        ...timeFields(qcLabels.doneAt),
      ]}
      onSubmit={({ cause, action, day, time }) =>
        save({ body: { instrumentId, testCode, cause, action, doneAt: minuteOf(day, time, zone) } })
      }
      onClose={onClose}
    />
  )
}
