import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

const invalidates = [clientRoutes.list.path]

/** Asks first. One that is in use stays, and the server says by what. */
export const DeleteClientButton = ({ client: { id, clientName, legacyClientId } }: { client: Client }) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const navigate = useNavigate()
  const remove = useSave(clientRoutes.remove, { failure: 'error', invalidates })
  const confirm = async () => {
    setBusy(true)
    try {
      await remove({ params: { id } })
      navigate('/clients', { replace: true })
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
        title={messages.deleteOne('client')}
        subject={`${clientName} (${legacyClientId})`}
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
