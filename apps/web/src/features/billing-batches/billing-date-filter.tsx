import { batchLabels } from '@lis/contract/billing-batches.ts'
import { useState } from 'react'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { filterError } from '../../ui/smart-views/smart-filter.ts'

export const billingDate: FieldDef = { name: 'billSendDate', label: batchLabels.billSendDate, kind: 'dateRange' }

interface BillingDateFilterProps {
  /** What the address says; when it changes, it is right again. */
  value: string
  onChange: (value: string) => void
}

/** Filters as soon as there is a range, or nothing. Until then the list stays, and whoever leaves the box is told what is wrong. */
export const BillingDateFilter = ({ value, onChange }: BillingDateFilterProps) => {
  const fresh = { from: value, text: value, isRefused: false }
  const [draft, setDraft] = useState(fresh)
  if (draft.from !== value) setDraft(fresh)
  const fault = filterError(billingDate, draft.text)
  const refuse = () => setDraft((before) => ({ ...before, isRefused: fault !== undefined }))
  return (
    <form
      className="date"
      onSubmit={(event) => {
        event.preventDefault()
        refuse()
      }}
    >
      <FieldInput
        field={billingDate}
        value={draft.text}
        error={draft.isRefused ? fault : undefined}
        onBlur={refuse}
        onChange={(next) => {
          const text = String(next).trim()
          setDraft((before) => ({ ...before, text: String(next) }))
          if (filterError(billingDate, text) === undefined) onChange(text)
        }}
      />
    </form>
  )
}
