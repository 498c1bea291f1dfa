import { useCallback, useId, useRef, useState } from 'react'
import { type FieldErrors, useForm } from 'react-hook-form'
import type { z } from 'zod'
import { ApiError } from '../../lib/api-error.ts'
import { useRole } from '../../lib/session.ts'
import { unsaved, useUnsaved } from '../../lib/unsaved.ts'
import { changeIn, type Difference, differencesOf, merge, type Side } from './conflict.ts'
import type { FieldDef, Values } from './field-types.ts'
import { checkValues, clearedBy, sortErrors, startValues, visibleFields } from './form-values.ts'
import { useFormDrafts } from './use-form-drafts.ts'

export interface RecordFormOptions<S extends z.ZodType> {
  schema: S
  fields: readonly FieldDef[]
  /** The stored record; left out for a new one. */
  values?: Values | undefined
  /** The version of the stored record, for `ifMatch`. */
  version?: number | undefined
  /** Saves, or throws what the server said. `version` is the newest that the person has seen. */
  onSubmit: (values: z.output<S>, context: { version: number | undefined }) => Promise<unknown>
  draftKey?: string | undefined
  /** The draft that an earlier opening of this form wrote, and that this one goes on with. */
  draftId?: string | undefined
  /** A draft is about to fill the form: what was chosen besides its fields belongs to what was typed before. */
  onResume?: (() => void) | undefined
  /** The form stays for the next record: once saved it is empty again. */
  startsAnew?: boolean | undefined
  /** What the person has seen of the record, where the form did not begin with it; a conflict is told from there. */
  seenValues?: (() => Values | null) | undefined
}

interface Conflict {
  differences: Difference[]
  who: string | undefined
  /** ISO text. */
  at: string | undefined
  version: number | undefined
}

const keptAsDraft = 'What you typed is not saved. It is kept as a draft: come back to this form to resume it.'

const asErrors = (errors: Record<string, string>): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([name, message]) => [name, { type: 'custom', message }]))

/** What a form of one record does, without how it looks: checks, drafts, sending, complaints of the server, conflicts. */
export const useRecordForm = <S extends z.ZodType>(options: RecordFormOptions<S>) => {
  const {
    schema,
    fields,
    values: given,
    version,
    onSubmit,
    draftKey,
    draftId,
    startsAnew = false,
    seenValues,
  } = options
  const role = useRole()
  const [base] = useState(() => startValues(fields, given))
  const [others, setOthers] = useState<string[]>([])
  // Apart from the form's own errors, which every check replaces: what the server said stays until the field is changed.
  const [refused, setRefused] = useState<Record<string, string>>({})
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [isSending, setSending] = useState(false)
  const seen = useRef(version)
  const key = useId()

  const form = useForm<Values>({
    defaultValues: base,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
    resolver: async (values) => {
      const { data, errors, others: general } = await checkValues(schema, visibleFields(fields, values, role), values)
      setOthers(general)
      return data === undefined ? { values: {}, errors: asErrors(errors) } : { values: data as Values, errors: {} }
    },
  })
  const { isDirty, isSubmitted } = form.formState
  const onResume = () => {
    setOthers([])
    setRefused({})
    options.onResume?.()
  }
  const draft = useFormDrafts({ form, fields, base, role, seen, draftKey, draftId, onResume })
  useUnsaved(key, isDirty, draft.isKept ? keptAsDraft : undefined)

  const refuse = (error: unknown, mine: Values) => {
    if (!(error instanceof ApiError)) throw error
    const shown = visibleFields(fields, mine, role)
    if (error.status === 409 && typeof error.current === 'object' && error.current !== null) {
      const theirs = error.current as Values
      setConflict({
        differences: differencesOf(withHiddenParts(fields, shown), seenValues?.() ?? base, mine, theirs),
        ...changeIn(theirs),
      })
      return
    }
    const { errors, others: general } = sortErrors(error.errors, shown)
    setRefused(errors)
    const first = shown.find(({ name }) => errors[name] !== undefined)
    if (first) form.setFocus(first.name)
    // A failure stays where it happened, besides the notice.
    if (!first && !error.isCancelled) setOthers(general.length > 0 ? general : [error.message])
  }

  const send = async (data: unknown) => {
    const mine = form.getValues()
    setOthers([])
    setRefused({})
    setSending(true)
    unsaved.setSending(key, true)
    try {
      await onSubmit(data as z.output<S>, { version: seen.current })
      setConflict(null)
      const typedMeanwhile = Object.entries(form.getValues()).filter(([name, value]) => !Object.is(value, mine[name]))
      // In this order: a reset tells its listeners of values once more, which must not become a draft again.
      form.reset(startsAnew ? base : mine)
      draft.discard()
      for (const [name, value] of typedMeanwhile) form.setValue(name, value, { shouldDirty: true })
    } catch (error) {
      refuse(error, mine)
    } finally {
      unsaved.setSending(key, false)
      setSending(false)
    }
  }
  // Enter sends a form as well as its button does.
  const submit = form.handleSubmit((data) => (isSending ? undefined : send(data)))

  const change = useCallback(
    (name: string, value: unknown) => {
      form.setValue(name, value, { shouldDirty: true })
      for (const [other, empty] of clearedBy(fields, name)) form.setValue(other, empty, { shouldDirty: true })
      setRefused(({ [name]: _, ...rest }) => rest)
      // All of them: a field that has just come into view is checked too.
      if (isSubmitted) void form.trigger()
    },
    [form, fields, isSubmitted],
  )
  const settle = (sides: Record<string, Side>) => {
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
    others,
    refused,
    isSending,
    submit,
    change,
    draft,
    conflict: conflict && { ...conflict, settle, cancel: () => setConflict(null) },
  }
}

/** Who takes centimetres from the other version takes a field that is not in view here. */
const withHiddenParts = (fields: readonly FieldDef[], shown: readonly FieldDef[]) =>
  fields.filter((field) => shown.some((one) => one === field || (field.whole && one.whole === field.whole)))

export type RecordFormState = ReturnType<typeof useRecordForm>
