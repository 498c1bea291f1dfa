import { AdapterLuxon } from '@mui/x-date-pickers/AdapterLuxon'
import { DateCalendar } from '@mui/x-date-pickers/DateCalendar'
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider'
import { DateTime } from 'luxon'

interface CalendarProps {
  /** YYYY-MM-DD, or '' for none. */
  value: string
  min?: string | undefined
  max?: string | undefined
  /** For birth dates: shows the years first. */
  startsWithYears?: boolean
  onPick: (day: string) => void
}

const dayOf = (text: string | undefined) => {
  const day = text ? DateTime.fromISO(text) : null
  return day?.isValid ? day : null
}

/** A date picker; its heading opens the years. In its own chunk, because few forms need it. */
export const Calendar = ({ value, min, max, startsWithYears = false, onPick }: CalendarProps) => {
  const minDate = dayOf(min)
  const maxDate = dayOf(max)
  return (
    <LocalizationProvider dateAdapter={AdapterLuxon} adapterLocale="en-US">
      <DateCalendar
        autoFocus
        value={dayOf(value)}
        views={['year', 'day']}
        openTo={startsWithYears && value === '' ? 'year' : 'day'}
        {...(minDate && { minDate })}
        {...(maxDate && { maxDate })}
        yearsOrder={startsWithYears ? 'desc' : 'asc'}
        reduceAnimations
        onChange={(day, state) => {
          if (day?.isValid && state === 'finish') onPick(day.toISODate() ?? '')
        }}
        sx={{ width: 288, height: 'auto', maxHeight: 312, margin: 0, '& .MuiYearCalendar-root': { width: '100%' } }}
      />
    </LocalizationProvider>
  )
}
