import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { useZone } from '../timestamp.tsx'
import { DateBox, LazyCalendar } from './date-box.tsx'
import { birthDateMin, readDate, showDate, typeDate } from './date-text.ts'
import type { FieldInputProps } from './field-types.ts'

/** A date, MM/DD/YYYY. The value is YYYY-MM-DD once it is valid, until then the typed text, which validation refuses. */
export const DateInput = ({ field, value, onChange, onBlur, error, disabled, inputRef }: FieldInputProps) => {
  const today = dayAt(Date.now(), useZone())
  const text = typeof value === 'string' ? showDate(value) : ''
  return (
    <DateBox
      name={field.name}
      label={field.label}
      required={field.isRequired}
      hint={field.hint}
      error={error}
      disabled={disabled}
      value={text}
      onChange={(event) => onChange(readDate(typeDate(event.target.value, text)))}
      onBlur={onBlur}
      ref={inputRef}
      placeholder="MM/DD/YYYY"
      calendar={(close) => (
        <LazyCalendar
          value={typeof value === 'string' && isIsoDate(value) ? value : ''}
          {...(field.isBirthDate && { min: birthDateMin(), max: today, startsWithYears: true })}
          onPick={(day) => {
            onChange(day)
            close()
          }}
        />
      )}
    />
  )
}
