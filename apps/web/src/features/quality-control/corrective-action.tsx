import {
  type QcAction,
  type QcChart,
  type QcStatus,
  qcLabels,
  qualityControlRoutes,
} from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type FormEvent, type ReactNode, type Ref, useState } from 'react'
import { Link } from 'react-router'
import { ApiError } from '../../lib/api-error.ts'
import { useSession } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import { SelectInput } from '../../ui/form/select-input.tsx'
import { Checkbox } from '../../ui/form/toggles.tsx'
import { SuccessIcon } from '../../ui/icons.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Timestamp, useZone } from '../../ui/timestamp.tsx'
import { sdText } from './chart-data.ts'
import { actionTime, nowIn, timeFields } from './time-fields.ts'

const Steps = styled('ol')({
  display: 'flex',
  flexDirection: 'column',
  gap: 16,
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li, & > .steps > li': { display: 'grid', gridTemplateColumns: '24px minmax(0, 1fr)', gap: 8 },
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
  '& .fields': { display: 'flex', flexDirection: 'column', gap: 8, marginTop: 4 },
  '& .choices': { display: 'flex', flexDirection: 'column' },
  '& .pair': { display: 'grid', gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 8 },
  '& .fault': { color: 'var(--error)' },
})
const Levels = styled('dl')({
  display: 'flex',
  margin: '4px 0',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-sm)',
  '& > div': { flex: '1 1 0', padding: '4px 8px', borderLeft: '1px solid var(--line)' },
  '& > div:first-of-type': { borderLeft: 0 },
  '& dt': { fontSize: 11, color: 'var(--text-3)' },
  '& dd': { margin: 0 },
  '& dd:last-of-type': { fontSize: 11, color: 'var(--text-3)' },
})

const findings = ['Calibration drift', 'Reagent', 'Control material', 'Instrument fault', 'Handling', 'Other']
const measures = ['New control vial, same lot', 'Calibrated again', 'Changed column or reagent', 'Called service']

/** The action that is open: while out of control the one that answers the rejection, in control one that nobody has signed. */
export const openAction = (status: QcStatus, { actions }: QcChart): QcAction | null => {
  const [latest] = actions
  if (status.state === 'OUT') return status.openActions === 0 ? (latest ?? null) : null
  return latest && latest.signedAt === null ? latest : null
}

interface CorrectiveActionProps {
  status: QcStatus
  chart: QcChart
  action: QcAction | null
  mayRun: boolean
  onEnter: () => void
  ref?: Ref<HTMLFormElement>
}

/** Five steps in order: finding, action, controls run again, patient results, signature. */
export const CorrectiveAction = ({ status, chart, action, mayRun, onEnter, ref }: CorrectiveActionProps) => {
  const isTested = action !== null && status.state !== 'OUT'
  const isSettled = isTested && status.lookBackCount === 0
  return (
    <Steps>
      {action ? (
        <>
          <Step no={1} title={qcLabels.cause} isDone>
            <p>{action.cause}</p>
          </Step>
          <Step no={2} title={qcLabels.action} isDone>
            <p>
              {action.action}, <Timestamp at={action.doneAt} />
            </p>
          </Step>
        </>
      ) : mayRun ? (
        <ActionForm status={status} chart={chart} ref={ref} />
      ) : (
        <>
          <Step no={1} title={qcLabels.cause} />
          <Step no={2} title={qcLabels.action} />
        </>
      )}
      <Step no={3} title="Controls run again" isDone={isTested}>
        <RunAgain chart={chart} action={action} isTested={isTested} />
        {mayRun && !isTested && (
          <Button variant={action ? 'contained' : undefined} disabled={!action} onClick={onEnter} sx={{ mt: 1.5 }}>
            Enter the run
          </Button>
        )}
      </Step>
      <Step no={4} title="The patients" isDone={isSettled}>
        <Patients status={status} />
      </Step>
      <Step no={5} title="Signed by">
        {mayRun && <Signature key={action?.id} action={action} isReady={isSettled} />}
      </Step>
    </Steps>
  )
}

interface StepProps {
  no: number
  title: string
  isDone?: boolean
  children?: ReactNode
}

const Step = ({ no, title, isDone = false, children }: StepProps) => (
  <li>
    <span className={isDone ? 'no done' : 'no'}>{isDone ? <SuccessIcon size={14} /> : no}</span>
    <div>
      <h3>{title}</h3>
      {children}
    </div>
  </li>
)

const causeField = {
  name: 'found',
  label: 'Kind',
  kind: 'select',
  isRequired: true,
  options: findings.map((value) => ({ value, label: value })),
} as const

interface ActionFormProps {
  status: QcStatus
  chart: QcChart
  ref: Ref<HTMLFormElement> | undefined
}

