import { batchLabels } from '@lis/contract/billing-batches.ts'
import { useState } from 'react'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { filterError } from '../../ui/smart-views/smart-filter.ts'

export const billingDate: FieldDef = { name: 'billSendDate', label: batchLabels.billSendDate, kind: 'dateRange' }

interface BillingDateFilterProps {
  /** The value in the address; when it changes, it replaces the input. */
  value: string
  onChange: (value: string) => void
}

/** Applies a complete or empty range. Until then the list stays, and leaving the input shows the error. */
export const BillingDateFilter = ({ value, onChange }: BillingDateFilterProps) => {
  const initial = { from: value, text: value, isRefused: false }
  const [draft, setDraft] = useState(initial)
  if (draft.from !== value) setDraft(initial)
  const error = filterError(billingDate, draft.text)
  const showError = () => setDraft((before) => ({ ...before, isRefused: error !== undefined }))
  return (
    <form
      className="date"
      onSubmit={(event) => {
        event.preventDefault()
        showError()
      }}
    >
      <FieldInput
        field={billingDate}
        value={draft.text}
        error={draft.isRefused ? error : undefined}
        onBlur={showError}
        onChange={(next) => {
          const text = String(next).trim()
          setDraft((before) => ({ ...before, text: String(next) }))
          if (filterError(billingDate, text) === undefined) onChange(text)
        }}
      />
    </form>
  )
}
