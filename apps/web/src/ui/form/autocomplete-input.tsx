import type { Option } from '@lis/contract/lookups.ts'
import Autocomplete from '@mui/material/Autocomplete'
import { useEffect, useId, useRef, useState } from 'react'
import { takeBackAfterScan } from '../../lib/scanner.ts'
import { useChosenOption, useLookupSearch } from '../../lib/use-lookup.ts'
import { Field } from '../field.tsx'
import { ChevronDownIcon, CloseIcon } from '../icons.tsx'
import { ComboBox, comboSlotProps, comboSx, popperProps } from './combo-box.tsx'
import type { FieldInputProps } from './field-types.ts'
import { goOnAfterChoice } from './form-keys.ts'
import { LoadFailure } from './load-failure.tsx'
import { lookupOf } from './use-field-options.ts'
import { usePopupContainer } from './use-popup-container.ts'

const keepAll = (options: readonly Option[]) => [...options]

/** A single choice from a long list, searched on the server once typing pauses. */
export const AutocompleteInput = (props: FieldInputProps) => {
  const { field, value, onChange, onBlur, error, disabled, values = {}, placeholder, inputRef } = props
  const id = useId()
  const { ref, layer } = usePopupContainer()
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [picked, setPicked] = useState<Option | null>(null)
  const { lookup, params } = lookupOf(field, values)
  const isWaiting = lookup !== undefined && params === null
  const shownPlaceholder = isWaiting ? (field.waitingHint ?? placeholder) : placeholder
  const key = typeof value === 'string' || typeof value === 'number' ? value : null
  const isPicked = picked !== null && picked.value === key
  const stored = useChosenOption(isPicked ? undefined : lookup, params, key)
  const ownOptions = field.options ?? [field.keptOption?.(values) ?? []].flat()
  const ownOption = ownOptions.find((option) => option.value === key) ?? null
  const chosen = key === null || key === '' ? null : isPicked ? picked : (stored ?? ownOption)
  // The label of the chosen option is not a search: reopening the list shows its beginning.
  const search = typed === chosen?.label ? '' : typed
  const found = useLookupSearch(lookup, params, search, isOpen)
  const options = field.options ?? found.options
  const choose = (option: Option | null) => {
    setPicked(option)
    onChange(option?.value ?? '')
  }
  const isEnterWaiting = useRef(false)
  const [first] = options
  useEffect(() => {
    if (!isEnterWaiting.current || found.isLoading) return
    isEnterWaiting.current = false
    if (!first) return
    setPicked(first)
    setTyped(first.label)
    onChange(first.value)
    setOpen(false)
    goOnAfterChoice(document.getElementById(id))
  })
  return (
    <Field id={id} label={field.label} error={error} hint={field.hint} required={field.isRequired}>
      <Autocomplete
        ref={ref}
        id={id}
        open={isOpen}
        onOpen={() => {
          setOpen(true)
          // Or the next Enter would take what is marked in a list that a scan has opened.
          takeBackAfterScan(() => setOpen(false))
        }}
        onClose={() => setOpen(false)}
        value={chosen}
        onChange={(_, option) => choose(option)}
        inputValue={typed}
        onInputChange={(_, text) => setTyped(text)}
        options={keepAll(options)}
        // A searched list is already filtered; a short one is filtered here.
        {...(found.isSearched && { filterOptions: keepAll })}
        isOptionEqualToValue={(one, other) => one.value === other.value}
        getOptionLabel={(option) => option.label}
        getOptionKey={(option) => option.value}
        loading={found.isLoading}
        loadingText="Searching"
        noOptionsText={found.error ? <LoadFailure onRetry={found.retry} /> : 'Nothing found'}
        disabled={disabled ?? isWaiting}
        onKeyDown={(event) => {
          // Enter while the list is still searched takes its first option as soon as it is there.
          isEnterWaiting.current = event.key === 'Enter' && isOpen && found.isLoading && options.length === 0
        }}
        onBlur={() => {
          isEnterWaiting.current = false
          onBlur?.()
        }}
        autoHighlight
        popupIcon={<ChevronDownIcon />}
        clearIcon={<CloseIcon size={14} />}
        slotProps={{ ...comboSlotProps, popper: popperProps(layer) }}
        sx={comboSx}
        renderInput={(input) => (
          <ComboBox
            params={input}
            name={field.name}
            isBusy={isOpen && found.isLoading}
            {...(shownPlaceholder && { placeholder: shownPlaceholder })}
            isDescribed={(error ?? field.hint) !== undefined}
            inputRef={inputRef}
          />
        )}
      />
    </Field>
  )
}
