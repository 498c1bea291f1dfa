import { memo, useCallback } from 'react'
import { FieldInput } from '../form/field-input.tsx'
import type { FieldDef, Values } from '../form/field-types.ts'

interface FilterFieldProps {
  field: FieldDef
  value: unknown
  /** Only for fields that depend on others: whoever gets them is drawn again at each key. */
  values?: Values | undefined
  onChange: (field: FieldDef, value: unknown) => void
  error?: string | undefined
  className?: string | undefined
}

/** One field of the form; the others are not drawn again while somebody types in it. */
export const FilterField = memo(({ field, value, values, onChange, error, className }: FilterFieldProps) => {
  const change = useCallback((next: unknown) => onChange(field, next), [field, onChange])
  return (
    <div className={className}>
      <FieldInput field={field} value={value} values={values} onChange={change} error={error} placeholder="Any" />
    </div>
  )
})
