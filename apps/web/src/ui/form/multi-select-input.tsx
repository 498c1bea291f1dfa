import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { useId } from 'react'
import { messageId } from '../field.tsx'
import type { FieldInputProps } from './field-types.ts'
import { GroupField, labelId } from './group-field.tsx'
import { LoadFailure } from './load-failure.tsx'
import { menuProps, multiSelectWidth, Placeholder, SelectChevron, selectSx } from './select-parts.tsx'
import { CheckMark } from './toggles.tsx'
import { useFieldOptions } from './use-field-options.ts'
import { usePopupContainer } from './use-popup-container.ts'

/** Pass and fail codes: several choices, 150 px wide, showing only the codes when closed. */
export const MultiSelectInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, values, placeholder, inputRef } = props
  const id = useId()
  const { ref, layer } = usePopupContainer()
  const { options, isLoading, error: failure, retry } = useFieldOptions(field, values)
  const chosen = Array.isArray(value) ? value : []
  const codes = options.filter((option) => chosen.includes(option.value)).map(({ label }) => label.split(' ')[0])
  return (
    <GroupField id={id} label={field.label} error={error} hint={field.hint} required={field.isRequired}>
      {failure ? (
        <LoadFailure onRetry={retry} />
      ) : (
        <Select
          ref={ref}
          multiple
          name={field.name}
          // A chosen option that is no longer offered stays chosen.
          value={chosen}
          displayEmpty
          disabled={disabled ?? false}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
          inputRef={inputRef}
          IconComponent={SelectChevron}
          renderValue={() => {
            if (isLoading) return 'Loading'
            return codes.length > 0 ? codes.join(', ') : <Placeholder>{placeholder}</Placeholder>
          }}
          SelectDisplayProps={{
            'aria-labelledby': labelId(id),
            'aria-describedby': (error ?? field.hint) === undefined ? undefined : messageId(id),
            'aria-invalid': error !== undefined,
          }}
          MenuProps={{
            ...menuProps,
            container: layer,
            slotProps: { ...menuProps.slotProps, list: { 'aria-labelledby': labelId(id) } },
          }}
          sx={{ ...selectSx, width: multiSelectWidth, maxWidth: '100%' }}
        >
          {options.map((option) => (
            <MenuItem key={option.value} value={option.value} sx={{ gap: 2 }}>
              <CheckMark isOn={chosen.includes(option.value)} />
              {option.label}
            </MenuItem>
          ))}
        </Select>
      )}
    </GroupField>
  )
}
