import { formatDateRange, parseDateRange, relativeDays } from '@lis/contract/kit/date-range.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { DateBox, LazyCalendar } from './date-box.tsx'
import { readRange, showDate, showRange, showRelative } from './date-text.ts'
import type { FieldInputProps } from './field-types.ts'

const Words = styled('div')({ display: 'flex', gap: 8, padding: '12px 16px 0' })
const Step = styled('p')({ padding: '12px 16px 0', color: 'var(--text-2)', fontWeight: 600 })

/** A date range. The value is '[MM/DD/YYYY-MM/DD/YYYY]'; the brackets are not shown. Or words that move with the calendar: 'today'. */
export const DateRangeInput = ({ field, value, onChange, onBlur, error, disabled, inputRef }: FieldInputProps) => {
  const text = typeof value === 'string' ? showRange(value) : ''
  return (
    <DateBox
      name={field.name}
      label={field.label}
      required={field.isRequired}
      hint={field.hint}
      error={error}
      disabled={disabled}
      value={text}
      onChange={(event) => onChange(readRange(event.target.value))}
      onBlur={onBlur}
      ref={inputRef}
      placeholder="MM/DD/YYYY-MM/DD/YYYY"
      calendar={(close) => (
        <RangeCalendar
          value={typeof value === 'string' ? value : ''}
          onPick={(range) => {
            onChange(range)
            close()
          }}
        />
      )}
    />
  )
}

/** Words for days that move with the calendar, or two calendars in sequence: the first day, then the last. */
const RangeCalendar = ({ value, onPick }: { value: string; onPick: (range: string) => void }) => {
  const known = parseDateRange(value)
  const [from, setFrom] = useState<string | null>(null)
  return from === null ? (
    <>
      <Words>
        {relativeDays.map((words) => (
          <Button key={words} onClick={() => onPick(words)}>
            {showRelative(words)}
          </Button>
        ))}
      </Words>
      <Step>First day</Step>
      <LazyCalendar key="from" value={known?.from ?? ''} onPick={setFrom} />
    </>
  ) : (
    <>
      <Step>Last day, from {showDate(from)}</Step>
      <LazyCalendar
        key="to"
        value={known && known.to >= from ? known.to : ''}
        min={from}
        onPick={(to) => onPick(formatDateRange({ from, to }))}
      />
    </>
  )
}
