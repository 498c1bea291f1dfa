import type { Option } from '@lis/contract/lookups.ts'
import Autocomplete from '@mui/material/Autocomplete'
import { useId, useRef, useState } from 'react'
import { takeBackAfterScan } from '../../lib/scanner.ts'
import { useChosenOptions, useLookupSearch } from '../../lib/use-lookup.ts'
import { Field } from '../field.tsx'
import { ChevronDownIcon, CloseIcon } from '../icons.tsx'
import { ComboBox, comboSlotProps, comboSx, popperProps } from './combo-box.tsx'
import type { FieldInputProps } from './field-types.ts'
import { LoadFailure } from './load-failure.tsx'
import { lookupOf } from './use-field-options.ts'
import { usePopupContainer } from './use-popup-container.ts'

const keepAll = (options: readonly Option[]) => [...options]

/** Returns the same array while the same options are chosen: MUI clears the typed text when it changes. */
const useStableOptions = (options: Option[]): Option[] => {
  const last = useRef(options)
  const isSame =
    options.length === last.current.length &&
    options.every(({ value, label }, place) => {
      const before = last.current[place]
      return before?.value === value && before.label === label
    })
  if (!isSame) last.current = options
  return last.current
}

/** Several choices from a list of any length, in the order chosen; long lists are searched on the server. */
export const LookupMultiInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, values = {}, placeholder, inputRef } = props
  const id = useId()
  const { ref, layer } = usePopupContainer()
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [picked, setPicked] = useState<readonly Option[]>([])
  const { lookup, params } = lookupOf(field, values)
  const keys: (string | number)[] = Array.isArray(value) ? value : []
  const known = [...(field.options ?? []), ...picked]
  const stored = useChosenOptions(
    lookup,
    params,
    keys.filter((key) => !known.some((option) => option.value === key)),
  )
  const all = [...known, ...stored]
  const chosen = useStableOptions(
    keys.map((key) => all.find((option) => option.value === key) ?? { value: key, label: `#${key}` }),
  )
  const found = useLookupSearch(lookup, params, typed, isOpen)
  return (
    <Field id={id} label={field.label} error={error} hint={field.hint} required={field.isRequired}>
      <Autocomplete
        ref={ref}
        id={id}
        multiple
        open={isOpen}
        onOpen={() => {
          setOpen(true)
          // Or the next Enter would take what is marked in a list that a scan has opened.
          takeBackAfterScan(() => setOpen(false))
        }}
        onClose={() => setOpen(false)}
        value={chosen}
        onChange={(_, options) => {
          setPicked(options)
          onChange(options.map((option) => option.value))
        }}
        inputValue={typed}
        onInputChange={(_, text) => setTyped(text)}
        options={keepAll(field.options ?? found.options)}
        {...(found.isSearched && { filterOptions: keepAll })}
        filterSelectedOptions
        data-several={!field.closesOnChoice || typed !== '' || undefined}
        disableCloseOnSelect={!field.closesOnChoice}
        isOptionEqualToValue={(one, other) => one.value === other.value}
        getOptionLabel={(option) => option.label}
        getOptionKey={(option) => option.value}
        loading={found.isLoading}
        loadingText="Searching"
        noOptionsText={found.error ? <LoadFailure onRetry={found.retry} /> : 'Nothing found'}
        disabled={disabled ?? (lookup !== undefined && params === null)}
        onBlur={onBlur}
        autoHighlight
        popupIcon={<ChevronDownIcon />}
        clearIcon={<CloseIcon size={14} />}
        slotProps={{
          ...comboSlotProps,
          popper: popperProps(layer),
          chip: { size: 'small', deleteIcon: <CloseIcon size={12} />, sx: chipSx },
        }}
        sx={multiSx}
        renderInput={(input) => (
          <ComboBox
            params={input}
            name={field.name}
            {...(placeholder && chosen.length === 0 && { placeholder })}
            isBusy={isOpen && found.isLoading}
            isDescribed={(error ?? field.hint) !== undefined}
            inputRef={inputRef}
          />
        )}
      />
    </Field>
  )
}

// Grows by a line at a time.
const multiSx = {
  ...comboSx,
  '&& .MuiOutlinedInput-root': {
    height: 'auto',
    minHeight: { xs: 'var(--touch)', sm: 'var(--control)' },
    flexWrap: 'wrap',
    gap: '3px',
    padding: '2px 54px 2px 5px',
  },
  '&& .MuiAutocomplete-input': { height: 20, minWidth: 40, padding: '0 4px' },
} as const
const chipSx = {
  margin: '0 !important',
  maxWidth: '100%',
  height: 20,
  borderRadius: 'var(--r-xs)',
  background: 'var(--n-100)',
  color: 'var(--text)',
  '& .MuiChip-label': { padding: '0 4px 0 6px' },
  '& .MuiChip-deleteIcon': { margin: '0 4px 0 0', color: 'var(--text-3)', '&:hover': { color: 'var(--text)' } },
} as const
