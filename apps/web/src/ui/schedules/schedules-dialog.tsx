import { type Schedule, scheduleIntervals, scheduleRoutes } from '@lis/contract/schedules.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../action-button.tsx'
import { Dialog } from '../dialog.tsx'
import { Loaded } from '../form/record-page.tsx'
import { EmptyState } from '../states.tsx'
import { Timestamp } from '../timestamp.tsx'
import { ScheduleForm, type ScheduleSubject } from './schedule-form.tsx'

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& li': { display: 'grid', gap: 4, padding: '10px 0', borderBottom: '1px solid var(--line)' },
  '& b': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .when': { color: 'var(--text-2)' },
  '& .act': { display: 'flex', flexWrap: 'wrap', gap: 8 },
})

interface SchedulesDialogProps {
  /** Limits the list to this report or view; without it all schedules of the user are shown, and none can be added. */
  subject?: ScheduleSubject
  onClose: () => void
}

/** The schedules of the user, which are sent by mail. */
export const SchedulesDialog = ({ subject, onClose }: SchedulesDialogProps) => {
  const id = useId()
  const [edited, setEdited] = useState<Schedule | 'new' | null>(null)
  const query = useQuery(read(scheduleRoutes.list, { query: { perPage: -1 } }))
  const title = subject ? `Schedules of ${subject.name}` : 'Schedules'
  const isOfSubject = ({ reportCode, smartFilterId }: Schedule) =>
    !subject || ((subject.reportCode ?? null) === reportCode && (subject.smartFilterId ?? null) === smartFilterId)
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} slotProps={{ paper: { sx: { width: '100%', maxWidth: 560 } } }}>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        {edited !== null ? (
          <ScheduleForm
            stored={edited === 'new' ? null : edited}
            subject={edited === 'new' ? subject : undefined}
            onClose={() => setEdited(null)}
          />
        ) : (
          <Loaded query={query}>
            {({ data }: { data: Schedule[] }) => {
              const shown = data.filter(isOfSubject)
              if (shown.length === 0)
                return (
                  <EmptyState title="Nothing is sent by mail">
                    {subject
                      ? 'A schedule sends it every day, week or month, to people who may see it.'
                      : 'Open a report, or a saved view of requisitions, and choose Schedule.'}
                  </EmptyState>
                )
              return (
                <List aria-label={title}>
                  {shown.map((schedule) => (
                    <ScheduleItem key={schedule.id} schedule={schedule} onChange={() => setEdited(schedule)} />
                  ))}
                </List>
              )
            }}
          </Loaded>
        )}
      </DialogContent>
      {edited === null && (
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          {subject && (
            <Button variant="contained" onClick={() => setEdited('new')}>
              Add schedule
            </Button>
          )}
        </DialogActions>
      )}
    </Dialog>
  )
}

const nameOf = ({ reportDesc, reportCode, smartName }: Schedule) => smartName ?? reportDesc ?? reportCode ?? ''

/** '2 people, 1 role and 1 address'. */
const receiversOf = ({ userIds, roleCodes, emails }: Schedule): string =>
  [
    [userIds.length, 'person', 'people'] as const,
    [roleCodes.length, 'role', 'roles'] as const,
    [emails.length, 'address', 'addresses'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
    .join(', ')

const ScheduleItem = ({ schedule, onChange }: { schedule: Schedule; onChange: () => void }) => {
  const { id, every, at, nextDate, tz, sendAs } = schedule
  const [isBusy, whileBusy] = useBusy()
  const send = useSave(scheduleRoutes.send, { isImmediate: true })
  const remove = useSave(scheduleRoutes.remove, { isImmediate: true })
  const name = nameOf(schedule)
  return (
    <li>
      <b>{name}</b>
      <span className="when">
        Every {scheduleIntervals[every].toLowerCase()} at {at}, {sendAs === 'LINK' ? 'as a link' : `as ${sendAs}`}, to{' '}
        {receiversOf(schedule)}. Next: <Timestamp at={nextDate} zone={tz} />
      </span>
      <span className="act">
        <ActionButton
          isBusy={isBusy}
          aria-label={`Send ${name} now`}
          onClick={() => whileBusy(() => send({ params: { id } }))}
        >
          Send now
        </ActionButton>
        <Button aria-label={`Change the schedule of ${name}`} onClick={onChange}>
          Change
        </Button>
        <ActionButton
          isBusy={isBusy}
          aria-label={`Delete the schedule of ${name}`}
          onClick={() => whileBusy(() => remove({ params: { id } }))}
        >
          Delete
        </ActionButton>
      </span>
    </li>
  )
}