const ActionForm = ({ status, chart, ref }: ActionFormProps) => {
  const zone = useZone()
  const { instrumentId, testCode } = status
  const [found, setFound] = useState('')
  const [detail, setDetail] = useState('')
  const [done, setDone] = useState<readonly string[]>([])
  const [more, setMore] = useState('')
  const [at, setAt] = useState<{ day: string; time: string }>(() => nowIn(zone))
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const record = useSave(qualityControlRoutes.createAction, { isSilent: true })
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const cause = [found, detail.trim()].filter(Boolean).join(': ')
    const action = [...measures.filter((one) => done.includes(one)), more.trim()].filter(Boolean).join('; ')
    if (!cause || !action) return setFault(cause ? 'Say what was done' : 'Say what was found')
    setBusy(true)
    try {
      const rejected = chart.runs.findLast(({ state, isVoid }) => state === 'REJECTED' && isVoid === 0)
      const doneAt = actionTime(at.day, at.time, zone, rejected?.ranAt)
      await record({ body: { instrumentId, testCode, cause, action, doneAt } })
    } catch (error) {
      setFault(error instanceof ApiError ? error.message : 'It could not be saved')
    } finally {
      setBusy(false)
    }
  }
  return (
    <li style={{ display: 'block' }}>
      <form ref={ref} onSubmit={save} noValidate aria-label="Corrective action">
        <Steps>
          <Step no={1} title={qcLabels.cause}>
            <div className="fields">
              <SelectInput field={causeField} value={found} onChange={(value) => setFound(String(value))} />
              <TextField
                label="What it looks like"
                value={detail}
                onChange={({ target }) => setDetail(target.value)}
                autoComplete="off"
              />
            </div>
          </Step>
          <Step no={2} title={qcLabels.action}>
            <div className="fields">
              <div className="choices">
                {measures.map((one) => (
                  <Checkbox
                    key={one}
                    label={one}
                    checked={done.includes(one)}
                    onChange={() =>
                      setDone(done.includes(one) ? done.filter((other) => other !== one) : [...done, one])
                    }
                  />
                ))}
              </div>
              <TextField
                label="Something else"
                value={more}
                onChange={({ target }) => setMore(target.value)}
                autoComplete="off"
              />
              <div className="pair">
                {timeFields(qcLabels.doneAt).map((field) => (
                  <FieldInput
                    key={field.name}
                    field={field}
                    value={at[field.name as 'day' | 'time']}
                    onChange={(value) => setAt({ ...at, [field.name]: String(value ?? '') })}
                  />
                ))}
              </div>
              {fault && (
                <p className="fault" role="alert">
                  {fault}
                </p>
              )}
              <ActionButton type="submit" variant="contained" isBusy={isBusy} aria-keyshortcuts="C">
                Record the action
              </ActionButton>
            </div>
          </Step>
        </Steps>
      </form>
    </li>
  )
}

/** The run after the action, level by level. */
const RunAgain = ({ chart, action, isTested }: { chart: QcChart; action: QcAction | null; isTested: boolean }) => {
  const after = action
    ? chart.runs.findLast(({ isVoid, ranAt }) => isVoid === 0 && Date.parse(ranAt) > Date.parse(action.doneAt))
    : undefined
  if (!after) return <p>{action ? 'Every level that was rejected, after the action.' : 'After the action.'}</p>
  const levels = chart.levels.flatMap(({ level, points }) => {
    const point = points.find(({ runId }) => runId === after.id)
    return point ? [{ level, ...point }] : []
  })
  return (
    <>
      <Levels>
        {levels.map(({ level, value, z }) => (
          <div key={level}>
            <dt>Level {level}</dt>
            <dd>
              <strong>{value}</strong>
            </dd>
            <dd>{sdText(z)} SD</dd>
          </div>
        ))}
      </Levels>
      <p>
        <Timestamp at={after.ranAt} />
        {isTested ? ', in control' : ': every level that was rejected must be in'}
      </p>
    </>
  )
}

const Patients = ({ status }: { status: QcStatus }) => {
  const { lookBackCount, heldCount, instrumentId, testCode } = status
  const released = lookBackCount - heldCount
  if (lookBackCount === 0) return <p>No result waits to be looked at again.</p>
  return (
    <>
      <p>
        {heldCount} held, {released} released since the last good run: each is confirmed, repeated, or released as it is
        with a reason.
      </p>
      <Button
        component={Link}
        to={`/quality-control/look-backs?instrumentId=${instrumentId}&testCode=${testCode}`}
        sx={{ mt: 1.5 }}
      >
        Look at them
      </Button>
    </>
  )
}

const Signature = ({ action, isReady }: { action: QcAction | null; isReady: boolean }) => {
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const name = useSession()?.access.userName
  const sign = useSave(qualityControlRoutes.signAction, { isSilent: true })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!action) return
    setBusy(true)
    try {
      await sign({ params: { id: action.id }, body: { password } })
    } catch (error) {
      setFault(error instanceof ApiError ? (error.errors[0]?.message ?? error.message) : 'It could not be signed')
    } finally {
      setBusy(false)
      setPassword('')
    }
  }
  return (
    <form className="fields" onSubmit={submit} noValidate>
      <PasswordField
        label={`${name ?? 'You'}, password`}
        value={password}
        error={fault}
        disabled={!isReady}
        autoComplete="current-password"
        onChange={({ target }) => setPassword(target.value)}
      />
      <ActionButton type="submit" variant="contained" isBusy={isBusy} disabled={!isReady || password === ''}>
        Sign
      </ActionButton>
    </form>
  )
}
