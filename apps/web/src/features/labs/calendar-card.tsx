import { usDate } from '@lis/contract/kit/date-range.ts'
import { type Calendar, calendarForm, calendarLabels, turnaroundRoutes, weekDays } from '@lis/contract/turnaround.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'

const timeHint = 'From 00:00 to 24:00'
const fields: readonly FieldDef[] = [
  {
    name: 'workDays',
    label: calendarLabels.workDays,
    kind: 'lookupMultiSelect',
    options: weekDays.map((label, index) => ({ value: index + 1, label })),
    isRequired: true,
  },
  { name: 'opens', label: calendarLabels.opens, kind: 'input', isRequired: true, hint: timeHint },
  { name: 'closes', label: calendarLabels.closes, kind: 'input', isRequired: true, hint: timeHint },
  { name: 'holidays', label: calendarLabels.holidays, kind: 'multiline', hint: 'One per line, as 12/25/2026' },
]

const daysText = (days: readonly number[]) => days.map((day) => weekDays[day - 1]).join(', ')

/** The working hours, which turnaround targets in working time count. */
export const CalendarCard = ({ labId, mayEdit }: { labId: number; mayEdit: boolean }) => {
  const calendar = useQuery(read(turnaroundRoutes.calendar, { params: { id: labId } })).data?.data
  const [isEditing, setEditing] = useState(false)
  return (
    <Card
      title="Working calendar"
      actions={mayEdit && calendar && <Button onClick={() => setEditing(true)}>Edit calendar</Button>}
    >
      {calendar && (
        <InfoList
          items={[
            [calendarLabels.workDays, daysText(calendar.workDays)],
            ['Hours', `${calendar.opens} to ${calendar.closes}`],
            [calendarLabels.holidays, calendar.holidays.map(usDate).join(', ') || 'None'],
          ]}
        />
      )}
      {calendar && isEditing && <EditCalendar calendar={calendar} onClose={() => setEditing(false)} />}
    </Card>
  )
}

const EditCalendar = ({ calendar, onClose }: { calendar: Calendar; onClose: () => void }) => {
  const update = useSave(turnaroundRoutes.updateCalendar)
  return (
    <FormDialog
      title="Edit calendar"
      submitLabel="Save"
      schema={calendarForm}
      fields={fields}
      values={{ ...calendar, holidays: calendar.holidays.map(usDate).join('\n') }}
      intro="Due dates of everything that is not released yet are computed again."
      onSubmit={(body) => update({ params: { id: calendar.id }, body, headers: ifMatch(calendar.version) })}
      onClose={onClose}
    />
  )
}
