import type { AutocompleteRenderInputParams } from '@mui/material/Autocomplete'
import OutlinedInput from '@mui/material/OutlinedInput'
import type { Ref } from 'react'
import { messageId } from '../field.tsx'
import { Spinner } from '../spinner.tsx'

/** MUI's paddings for an autocomplete are made for taller fields. */
export const comboSx = {
  '&& .MuiOutlinedInput-root': { padding: '0 34px 0 9px' },
  '&&.MuiAutocomplete-hasClearIcon .MuiOutlinedInput-root': { paddingRight: '54px' },
  '&& .MuiAutocomplete-input': { padding: 0, minWidth: 20 },
  '& .MuiAutocomplete-endAdornment': { top: '50%', right: '4px', transform: 'translateY(-50%)', display: 'flex' },
  '& .MuiAutocomplete-popupIndicator, & .MuiAutocomplete-clearIndicator': {
    width: 24,
    height: 24,
    color: 'var(--text-3)',
  },
} as const

export const comboSlotProps = {
  paper: {
    sx: {
      border: '1px solid var(--line)',
      borderRadius: 'var(--r-md)',
      boxShadow: 'var(--shadow-2)',
      fontSize: 12,
      mt: 1,
    },
  },
  listbox: {
    sx: {
      padding: 1,
      maxHeight: 320,
      '& .MuiAutocomplete-option.MuiAutocomplete-option': {
        minHeight: { xs: 44, sm: 32 },
        padding: '0 12px',
        borderRadius: 'var(--r-sm)',
        '&.Mui-focused': { background: 'var(--n-100)' },
        '&[aria-selected="true"]': { background: 'var(--p-100)', color: 'var(--p)', fontWeight: 600 },
      },
    },
  },
} as const

/** Fixed, because a small dialog would cut off a list that extends beyond its edge. */
export const popperProps = (layer: Element | null) =>
  ({ container: layer, popperOptions: { strategy: 'fixed' } }) as const

interface ComboBoxProps {
  params: AutocompleteRenderInputParams
  name: string
  isBusy?: boolean
  placeholder?: string
  isDescribed: boolean
  inputRef?: Ref<HTMLInputElement> | undefined
}

/** The text box of an autocomplete, styled like every other field. */
export const ComboBox = ({ params, name, isBusy = false, placeholder, isDescribed, inputRef }: ComboBoxProps) => {
  const { ref, ...frame } = params.slotProps.input
  const { ref: ownRef, ...input } = params.slotProps.htmlInput as typeof params.slotProps.htmlInput & {
    ref: React.RefObject<HTMLInputElement | null>
  }
  const setRef = (element: HTMLInputElement | null) => {
    ownRef.current = element
    if (typeof inputRef === 'function') inputRef(element)
    else if (inputRef) inputRef.current = element
  }
  return (
    <OutlinedInput
      {...frame}
      ref={ref}
      id={params.id}
      fullWidth
      disabled={params.disabled}
      inputRef={setRef}
      name={name}
      placeholder={placeholder}
      startAdornment={
        <>
          {/* The chosen options, where several can be chosen. */}
          {frame.startAdornment}
          {isBusy && <Spinner sx={{ color: 'var(--p)' }} />}
        </>
      }
      slotProps={{
        input: { ...input, 'aria-describedby': isDescribed ? messageId(params.id) : undefined, spellCheck: false },
      }}
    />
  )
}
