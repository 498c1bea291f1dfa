import type { done } from '@lis/contract/kit/envelope.ts'
import type { byId, Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { DeleteWarning } from '../delete-warning.tsx'
import { Banner } from './banner.tsx'

interface DeleteRecordButtonProps {
  route: Route & { params: typeof byId; reply: typeof done }
  id: number
  /** In the confirmation: 'client'. */
  itemName: string
  /** Names the record in the confirmation. */
  subject: string
  /** The list of the record, which opens after the deletion. */
  listPath: string
}

/** Asks first. A record in use cannot be deleted; the dialog then shows by what it is used. */
export const DeleteRecordButton = ({ route, id, itemName, subject, listPath }: DeleteRecordButtonProps) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, whileBusy] = useBusy()
  const [refusal, setRefusal] = useState('')
  const navigate = useNavigate()
  const invalidates = useMemo(() => [listPath], [listPath])
  const remove = useSave(route, { failure: 'error', invalidates })
  const open = () => {
    setRefusal('')
    setOpen(true)
  }
  const confirm = () =>
    whileBusy(
      async () => {
        await remove({ params: { id } })
        navigate(`/${listPath}`, { replace: true })
      },
      (error) => {
        setRefusal(error instanceof Error ? error.message : String(error))
      },
    )
  return (
    <>
      <Button color="error" onClick={open}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={messages.deleteOne(itemName)}
        subject={subject}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        {refusal ? <Banner type="error">{refusal}</Banner> : <DeleteWarning />}
      </ConfirmDialog>
    </>
  )
}
