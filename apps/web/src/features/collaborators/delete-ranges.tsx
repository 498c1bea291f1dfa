import type { CollaboratorRange } from '@lis/contract/collaborator-ranges.ts'
import { collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { messages } from '@lis/contract/messages.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeleteWarning } from '../../ui/delete-warning.tsx'

interface DeleteRangesProps {
  collaboratorId: number
  ranges: readonly CollaboratorRange[]
  onDeleted: () => void
  onClose: () => void
}

/** Confirms and deletes the named ranges. */
export const DeleteRanges = ({ collaboratorId, ranges, onDeleted, onClose }: DeleteRangesProps) => {
  const remove = useSave(collaboratorRoutes.removeRanges, { failure: 'error' })
  const [isBusy, whileBusy] = useBusy()
  const confirm = () =>
    whileBusy(async () => {
      await remove({ params: { id: collaboratorId }, query: { id: ranges.map(({ id }) => id).join(',') } })
      onDeleted()
      onClose()
    })
  return (
    <ConfirmDialog
      isOpen={ranges.length > 0}
      title={ranges.length > 1 ? messages.deleteMany(ranges.length, 'test range') : messages.deleteOne('test range')}
      subject={ranges.map(({ testCode, testDesc }) => `${testCode} | ${testDesc}`).join(', ')}
      confirmLabel="Delete"
      isDestructive
      isBusy={isBusy}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <DeleteWarning count={ranges.length} />
    </ConfirmDialog>
  )
}
