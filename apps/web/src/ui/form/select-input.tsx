import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { useId, useState } from 'react'
import { takeBackAfterScan } from '../../lib/scanner.ts'
import { messageId } from '../field.tsx'
import type { FieldInputProps } from './field-types.ts'
import { GroupField, labelId } from './group-field.tsx'
import { LoadFailure } from './load-failure.tsx'
import {
  menuProps,
  OptionText,
  optionOfKey,
  optionOfLetter,
  Placeholder,
  SelectChevron,
  selectSx,
} from './select-parts.tsx'
import { useFieldOptions } from './use-field-options.ts'
import { usePopupContainer } from './use-popup-container.ts'

/** A single choice. An option's `shortKeyCode` picks it while the select has the focus, open or closed. */
export const SelectInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, isBusy = false, values, placeholder, inputRef } = props
  const id = useId()
  const { ref, layer } = usePopupContainer()
  const [isOpen, setOpen] = useState(false)
  const { options, isLoading, isWaiting, error: failure, retry } = useFieldOptions(field, values)
  const chosen = options.find((option) => option.value === value)
  const pickByKey = (event: React.KeyboardEvent) => {
    const isReady = !(disabled || isBusy)
    const option = isReady
      ? (optionOfKey(options, event) ?? (isOpen ? undefined : optionOfLetter(options, event, chosen)))
      : undefined
    if (!option) return
    // Otherwise the list would jump to the first option with this letter.
    event.preventDefault()
    event.stopPropagation()
    setOpen(false)
    onChange(option.value)
    takeBackAfterScan(() => onChange(value ?? ''))
  }
  return (
    <GroupField
      id={id}
      label={field.shortLabel ?? field.label}
      error={error}
      hint={field.hint}
      required={field.isRequired}
    >
      {failure ? (
        <LoadFailure onRetry={retry} />
      ) : (
        <Select
          ref={ref}
          name={field.name}
          value={chosen ? chosen.value : ''}
          displayEmpty
          disabled={disabled || isWaiting}
          readOnly={isBusy}
          open={isOpen}
          onOpen={() => setOpen(true)}
          onClose={() => setOpen(false)}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
          onKeyDown={pickByKey}
          inputRef={inputRef}
          IconComponent={SelectChevron}
          renderValue={() =>
            chosen?.label ??
            (isLoading && value ? (
              'Loading'
            ) : (
              <Placeholder>{isWaiting ? (field.waitingHint ?? placeholder) : placeholder}</Placeholder>
            ))
          }
          SelectDisplayProps={{
            ...(isBusy && { 'aria-busy': true, 'aria-disabled': true }),
            ...(field.shortLabel ? { 'aria-label': field.label } : { 'aria-labelledby': labelId(id) }),
            'aria-describedby': (error ?? field.hint) === undefined ? undefined : messageId(id),
            'aria-invalid': error !== undefined,
            'aria-required': field.isRequired,
          }}
          MenuProps={{
            ...menuProps,
            container: layer,
            slotProps: { ...menuProps.slotProps, list: { onKeyDown: pickByKey, 'aria-labelledby': labelId(id) } },
          }}
          sx={selectSx}
        >
          {!field.isRequired && (
            <MenuItem value="" aria-label={placeholder ?? 'None'}>
              {placeholder ?? '\u00A0'}
            </MenuItem>
          )}
          {options.map((option) => (
            <MenuItem key={option.value} value={option.value}>
              <OptionText option={option} />
            </MenuItem>
          ))}
        </Select>
      )}
    </GroupField>
  )
}
