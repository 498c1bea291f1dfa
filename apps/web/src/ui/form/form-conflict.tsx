import { ConflictDialog } from './conflict-dialog.tsx'
import type { Values } from './field-types.ts'
import type { RecordFormState } from './use-record-form.ts'

interface FormConflictProps {
  form: Pick<RecordFormState, 'conflict' | 'isSending'>
  values: Values
}

/** The conflict of a record form, while there is one. */
export const FormConflict = ({ form: { conflict, isSending }, values }: FormConflictProps) =>
  conflict && (
    <ConflictDialog
      differences={conflict.differences}
      changedBy={conflict.changedBy}
      changedAt={conflict.changedAt}
      values={values}
      isBusy={isSending}
      onSave={conflict.resolve}
      onCancel={conflict.cancel}
    />
  )
