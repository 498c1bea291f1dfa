import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

/** Creates a copy of this order, after a confirmation. */
export const DuplicateButton = ({ id, subject }: { id: number; subject: string }) => {
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const copy = useSave(requisitionEditRoutes.copy)
  const navigate = useNavigate()
  const run = async () => {
    setBusy(true)
    try {
      const { data } = await copy({ params: { id }, body: {} })
      setAsking(false)
      navigate(`/requisitions/${data.id}/show`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>Duplicate This Requisition</Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Duplicate requisition #${id}?`}
        subject={subject}
        confirmLabel="Duplicate"
        isBusy={isBusy}
        onConfirm={() => void run().catch(() => undefined)}
        onCancel={() => setAsking(false)}
      >
        Patient, order, history, insurances and tests are copied; specimens, results and documents are not. The copy is
        about a new sample: its collection is set to now. Please correct it there if the sample was collected earlier.
      </ConfirmDialog>
    </>
  )
}
