import { useCallback, useId, useRef, useState } from 'react'
import { type FieldErrors, useForm } from 'react-hook-form'
import type { z } from 'zod'
import { ApiError } from '../../lib/api-error.ts'
import { useRole } from '../../lib/session.ts'
import { unsaved, useUnsaved } from '../../lib/unsaved.ts'
import { changeOf, type Difference, differencesOf, merge, type Side } from './conflict.ts'
import { createConversions } from './conversions.ts'
import type { FieldDef, Values } from './field-types.ts'
import { checkValues, clearedFields, initialValues, sortErrors, visibleFields } from './form-values.ts'
import { useFormDrafts } from './use-form-drafts.ts'

export interface RecordFormOptions<S extends z.ZodType> {
  schema: S
  fields: readonly FieldDef[]
  /** The stored record; undefined for a new one. */
  values?: Values | undefined
  /** The version of the stored record, for `ifMatch`. */
  version?: number | undefined
  /** Saves, or throws the server's error. `version` is the newest that the user has seen. */
  onSubmit: (values: z.output<S>, context: { version: number | undefined }) => Promise<unknown>
  draftKey?: string | undefined
  /** The draft of an earlier opening of this form, to continue. */
  draftId?: string | undefined
  /** A draft is about to fill the form, over other input or not: reset choices outside its fields. */
  onResume?: ((isOverTyped: boolean) => void) | undefined
  /** The form stays open for the next record: it is cleared after saving. */
  resetsAfterSave?: boolean | undefined
  /** The form stays open for the next record, which starts with these values; null when it does not. */
  nextValues?: (() => Values | null) | undefined
  /** What the user has seen of the record, if the form did not start from it; the base of a conflict. */
  seenValues?: (() => Values | null) | undefined
}

interface Conflict {
  differences: Difference[]
  changedBy: string | undefined
  /** ISO timestamp. */
  changedAt: string | undefined
  version: number | undefined
}

const savedAsDraftMessage = 'What you typed is not saved. It is kept as a draft: come back to this form to resume it.'

const asErrors = (errors: Record<string, string>): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([name, message]) => [name, { type: 'custom', message }]))

/** The logic of a record form, without its appearance: validation, drafts, sending, server errors, conflicts. */
export const useRecordForm = <S extends z.ZodType>(options: RecordFormOptions<S>) => {
  const {
    schema,
    fields,
    values: given,
    version,
    onSubmit,
    draftKey,
    draftId,
    resetsAfterSave = false,
    nextValues,
    seenValues,
  } = options
  const role = useRole()
  const [base] = useState(() => initialValues(fields, given))
  const [formErrors, setFormErrors] = useState<string[]>([])
  // Separate from the form's own errors, which every validation replaces: a server error stays until the field is changed.
  const [serverErrors, setServerErrors] = useState<Record<string, string>>({})
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [isSending, setSending] = useState(false)
  const seen = useRef(version)
  const key = useId()

  const form = useForm<Values>({
    defaultValues: base,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
    resolver: async (values) => {
      const {
        data,
        errors,
        formErrors: general,
      } = await checkValues(schema, visibleFields(fields, values, role), values)
      setFormErrors(general)
      return data === undefined ? { values: {}, errors: asErrors(errors) } : { values: data as Values, errors: {} }
    },
  })
  const { isDirty, isSubmitted } = form.formState
  const onResume = (isOverTyped: boolean) => {
    setFormErrors([])
    setServerErrors({})
    options.onResume?.(isOverTyped)
  }
  const draft = useFormDrafts({ form, fields, base, role, seen, draftKey, draftId, onResume })
  useUnsaved(key, isDirty, draft.isKept ? savedAsDraftMessage : undefined)

  const handleError = (error: unknown, mine: Values) => {
    if (!(error instanceof ApiError)) throw error
    const shown = visibleFields(fields, mine, role)
    if (error.status === 409 && typeof error.current === 'object' && error.current !== null) {
      const theirs = error.current as Values
      setConflict({
        differences: differencesOf(withHiddenParts(fields, shown), seenValues?.() ?? base, mine, theirs),
        ...changeOf(theirs),
      })
      return
    }
    const { errors, formErrors: general } = sortErrors(error.errors, shown)
    setServerErrors(errors)
    const first = shown.find(({ name }) => errors[name] !== undefined)
    if (first) form.setFocus(first.name)
    // The error is also shown in the form, besides the notice.
    if (!first && !error.isCancelled) setFormErrors(general.length > 0 ? general : [error.message])
  }

  const send = async (data: unknown) => {
    const mine = form.getValues()
    setFormErrors([])
    setServerErrors({})
    setSending(true)
    unsaved.setSending(key, true)
    try {
      await onSubmit(data as z.output<S>, { version: seen.current })
      setConflict(null)
      const typedMeanwhile = Object.entries(form.getValues()).filter(([name, value]) => !Object.is(value, mine[name]))
      // In this order: a reset notifies listeners of values once more, which must not become a draft again.
      const next = nextValues?.()
      form.reset(next ? { ...base, ...next } : resetsAfterSave ? base : mine)
      draft.discard()
      for (const [name, value] of typedMeanwhile) form.setValue(name, value, { shouldDirty: true })
    } catch (error) {
      handleError(error, mine)
    } finally {
      unsaved.setSending(key, false)
      setSending(false)
    }
  }
  // Enter submits the form too.
  const submit = form.handleSubmit((data) => (isSending ? undefined : send(data)))

  const conversions = useRef(createConversions(fields))
  const change = useCallback(
    (name: string, value: unknown) => {
      const converted = conversions.current(name, form.getValues(), value)
      form.setValue(name, value, { shouldDirty: true })
      for (const [other, next] of Object.entries(converted)) form.setValue(other, next, { shouldDirty: true })
      for (const [other, empty] of clearedFields(fields, name)) form.setValue(other, empty, { shouldDirty: true })
      setServerErrors(({ [name]: _, ...rest }) => rest)
      // All of them: a field that has just become visible is validated too.
      if (isSubmitted) void form.trigger()
    },
    [form, fields, isSubmitted],
  )
  const resolveConflict = (sides: Record<string, Side>) => {
    if (!conflict) return
    seen.current = conflict.version ?? seen.current
    for (const [name, value] of Object.entries(merge(form.getValues(), conflict.differences, sides)))
      form.setValue(name, value ?? '', { shouldDirty: true })
    setConflict(null)
    void submit()
  }
  return {
    form,
    role,
    formErrors,
    serverErrors,
    isSending,
    submit,
    change,
    draft,
    conflict: conflict && { ...conflict, resolve: resolveConflict, cancel: () => setConflict(null) },
  }
}

/** Taking centimetres from the other version also takes fields that are hidden here. */
const withHiddenParts = (fields: readonly FieldDef[], shown: readonly FieldDef[]) =>
  fields.filter((field) => shown.some((one) => one === field || (field.composite && one.composite === field.composite)))

export type RecordFormState = ReturnType<typeof useRecordForm>
