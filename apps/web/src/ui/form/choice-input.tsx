import type { Option } from '@lis/contract/lookups.ts'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { messageId } from '../field.tsx'
import type { FieldInputProps } from './field-types.ts'
import { FieldMessage, GroupField, labelId } from './group-field.tsx'
import { LoadFailure } from './load-failure.tsx'
import { Checkbox, Radio } from './toggles.tsx'
import { useFieldOptions } from './use-field-options.ts'

const Choices = styled('div')({ display: 'flex', flexWrap: 'wrap', columnGap: 20, minHeight: 28 })
const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(200px, 100%), 1fr))',
  columnGap: 12,
})

const describedBy = (id: string, { error, field }: FieldInputProps) =>
  (error ?? field.hint) === undefined ? undefined : messageId(id)

/** A single choice, with all options visible. */
export const RadioInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, values, inputRef } = props
  const id = useId()
  const { options, error: failure, retry } = useFieldOptions(field, values)
  const chosen = options.findIndex((option) => option.value === value)
  return (
    <GroupField id={id} label={field.label} error={error} hint={field.hint} required={field.isRequired}>
      <Choices role="radiogroup" aria-labelledby={labelId(id)} aria-describedby={describedBy(id, props)}>
        {options.map((option, index) => (
          <Radio
            key={option.value}
            name={`${id}-${field.name}`}
            label={option.label}
            ref={index === Math.max(chosen, 0) ? inputRef : undefined}
            checked={index === chosen}
            disabled={disabled}
            aria-invalid={error !== undefined}
            onChange={() => onChange(option.value)}
            onBlur={onBlur}
          />
        ))}
        {failure && <LoadFailure onRetry={retry} />}
      </Choices>
    </GroupField>
  )
}

/** Several choices, with all options visible; the value lists the checked options in the order shown. */
export const CheckboxInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, values, inputRef } = props
  const id = useId()
  const { options, error: failure, retry } = useFieldOptions(field, values)
  const ticked = Array.isArray(value) ? value : []
  const toggle = (option: Option) =>
    onChange(options.filter((one) => (one === option) !== ticked.includes(one.value)).map((one) => one.value))
  return (
    <GroupField id={id} label={field.label} error={error} hint={field.hint} required={field.isRequired}>
      <Columns role="group" aria-labelledby={labelId(id)} aria-describedby={describedBy(id, props)}>
        {options.map((option, index) => (
          <Checkbox
            key={option.value}
            label={option.label}
            ref={index === 0 ? inputRef : undefined}
            checked={ticked.includes(option.value)}
            disabled={disabled}
            aria-invalid={error !== undefined}
            onChange={() => toggle(option)}
            onBlur={onBlur}
          />
        ))}
        {failure && <LoadFailure onRetry={retry} />}
      </Columns>
    </GroupField>
  )
}

// As high as the label of the neighbouring fields, to align the checkbox with them.
const AlignedRow = styled('div')(({ theme }) => ({ paddingTop: 18, [theme.breakpoints.down('sm')]: { paddingTop: 0 } }))

/** A yes/no value: 1 or 0. */
export const SingleCheckboxInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, inputRef } = props
  const id = useId()
  return (
    <AlignedRow>
      <Checkbox
        label={field.label}
        ref={inputRef}
        checked={value === 1}
        disabled={disabled}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, props)}
        onChange={(event) => onChange(event.target.checked ? 1 : 0)}
        onBlur={onBlur}
      />
      <FieldMessage id={id} error={error} hint={field.hint} />
    </AlignedRow>
  )
}
