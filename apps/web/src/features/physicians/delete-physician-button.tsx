import { messages } from '@lis/contract/messages.ts'
import { type Physician, physicianRoutes } from '@lis/contract/physicians.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'

const invalidates = [physicianRoutes.list.path]

/** Asks first. One that is in use stays, and the question then says by what. */
export const DeletePhysicianButton = ({ physician }: { physician: Physician }) => {
  const { id, physFirstName, physLastName, npiNumber } = physician
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState('')
  const navigate = useNavigate()
  const remove = useSave(physicianRoutes.remove, { failure: 'error', invalidates })
  const open = () => {
    setRefusal('')
    setOpen(true)
  }
  const confirm = async () => {
    setBusy(true)
    try {
      await remove({ params: { id } })
      navigate('/physicians', { replace: true })
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button color="error" onClick={open}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={messages.deleteOne('physician')}
        subject={`${physFirstName} ${physLastName} (NPI ${npiNumber})`}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        {refusal ? <Banner type="error">{refusal}</Banner> : messages.deleteWarning}
      </ConfirmDialog>
    </>
  )
}
