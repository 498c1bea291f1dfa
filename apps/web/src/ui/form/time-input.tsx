import Autocomplete from '@mui/material/Autocomplete'
import { useId } from 'react'
import { Field } from '../field.tsx'
import { ChevronDownIcon } from '../icons.tsx'
import { ComboBox, comboSlotProps, comboSx, popperProps } from './combo-box.tsx'
import { quarterHours, readTime } from './date-text.ts'
import type { FieldInputProps } from './field-types.ts'
import { usePopupContainer } from './use-popup-container.ts'

/** HH:mm: chosen in steps of 15 minutes, or typed to the minute. */
export const TimeInput = ({ field, value, onChange, onBlur, error, disabled, inputRef }: FieldInputProps) => {
  const id = useId()
  const { ref, layer } = usePopupContainer()
  const text = typeof value === 'string' ? value : ''
  return (
    <Field id={id} label={field.label} error={error} hint={field.hint} required={field.isRequired}>
      <Autocomplete
        ref={ref}
        id={id}
        freeSolo
        forcePopupIcon
        disableClearable
        options={quarterHours}
        value={text}
        inputValue={text}
        onInputChange={(_, next, reason) => reason !== 'reset' && onChange(next)}
        onChange={(_, next) => onChange(next)}
        onBlur={() => {
          onChange(readTime(text))
          onBlur?.()
        }}
        // Typing shows the quarter hours of the typed hour.
        filterOptions={(options) => options.filter((option) => !text || option.startsWith(readTime(text).slice(0, 2)))}
        disabled={disabled ?? false}
        popupIcon={<ChevronDownIcon />}
        slotProps={{ ...comboSlotProps, popper: popperProps(layer) }}
        sx={comboSx}
        renderInput={(input) => (
          <ComboBox
            params={input}
            name={field.name}
            placeholder="HH:mm"
            isDescribed={(error ?? field.hint) !== undefined}
            inputRef={inputRef}
          />
        )}
      />
    </Field>
  )
}
