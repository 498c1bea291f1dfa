import { memo, useCallback } from 'react'
import { FieldInput } from '../form/field-input.tsx'
import type { FieldDef, Values } from '../form/field-types.ts'

interface FilterFieldProps {
  field: FieldDef
  value: unknown
  /** Only for fields that depend on others: passing it re-renders the field on every key press. */
  values?: Values | undefined
  onChange: (field: FieldDef, value: unknown) => void
  error?: string | undefined
  className?: string | undefined
}

/** One field of the form; memoized, because typing in another field must not re-render it. */
export const FilterField = memo(({ field, value, values, onChange, error, className }: FilterFieldProps) => {
  const change = useCallback((next: unknown) => onChange(field, next), [field, onChange])
  return (
    <div className={className}>
      <FieldInput field={field} value={value} values={values} onChange={change} error={error} placeholder="Any" />
    </div>
  )
})
