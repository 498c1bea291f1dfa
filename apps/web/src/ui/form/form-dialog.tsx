import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useId } from 'react'
import { useWatch } from 'react-hook-form'
import type { z } from 'zod'
import { ActionButton } from '../action-button.tsx'
import { Dialog } from '../dialog.tsx'
import { Banner } from './banner.tsx'
import { FormConflict } from './form-conflict.tsx'
import { FormFields } from './form-fields.tsx'
import { type RecordFormOptions, useRecordForm } from './use-record-form.ts'

interface FormDialogProps<S extends z.ZodType> extends RecordFormOptions<S> {
  title: string
  /** The record in question: '#1000123 | Doe, Jane (01/02/1960)'. */
  subject?: string
  submitLabel: string
  cancelLabel?: string
  /** Submitting is the risky choice: the other button is the filled one. */
  isSubmitRisky?: boolean
  columns?: number
  onClose: () => void
  /** Introduction above the fields. */
  intro?: ReactNode
  /** Shown below the fields, before the buttons. */
  children?: ReactNode
}

/** A small form in a dialog, which closes once it is saved. */
export const FormDialog = <S extends z.ZodType>(props: FormDialogProps<S>) => {
  const {
    title,
    subject,
    submitLabel,
    cancelLabel = 'Cancel',
    isSubmitRisky = false,
    columns = 1,
    fields,
    onClose,
    onSubmit,
    intro,
    children,
  } = props
  const id = useId()
  const record = useRecordForm<S>({
    ...props,
    onSubmit: async (values, context) => {
      await onSubmit(values, context)
      onClose()
    },
  })
  const { form, formErrors, isSending, submit } = record
  const values = useWatch({ control: form.control })
  // A click on the backdrop must not discard input.
  const close = (_: unknown, reason: string) => (reason === 'backdropClick' && form.formState.isDirty) || onClose()
  return (
    <Dialog open onClose={close} aria-labelledby={`${id}-title`} slotProps={{ paper: { sx: { maxWidth: 460 } } }}>
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        {subject && <p>{subject}</p>}
        {intro}
        {formErrors.map((message) => (
          <Banner key={message} type="error">
            {message}
          </Banner>
        ))}
        <form id={id} noValidate onSubmit={submit} aria-labelledby={`${id}-title`}>
          <FormFields form={record} fields={fields} values={values} columns={columns} isLocked={isSending} />
        </form>
        {children}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} variant={isSubmitRisky ? 'contained' : undefined}>
          {cancelLabel}
        </Button>
        <ActionButton type="submit" form={id} variant={isSubmitRisky ? undefined : 'contained'} isBusy={isSending}>
          {submitLabel}
        </ActionButton>
      </DialogActions>
      <FormConflict form={record} values={values} />
    </Dialog>
  )
}
