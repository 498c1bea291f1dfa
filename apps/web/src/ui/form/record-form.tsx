import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'
import { useWatch } from 'react-hook-form'
import type { z } from 'zod'
import { ActionButton } from '../action-button.tsx'
import { Banner } from './banner.tsx'
import { DraftOffers } from './draft-offers.tsx'
import type { Values } from './field-types.ts'
import { FormCard } from './form-card.tsx'
import { FormConflict } from './form-conflict.tsx'
import { FormFields } from './form-fields.tsx'
import { useFocusFirstField } from './form-focus.ts'
import { type RecordFormOptions, useRecordForm } from './use-record-form.ts'

const Body = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12 })
export interface RecordFormProps<S extends z.ZodType> extends RecordFormOptions<S> {
  submitLabel: string
  onCancel?: () => void
  cancelLabel?: string
  /** Fields in a row from 900 px on; two below, one on phones. */
  columns?: number
  /** Shows the form as a card with this heading and its buttons in the header. */
  title?: string
  /** Values that a changed field fills into others. */
  fills?: (name: string, value: unknown, values: Values) => Values | undefined
  /** Shown above the fields, depending on the values. */
  notice?: (values: Values) => ReactNode
}

/** The form of a record: fields as data, validated by the contract's schema, with drafts and conflict handling. */
export const RecordForm = <S extends z.ZodType>(props: RecordFormProps<S>) => {
  const { submitLabel, onCancel, cancelLabel = 'Cancel', columns = 3, title, notice, fields, fills } = props
  const record = useRecordForm(props)
  // A form that can be cancelled was opened by the user; others are a permanent part of the page.
  useFocusFirstField(record, fields, onCancel !== undefined)
  const { formErrors, isSending, submit, draft } = record
  const values = useWatch({ control: record.form.control })
  const id = useId()
  const change = (name: string, value: unknown) => {
    record.change(name, value)
    for (const [other, filled] of Object.entries(fills?.(name, value, values) ?? {})) record.change(other, filled)
  }
  const actions = (
    <>
      {onCancel && <Button onClick={onCancel}>{cancelLabel}</Button>}
      <ActionButton type="submit" form={id} variant="contained" color="primary" isBusy={isSending}>
        {submitLabel}
      </ActionButton>
    </>
  )
  return (
    <FormCard title={title} isEdit={props.values !== undefined} actions={actions}>
      <Body>
        <DraftOffers draft={draft} />
        {notice?.(values)}
        {formErrors.map((message) => (
          <Banner key={message} type="error">
            {message}
          </Banner>
        ))}
        <form id={id} noValidate onSubmit={submit} aria-label={title}>
          <FormFields
            form={{ ...record, change }}
            fields={fields}
            values={values}
            columns={columns}
            // A form that was opened closes when saved; others stay and keep accepting input.
            isLocked={isSending && onCancel !== undefined}
          />
        </form>
      </Body>
      <FormConflict form={record} values={values} />
    </FormCard>
  )
}
