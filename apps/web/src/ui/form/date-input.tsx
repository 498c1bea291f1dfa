import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { DateBox, LazyCalendar } from './date-box.tsx'
import { birthDateMin, readDate, showDate, typeDate } from './date-text.ts'
import type { FieldInputProps } from './field-types.ts'

const asDay = (limit: number | string | undefined) => (typeof limit === 'string' ? limit : undefined)

/** A date, MM/DD/YYYY. The value is YYYY-MM-DD once it is valid, until then the typed text, which validation refuses. */
export const DateInput = ({ field, value, onChange, onBlur, error, disabled, inputRef }: FieldInputProps) => {
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
          min={asDay(field.min)}
          max={asDay(field.max)}
          startsWithYears={field.min === birthDateMin()}
          onPick={(day) => {
            onChange(day)
            close()
          }}
        />
      )}
    />
  )
}
