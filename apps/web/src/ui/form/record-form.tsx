import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'
import { useWatch } from 'react-hook-form'
import type { z } from 'zod'
import { ActionButton } from '../action-button.tsx'
import { Banner } from './banner.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DraftOffers } from './draft-offers.tsx'
import type { Values } from './field-types.ts'
import { FormCard } from './form-card.tsx'
import { FormFields } from './form-fields.tsx'
import { useFocusOnFirst } from './form-focus.ts'
import { type RecordFormOptions, useRecordForm } from './use-record-form.ts'

const Body = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12 })
export interface RecordFormProps<S extends z.ZodType> extends RecordFormOptions<S> {
  submitLabel: string
  onCancel?: () => void
  cancelLabel?: string
  /** Fields side by side, from 900 px on; two below, one on phones. */
  columns?: number
  /** Draws the form as a card with this heading, its buttons in the head. */
  title?: string
  /** What a choice fills in elsewhere, by name: what it answers for a field that has just been changed. */
  fills?: (name: string, value: unknown, values: Values) => Values | undefined
  /** Above the fields: what the person should know before saving what is typed. */
  notice?: (values: Values) => ReactNode
}

/** The form of one record: fields as data, checked by the contract's schema. Nothing that was typed is lost. */
export const RecordForm = <S extends z.ZodType>(props: RecordFormProps<S>) => {
  const { submitLabel, onCancel, cancelLabel = 'Cancel', columns = 3, title, notice, fields, fills } = props
  const record = useRecordForm(props)
  // One that can be left was opened; others stand beside what the page is about.
  useFocusOnFirst(record, fields, onCancel !== undefined)
  const { others, isSending, submit, draft, conflict } = record
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
        {others.map((message) => (
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
            // One that was opened closes; others stay, and keep what is typed meanwhile.
            isLocked={isSending && onCancel !== undefined}
          />
        </form>
      </Body>
      {conflict && (
        <ConflictDialog
          differences={conflict.differences}
          who={conflict.who}
          at={conflict.at}
          values={values}
          isBusy={isSending}
          onSave={conflict.settle}
          onCancel={conflict.cancel}
        />
      )}
    </FormCard>
  )
}
