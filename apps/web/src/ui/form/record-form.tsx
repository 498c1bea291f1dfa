import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'
import { Controller, useWatch } from 'react-hook-form'
import type { z } from 'zod'
import { ActionButton } from '../action-button.tsx'
import { Banner } from './banner.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DraftOffer } from './draft-offer.tsx'
import { FieldInput } from './field-input.tsx'
import type { Values } from './field-types.ts'
import { FormCard } from './form-card.tsx'
import { visibleFields } from './form-values.ts'
import { type RecordFormOptions, useRecordForm } from './use-record-form.ts'

const Body = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12 })
const Grid = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(var(--columns), minmax(0, 1fr))',
  gap: '10px 8px',
  alignItems: 'start',
  '& > .wide': { gridColumn: '1 / -1' },
  [theme.breakpoints.down('md')]: { '--columns': 'min(2, var(--wanted)) !important' },
  [theme.breakpoints.down('sm')]: { gridTemplateColumns: 'minmax(0, 1fr)', gap: 14 },
}))

export interface RecordFormProps<S extends z.ZodType> extends RecordFormOptions<S> {
  submitLabel: string
  onCancel?: () => void
  /** Fields side by side, from 900 px on; two below, one on phones. */
  columns?: number
  /** Draws the form as a card with this heading, its buttons in the head. */
  title?: string
  /** Above the fields: what the person should know before saving what is typed. */
  notice?: (values: Values) => ReactNode
}

/** The form of one record: fields as data, checked by the contract's schema. Nothing that was typed is lost. */
export const RecordForm = <S extends z.ZodType>(props: RecordFormProps<S>) => {
  const { submitLabel, onCancel, columns = 3, title, notice, fields } = props
  const { form, role, others, refused, isSending, submit, change, draft, conflict } = useRecordForm(props)
  const values = useWatch({ control: form.control })
  const id = useId()
  const actions = (
    <>
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      <ActionButton type="submit" form={id} variant="contained" color="primary" isBusy={isSending}>
        {submitLabel}
      </ActionButton>
    </>
  )
  return (
    <FormCard title={title} isEdit={props.values !== undefined} actions={actions}>
      <Body>
        {draft.offer && (
          <DraftOffer typedAt={draft.offer.updateDate} onResume={draft.resume} onDiscard={draft.discard} />
        )}
        {notice?.(values)}
        {others.map((message) => (
          <Banner key={message} type="error">
            {message}
          </Banner>
        ))}
        <form id={id} noValidate onSubmit={submit} aria-label={title}>
          <Grid style={{ '--wanted': columns, '--columns': columns } as React.CSSProperties}>
            {visibleFields(fields, values, role).map((field) => (
              <div key={`${field.name} ${field.label}`} className={field.isWide ? 'wide' : undefined}>
                <Controller
                  control={form.control}
                  name={field.name}
                  render={({ field: { ref, value, onBlur }, fieldState: { error } }) => (
                    <FieldInput
                      field={field}
                      value={value}
                      values={values}
                      onChange={(next) => change(field.name, next)}
                      onBlur={onBlur}
                      error={error?.message ?? refused[field.name]}
                      disabled={field.isDisabled}
                      inputRef={ref}
                    />
                  )}
                />
              </div>
            ))}
          </Grid>
        </form>
      </Body>
      {conflict && (
        <ConflictDialog
          differences={conflict.differences}
          who={conflict.who}
          values={values}
          isBusy={isSending}
          onSave={conflict.settle}
          onCancel={conflict.cancel}
        />
      )}
    </FormCard>
  )
}
