import type { Role } from '@lis/contract/access/roles.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { type FormDraft, useDrafts } from '../../lib/drafts.ts'
import { differencesOf } from './conflict.ts'
import type { FieldDef, Values } from './field-types.ts'
import { draftValues, titleOfDraft, visibleFields } from './form-values.ts'

interface FormDraftsOptions {
  form: UseFormReturn<Values>
  fields: readonly FieldDef[]
  base: Values
  role: Role
  /** The version that the user has seen. */
  seen: RefObject<number | undefined>
  draftKey: string | undefined
  draftId: string | undefined
  onResume: (isOverTyped: boolean) => void
}

const isTyped = (dirtyFields: object | undefined) => Object.keys(dirtyFields ?? {}).length > 0

/** Stores the form's input as a draft, and fills the form with an earlier one: completely, and never over other input without asking. */
export const useFormDrafts = ({ form, fields, base, role, seen, draftKey, draftId, onResume }: FormDraftsOptions) => {
  const drafts = useDrafts(draftKey, seen, draftId)
  const [pendingDraft, setPendingDraft] = useState<FormDraft | null>(null)
  const [resumes, setResumes] = useState(0)
  const newest = useRef(drafts)
  newest.current = drafts
  const isResuming = useRef(false)
  const { dirtyFields } = form.formState
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true, dirtyFields: true },
        callback: ({ values, dirtyFields: typed }) => {
          if (isResuming.current) return
          if (isTyped(typed)) newest.current.write(draftValues(fields, base, values))
          // Everything has been changed back.
          else void newest.current.discard()
        },
      }),
    [form, fields, base],
  )
  const fill = (draft: FormDraft) => {
    const isOverTyped = isTyped(dirtyFields)
    drafts.resume(draft, isOverTyped ? draftValues(fields, base, form.getValues()) : null)
    setPendingDraft(null)
    onResume(isOverTyped)
    // Input that was based on an older version is sent with that version: the server refuses it, and the conflict dialog opens.
    if (seen.current !== undefined) seen.current = Math.min(seen.current, draft.baseVersion ?? seen.current)
    isResuming.current = true
    form.reset(base)
    for (const [name, value] of Object.entries(draft.body)) {
      if (name in base) form.setValue(name, value, { shouldDirty: true })
    }
    isResuming.current = false
    setResumes((count) => count + 1)
  }
  const conflictWith = (draft: FormDraft) => {
    const [mine, theirs] = [form.getValues(), { ...base, ...draft.body }]
    const differences = differencesOf(visibleFields(fields, mine, role), base, mine, theirs)
    return { mine, theirs, differences, resume: () => fill(draft), cancel: () => setPendingDraft(null) }
  }
  return {
    isKept: drafts.isKept,
    offers: drafts.offers.map((draft) => ({ draft, title: titleOfDraft(fields, draft.body) })),
    ownId: drafts.ownId,
    /** How often a draft has filled the form. */
    resumes,
    /** Set while the user is asked whether a draft may replace the input. */
    doubt: pendingDraft && conflictWith(pendingDraft),
    resume: (draft: FormDraft) => (isTyped(dirtyFields) ? setPendingDraft(draft) : fill(draft)),
    discardOffer: drafts.discardOffer,
    discard: () => void drafts.discard(),
  }
}
