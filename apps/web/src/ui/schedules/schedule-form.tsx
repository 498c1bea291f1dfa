import { registered, roleTable } from '@lis/contract/access/roles.ts'
import {
  scheduleLabels as label,
  type Schedule,
  scheduleFormats,
  scheduleIntervals,
  scheduleRoutes,
} from '@lis/contract/schedules.ts'
import { smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { pageSession, useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../action-button.tsx'
import { FieldInput } from '../form/field-input.tsx'
import type { FieldDef } from '../form/field-types.ts'
import { useZone } from '../timestamp.tsx'

const Form = styled('form')({
  display: 'grid',
  gridTemplateColumns: 'repeat(3, minmax(0, 1fr))',
  gap: 10,
  '& > .wide': { gridColumn: '1 / -1' },
  '& .people': { display: 'flex', flexWrap: 'wrap', gap: 6, margin: '6px 0 0', padding: 0, listStyle: 'none' },
  '& .actions': { gridColumn: '1 / -1', display: 'flex', justifyContent: 'flex-end', gap: 8 },
})

const optionsOf = (names: Record<string, string>) =>
  Object.entries(names).map(([value, text]) => ({ value, label: text }))
const everyField: FieldDef = {
  name: 'every',
  label: label.every,
  kind: 'select',
  options: optionsOf(scheduleIntervals),
}
const sendAsField: FieldDef = {
  name: 'sendAs',
  label: label.sendAs,
  kind: 'select',
  options: optionsOf(scheduleFormats),
}
const roleField: FieldDef = {
  name: 'roleCodes',
  label: label.roleCodes,
  kind: 'checkbox',
  options: roleTable
    .filter(({ userRoleCode }) => (registered as readonly string[]).includes(userRoleCode))
    .map(({ userRoleCode, userRoleDesc }) => ({ value: userRoleCode, label: userRoleDesc })),
}
const emptyField: FieldDef = { name: 'onlyWhenNotEmpty', label: label.onlyWhenNotEmpty, kind: 'singleCheckbox' }
const staff: readonly string[] = ['ADM', 'MGMT', 'STF']

/** The content of the schedule: a report, or a saved view. */
export interface ScheduleSubject {
  reportCode?: string
  smartFilterId?: number
  name: string
}

interface ScheduleFormProps {
  stored: Schedule | null
  subject: ScheduleSubject | undefined
  onClose: () => void
}

type Draft = Pick<Schedule, 'every' | 'at' | 'userIds' | 'roleCodes' | 'sendAs' | 'onlyWhenNotEmpty'> & {
  emails: string
}

/** Time, receivers and format of a schedule. */
export const ScheduleForm = ({ stored, subject, onClose }: ScheduleFormProps) => {
  const zone = useZone()
  const tz = stored?.tz ?? zone
  const ownId = pageSession.get()?.access.userId
  const [draft, setDraft] = useState<Draft>({
    every: stored?.every ?? 'WEEK',
    at: stored?.at ?? '07:00',
    userIds: stored?.userIds ?? (ownId === undefined ? [] : [ownId]),
    roleCodes: stored?.roleCodes ?? [],
    emails: stored?.emails.join(', ') ?? '',
    sendAs: stored?.sendAs ?? 'LINK',
    onlyWhenNotEmpty: stored?.onlyWhenNotEmpty ?? 0,
  })
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [isBusy, whileBusy] = useBusy()
  const create = useSave(scheduleRoutes.create)
  const update = useSave(scheduleRoutes.update)
  const sendsToRoles = staff.includes(useRole())
  const set = (name: keyof Draft) => (value: unknown) => setDraft({ ...draft, [name]: value })
  const save = () =>
    whileBusy(async () => {
      const body = {
        ...draft,
        roleCodes: draft.roleCodes as (typeof registered)[number][],
        emails: draft.emails.split(/[\s,;]+/).filter(Boolean),
        tz,
      }
      try {
        if (stored) await update({ params: { id: stored.id }, body: { ...body, version: stored.version } })
        else
          await create({
            body: { ...body, reportCode: subject?.reportCode ?? null, smartFilterId: subject?.smartFilterId ?? null },
          })
        onClose()
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        setErrors(Object.fromEntries(error.errors.map(({ field, message }) => [field, message])))
      }
    })
  return (
    <Form
      aria-label={stored ? 'Change schedule' : 'New schedule'}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void save()
      }}
    >
      <FieldInput field={everyField} value={draft.every} error={errors.every} onChange={set('every')} />
      <FieldInput
        field={{ name: 'at', label: `${label.at} (HH:MM)`, kind: 'text', hint: tz }}
        value={draft.at}
        error={errors.at}
        onChange={set('at')}
      />
      <FieldInput field={sendAsField} value={draft.sendAs} error={errors.sendAs} onChange={set('sendAs')} />
      <div className="wide">
        <People userIds={draft.userIds} ownId={ownId} error={errors.userIds} onChange={set('userIds')} />
      </div>
      {sendsToRoles && (
        <div className="wide">
          <FieldInput field={roleField} value={draft.roleCodes} error={errors.roleCodes} onChange={set('roleCodes')} />
        </div>
      )}
      <div className="wide">
        <FieldInput
          field={{
            name: 'emails',
            label: label.emails,
            kind: 'text',
            hint: 'Separated by commas. Files go to addresses of the laboratory only.',
          }}
          value={draft.emails}
          error={errors.emails}
          onChange={set('emails')}
        />
      </div>
      <div className="wide">
        <FieldInput
          field={emptyField}
          value={draft.onlyWhenNotEmpty}
          onChange={(value) => set('onlyWhenNotEmpty')(value ? 1 : 0)}
        />
      </div>
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <ActionButton type="submit" variant="contained" isBusy={isBusy}>
          Save
        </ActionButton>
      </div>
    </Form>
  )
}

interface PeopleProps {
  userIds: readonly number[]
  ownId: number | undefined
  error: string | undefined
  onChange: (userIds: number[]) => void
}

const People = ({ userIds, ownId, error, onChange }: PeopleProps) => {
  const { data } = useQuery(read(smartFilterRoutes.receivers))
  const people = (data?.data ?? []).map(({ id, userFullName, userName }) => ({
    value: id,
    label: `${userFullName} (${userName})`,
  }))
  const all = ownId === undefined ? people : [{ value: ownId, label: 'Myself' }, ...people]
  return (
    <>
      <FieldInput
        field={{
          name: 'person',
          label: label.userIds,
          kind: 'autocomplete',
          options: all.filter(({ value }) => !userIds.includes(value)),
        }}
        value=""
        values={{}}
        error={error}
        placeholder="Add a person by name"
        onChange={(value) => {
          const person = all.find((one) => String(one.value) === String(value))
          if (person) onChange([...userIds, person.value])
        }}
      />
      <ul className="people">
        {userIds.map((id) => {
          const name = all.find(({ value }) => value === id)?.label ?? `User ${id}`
          return (
            <li key={id}>
              <Button
                size="small"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(userIds.filter((one) => one !== id))}
              >
                {name} ×
              </Button>
            </li>
          )
        })}
      </ul>
    </>
  )
}
