import { type Collaborator, collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

const invalidates = [collaboratorRoutes.list.path]

/** Asks first. One that is in use stays, and the server says by what. */
export const DeleteCollaboratorButton = ({ collaborator }: { collaborator: Collaborator }) => {
  const { id, colaName, colaAlias } = collaborator
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const navigate = useNavigate()
  const remove = useSave(collaboratorRoutes.remove, { failure: 'error', invalidates })
  const confirm = async () => {
    setBusy(true)
    try {
      await remove({ params: { id } })
      navigate('/collaborators', { replace: true })
    } catch {
      // The notice says why; the question stays open for another try.
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={messages.deleteOne('collaborator')}
        subject={`${colaName} (${colaAlias})`}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        {messages.deleteWarning}
      </ConfirmDialog>
    </>
  )
}
