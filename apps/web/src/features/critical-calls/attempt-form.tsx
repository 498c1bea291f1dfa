import { type CriticalCall, criticalCallRoutes, criticalLabels } from '@lis/contract/critical-calls.ts'
import { styled } from '@mui/material/styles'
import { type FormEvent, useRef, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { formatPhone } from '../../lib/formats.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import { SelectInput } from '../../ui/form/select-input.tsx'
import { ButtonKey } from '../../ui/key-help.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { calledAtOf } from './call-time.ts'

const Form = styled('form')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(3, minmax(0, 1fr))',
  gap: 12,
  '& .end': { gridColumn: '1 / -1', display: 'flex', justifyContent: 'flex-end' },
  [theme.breakpoints.down('sm')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
const ReadBack = styled('div')({
  gridColumn: '1 / -1',
  padding: 12,
  borderRadius: 'var(--r-md)',
  background: 'var(--success-bg)',
  border: '1px solid var(--success-line)',
})

const outcomes = [
  { value: 'REACHED', label: 'Reached' },
  { value: 'NOANSWER', label: 'No answer' },
  { value: 'MESSAGE', label: 'Message left' },
] as const
const timeField = { name: 'calledAt', label: criticalLabels.calledAt, kind: 'time', hint: 'Left empty: now' } as const
type OutcomeCode = (typeof outcomes)[number]['value']

const roles = ['Ordering physician', 'Physician on call', 'Nurse', 'Office of the practice'].map((value) => ({
  value,
  label: value,
}))

/** An attempt to reach somebody. The value read back is typed again, never copied from the screen. */
export const AttemptForm = ({ call }: { call: CriticalCall }) => {
  const first = call.contacts[0]
  const [outcome, setOutcome] = useState<OutcomeCode>('REACHED')
  const [role, setRole] = useState('')
  const [time, setTime] = useState('')
  const zone = useZone()
  const [text, setText] = useState({
    calledTo: '',
    phone: first ? formatPhone(first.phone) : '',
    readBack: '',
    note: '',
  })
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const notify = useNotify()
  const attempt = useSave(criticalCallRoutes.attempt, { isImmediate: true, isSilent: true })
  useKeys({ 'ctrl+enter': () => form.current?.requestSubmit() })
  const isReached = outcome === 'REACHED'
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const calledAt = calledAtOf(time, zone, Date.now())
    const body = { ...text, readBack: isReached ? text.readBack : '', outcome, role, calledAt }
    const checked = criticalCallRoutes.attempt.body.safeParse(body)
    if (!checked.success) {
      setErrors(Object.fromEntries(checked.error.issues.map(({ path, message }) => [String(path[0]), message])))
      return
    }
    setErrors({})
    setBusy(true)
    try {
      const { data } = await attempt({ params: { id: call.id }, body: checked.data })
      if (data.readBackOk === 0)
        notify.warning(`${text.readBack} was read back, the result is ${call.value}: the call stays open`)
      else notify.info(data.state === 'CLOSED' ? 'Called and read back' : 'Saved as a try: the call stays open')
      setText({ ...text, readBack: '', note: '' })
      setTime('')
    } catch (error) {
      if (error instanceof ApiError)
        setErrors(Object.fromEntries(error.errors.map(({ field, message }) => [field, message])))
    } finally {
      setBusy(false)
    }
  }
  const field = (name: keyof typeof text) => ({
    label: criticalLabels[name],
    value: text[name],
    error: errors[name],
    onChange: ({ target }: { target: { value: string } }) => setText({ ...text, [name]: target.value }),
  })
  return (
    <Form ref={form} onSubmit={save} noValidate aria-label="Try">
      <SelectInput
        field={{ name: 'outcome', label: criticalLabels.outcome, kind: 'select', isRequired: true, options: outcomes }}
        value={outcome}
        onChange={(value) => setOutcome(value as OutcomeCode)}
      />
      <TextField {...field('calledTo')} required={isReached} autoComplete="off" />
      <SelectInput
        field={{ name: 'role', label: criticalLabels.role, kind: 'select', options: roles }}
        value={role}
        onChange={(value) => setRole(String(value))}
      />
      <TextField {...field('phone')} autoComplete="off" />
      <FieldInput
        field={timeField}
        value={time}
        error={errors.calledAt}
        onChange={(value) => setTime(String(value ?? ''))}
      />
      <TextField {...field('note')} />
      {isReached && (
        <ReadBack>
          <TextField
            {...field('readBack')}
            label="Value as it was read back"
            required
            autoComplete="off"
            hint="Type what you hear. It is compared with the result; without it the call stays open."
          />
        </ReadBack>
      )}
      <div className="end">
        <ActionButton type="submit" variant="contained" isBusy={isBusy} aria-keyshortcuts="Control+Enter">
          {isReached ? 'Close the call' : 'Save as a try'}
          <ButtonKey aria-hidden="true">Ctrl Enter</ButtonKey>
        </ActionButton>
      </div>
    </Form>
  )
}
