import { useEffect, useRef, useState } from 'react'
import { isFocusLost } from '../keep-focus.ts'
import type { FieldDef } from './field-types.ts'
import { visibleFields } from './form-values.ts'
import type { RecordFormState } from './use-record-form.ts'

/** Focuses the first field when a form is opened. */
export const useFocusFirstField = (
  { form, role }: Pick<RecordFormState, 'form' | 'role'>,
  fields: readonly FieldDef[],
  isOpened = true,
) => {
  const start = useRef(() => {
    const first = visibleFields(fields, form.getValues(), role).find(({ isDisabled }) => !isDisabled)
    if (isOpened && first && isFocusLost()) form.setFocus(first.name)
  })
  useEffect(() => start.current(), [])
}

/** A form in place of the button that opens it: when it closes, the focus returns to the button, which takes `ref`. */
export const useInlineForm = () => {
  const [isOpen, setOpen] = useState(false)
  const ref = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) ref.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false), ref }
}
