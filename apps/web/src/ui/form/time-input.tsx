import Autocomplete from '@mui/material/Autocomplete'
import { useId } from 'react'
import { Field } from '../field.tsx'
import { ChevronDownIcon } from '../icons.tsx'
import { ComboBox, comboSlotProps, comboSx, popperIn } from './combo-parts.tsx'
import { quarterHours, readTime } from './date-text.ts'
import type { FieldInputProps } from './field-types.ts'
import { useLayer } from './use-layer.ts'

/** HH:mm: chosen in steps of a quarter of an hour, or typed to the minute. */
export const TimeInput = ({ field, value, onChange, onBlur, error, disabled, inputRef }: FieldInputProps) => {
  const id = useId()
  const { ref, layer } = useLayer()
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
        // What is typed shows the quarters of its hour.
        filterOptions={(options) => options.filter((option) => !text || option.startsWith(readTime(text).slice(0, 2)))}
        disabled={disabled ?? false}
        popupIcon={<ChevronDownIcon />}
        slotProps={{ ...comboSlotProps, popper: popperIn(layer) }}
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
