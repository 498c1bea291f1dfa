import { useChosenOption, useChosenOptions } from '../../lib/use-lookup.ts'
import { showDate, showRange } from './date-text.ts'
import type { FieldDef, Values } from './field-types.ts'
import { lookupOf, useFieldOptions } from './use-field-options.ts'

interface FieldTextProps {
  field: FieldDef
  value: unknown
  values?: Values
}

/** A field's value as text. */
export const FieldText = (props: FieldTextProps) => {
  const { field, value } = props
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '–'
  if (field.kind === 'singleCheckbox') return value === 1 ? 'Yes' : 'No'
  if (field.kind === 'date') return showDate(String(value))
  if (field.kind === 'dateRange') return showRange(String(value))
  if (field.kind === 'autocomplete') return <SearchedText {...props} />
  if (field.kind === 'lookupMultiSelect') return <SearchedTexts {...props} />
  return field.options || field.lookup || field.kind.endsWith('MultiSelect') ? (
    <OptionTexts {...props} />
  ) : (
    String(value)
  )
}

const OptionTexts = ({ field, value, values }: FieldTextProps) => {
  const { options } = useFieldOptions(field, values)
  const chosen = Array.isArray(value) ? value : [value]
  return chosen.map((one) => options.find((option) => option.value === one)?.label ?? String(one)).join(', ')
}

const SearchedText = ({ field, value, values = {} }: FieldTextProps) => {
  const { lookup, params } = lookupOf(field, values)
  const key = typeof value === 'number' ? value : String(value)
  const found = useChosenOption(lookup, params, key)
  return found?.label ?? field.options?.find((option) => option.value === value)?.label ?? String(value)
}

const SearchedTexts = ({ field, value, values = {} }: FieldTextProps) => {
  const { lookup, params } = lookupOf(field, values)
  const chosen = (Array.isArray(value) ? value : []) as (string | number)[]
  const options = [...(field.options ?? []), ...useChosenOptions(lookup, params, chosen)]
  return chosen.map((one) => options.find((option) => option.value === one)?.label ?? `#${one}`).join(', ')
}
