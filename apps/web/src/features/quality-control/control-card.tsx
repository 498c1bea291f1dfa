import { can } from '@lis/contract/access/permissions.ts'
import { type QcChart, type QcStatus, qcLabels, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { z } from 'zod'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { SuccessIcon } from '../../ui/icons.tsx'
import { Timestamp, useZone } from '../../ui/timestamp.tsx'
import { instantOf, nowIn, timeFields, timeShape } from './time-fields.ts'

const Steps = styled('ol')({
  display: 'flex',
  flexDirection: 'column',
  gap: 14,
  '& li': { display: 'grid', gridTemplateColumns: '24px minmax(0, 1fr)', gap: 8 },
  '& .no': {
    width: 20,
    height: 20,
    display: 'grid',
    placeItems: 'center',
    borderRadius: '50%',
    border: '1px solid var(--line-strong)',
    fontSize: 11,
    color: 'var(--text-2)',
  },
  '& .done': { color: 'var(--success)', borderColor: 'var(--success-line)', background: 'var(--success-bg)' },
  '& h3': { fontSize: 12, fontWeight: 600, color: 'var(--text-strong)', lineHeight: '20px' },
  '& li button, & li a.button': { marginTop: 6 },
})

interface ControlCardProps {
  status: QcStatus
  chart: QcChart
  isActing: boolean
  onActing: (isActing: boolean) => void
  onEnter: () => void
}

/** What brings a test back into control, in order; in control, when the next controls are due. */
export const ControlCard = ({ status, chart, isActing, onActing, onEnter }: ControlCardProps) => {
  const mayRun = can(useRole(), 'qc.run')
  const isOut = status.state === 'OUT'
  return (
    <div>
      <Card
        title={isOut ? 'Corrective action' : 'Control'}
        actions={
          mayRun && !isOut ? (
            <Button size="small" onClick={() => onActing(true)} aria-keyshortcuts="C">
              Record an action
            </Button>
          ) : undefined
        }
      >
        {isOut ? (
          <OutSteps status={status} chart={chart} mayRun={mayRun} onActing={onActing} onEnter={onEnter} />
        ) : (
          <InControl status={status} />
        )}
      </Card>
      {chart.actions.length > 0 && (
        <Card title="Actions">
          <ul>
            {chart.actions.map(({ id, cause, action, doneAt, recordedBy }) => (
              <li key={id} style={{ padding: '4px 0' }}>
                <Timestamp at={doneAt} /> {recordedBy}
                <br />
                <strong>{cause}</strong> {action}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {isActing && <ActionDialog status={status} onClose={() => onActing(false)} />}
    </div>
  )
}

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

interface OutStepsProps extends Pick<ControlCardProps, 'status' | 'chart' | 'onActing' | 'onEnter'> {
  mayRun: boolean
}

const OutSteps = ({ status, chart, mayRun, onActing, onEnter }: OutStepsProps) => {
  const isActed = status.openActions === 0
  const action = isActed ? chart.actions[0] : undefined
  const last = chart.runs.at(-1)
  const lookBacks = `/quality-control/look-backs?instrumentId=${status.instrumentId}&testCode=${status.testCode}`
  return (
    <Steps>
      <Step no={1} title="What was found, and what was done" isDone={isActed}>
        {action ? (
          <p>
            {action.cause}. {action.action}
          </p>
        ) : (
          mayRun && (
            <Button variant="contained" onClick={() => onActing(true)} aria-keyshortcuts="C">
              Record the action
            </Button>
          )
        )}
      </Step>
      <Step no={2} title="Controls run again, every level" isDone={false}>
        {isActed && last && action && Date.parse(last.ranAt) > Date.parse(action.doneAt) && (
          <p>
            The last run, <Timestamp at={last.ranAt} />, has not put the test back: every level that was rejected must
            be in.
          </p>
        )}
        {mayRun && (
          <Button variant={isActed ? 'contained' : undefined} disabled={!isActed} onClick={onEnter}>
            Enter the run
          </Button>
        )}
      </Step>
      <Step no={3} title="The patients" isDone={status.lookBackCount === 0}>
        <p>
          {status.lookBackCount === 0
            ? 'No result waits to be looked at again.'
            : `${status.lookBackCount} to be looked at again, ${status.heldCount} of them not released yet.`}
        </p>
        {status.lookBackCount > 0 && (
          <Button component={Link} to={lookBacks}>
            Look at them
          </Button>
        )}
      </Step>
    </Steps>
  )
}

const Step = ({ no, title, isDone, children }: { no: number; title: string; isDone: boolean; children: ReactNode }) => (
  <li>
    <span className={isDone ? 'no done' : 'no'}>{isDone ? <SuccessIcon size={14} /> : no}</span>
    <div>
      <h3>{title}</h3>
      {children}
    </div>
  </li>
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
        save({ body: { instrumentId, testCode, cause, action, doneAt: instantOf(day, time, zone) } })
      }
      onClose={onClose}
    />
  )
}
