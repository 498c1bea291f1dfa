import { useEffect } from 'react'
import { AutocompleteInput } from './autocomplete-input.tsx'
import { CheckboxInput, RadioInput, SingleCheckboxInput } from './choice-input.tsx'
import { DateInput } from './date-input.tsx'
import { DateRangeInput } from './date-range-input.tsx'
import type { FieldInputProps, FieldKind } from './field-types.ts'
import { LookupMultiInput } from './lookup-multi-input.tsx'
import { MultiSelectInput } from './multi-select-input.tsx'
import { SelectInput } from './select-input.tsx'
import { CodeTextInput, MultilineInput, NumberInput, PasswordInput, PhoneInput, TextInput } from './text-input.tsx'
import { TimeInput } from './time-input.tsx'

const inputs: Record<Exclude<FieldKind, 'custom'>, (props: FieldInputProps) => React.ReactNode> = {
  phone: PhoneInput,
  radio: RadioInput,
  checkbox: CheckboxInput,
  singleCheckbox: SingleCheckboxInput,
  select: SelectInput,
  reqPassCodeMultiSelect: MultiSelectInput,
  testPassCodeMultiSelect: MultiSelectInput,
  testFailCodeMultiSelect: MultiSelectInput,
  lookupMultiSelect: LookupMultiInput,
  password: PasswordInput,
  text: TextInput,
  number: NumberInput,
  input: CodeTextInput,
  multiline: MultilineInput,
  autocomplete: AutocompleteInput,
  dateRange: DateRangeInput,
  date: DateInput,
  time: TimeInput,
}

/** The input of a field, by its kind: label, control, message. Controlled, so that it works in forms, filters and cells. */
export const FieldInput = (props: FieldInputProps) => {
  const { field } = props
  if (field.kind === 'custom') return field.render ? field.render(props) : <UnknownField field={field.name} />
  const Input = inputs[field.kind]
  return Input ? <Input {...props} /> : <UnknownField field={field.name} />
}

/** An unknown field kind is a bug; the rest of the form still works (TABLE-092). */
const UnknownField = ({ field }: { field: string }) => {
  useEffect(() => console.error(`No input for the field ${field}`), [field])
  return null
}
