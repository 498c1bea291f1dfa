import { type DeletedRecord, deletedRecordRoutes } from '@lis/contract/deleted-records.ts'
import { deletedKinds } from '@lis/contract/resources.ts'
import { useState } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

interface RestoreDialogProps {
  record: DeletedRecord
  isOpen: boolean
  onClose: () => void
}

/** Asks before a record is restored; a refusal is shown in the dialog. */
export const RestoreDialog = ({ record, isOpen, onClose }: RestoreDialogProps) => {
  const [isBusy, whileBusy] = useBusy()
  const [refusal, setRefusal] = useState<string>()
  const restore = useSave(deletedRecordRoutes.restore, { failure: 'error' })
  const confirm = () => {
    setRefusal(undefined)
    return whileBusy(
      async () => {
        await restore({ params: { kind: record.kind, id: record.recordId } })
        onClose()
      },
      (error) => setRefusal((error as Error).message),
    )
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Restore this ${deletedKinds[record.kind].toLowerCase()}?`}
      subject={record.record}
      confirmLabel="Restore"
      isBusy={isBusy}
      onConfirm={confirm}
      onCancel={onClose}
    >
      {record.kind === 'user'
        ? 'The account comes back as it was.'
        : 'It comes back as it was, with everything that belongs to it. Parts that were deleted on their own stay deleted.'}
      {refusal && (
        <p role="alert" style={{ color: 'var(--error)', marginTop: 8 }}>
          {refusal}
        </p>
      )}
    </ConfirmDialog>
  )
}
