import { styled } from '@mui/material/styles'
import { TextField } from '../text-field.tsx'
import { SelectInput } from './select-input.tsx'

const Row = styled('div')({ display: 'flex', alignItems: 'flex-start', gap: 8, minWidth: 0 })

interface PartsProps<Name extends string> {
  values: Partial<Record<Name, unknown>>
  errors?: Partial<Record<Name, string | undefined>>
  onChange: (name: Name, value: string) => void
  onBlur?: (name: Name) => void
  /** Before the first label: 'DOB' gives 'DOB Month', 'Day', 'Year'. */
  prefix?: string
  isRequired?: boolean
  disabled?: boolean
}

interface Part<Name extends string> {
  name: Name
  label: string
  digits: number
  grow: number
}

const Parts = <Name extends string>({ parts, ...props }: PartsProps<Name> & { parts: readonly Part<Name>[] }) =>
  parts.map(({ name, label, digits, grow }, index) => (
    <div key={name} style={{ flex: `${grow} 1 0`, minWidth: 0 }}>
      <TextField
        name={name}
        label={index === 0 && props.prefix ? `${props.prefix} ${label}` : label}
        required={props.isRequired}
        disabled={props.disabled ?? false}
        error={props.errors?.[name]}
        value={String(props.values[name] ?? '')}
        onChange={(event) => props.onChange(name, event.target.value)}
        onBlur={() => props.onBlur?.(name)}
        autoComplete="off"
        slotProps={{ input: { inputMode: 'numeric', maxLength: digits } }}
      />
    </div>
  ))

const dateParts = [
  { name: 'month', label: 'Month', digits: 2, grow: 3 },
  { name: 'day', label: 'Day', digits: 2, grow: 2 },
  { name: 'year', label: 'Year', digits: 4, grow: 3 },
] as const
export type DatePart = (typeof dateParts)[number]['name']

/** A date in three fields, each with its own message (`monthPart`, `dayPart`, `yearPart` of the contract check them). */
export const DatePartsInput = (props: PartsProps<DatePart>) => (
  <Row>
    <Parts {...props} parts={dateParts} />
  </Row>
)

const timeParts = [
  { name: 'hours', label: 'Hours', digits: 2, grow: 1 },
  { name: 'minutes', label: 'Minutes', digits: 2, grow: 1 },
] as const
export type TimePart = (typeof timeParts)[number]['name'] | 'half'

const halves = [
  { value: 'AM', label: 'AM', shortKeyCode: 'A' },
  { value: 'PM', label: 'PM', shortKeyCode: 'P' },
]

/** A time of day in three fields (`hoursPart`, `minutesPart`); A and P pick the half while it has the focus. */
export const TimePartsInput = (props: PartsProps<TimePart>) => (
  <Row>
    <Parts {...props} parts={timeParts} />
    <div style={{ flex: '1 1 0', minWidth: 64 }}>
      <SelectInput
        field={{ name: 'half', label: 'AM/PM', kind: 'select', options: halves, isRequired: props.isRequired ?? false }}
        value={props.values.half ?? ''}
        onChange={(value) => props.onChange('half', String(value))}
        onBlur={() => props.onBlur?.('half')}
        error={props.errors?.half}
        disabled={props.disabled}
      />
    </div>
  </Row>
)
