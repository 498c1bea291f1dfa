import { type ClientRow, clientInput, clientRoutes } from '@lis/contract/clients.ts'
import { type PhysicianClient, physicianRoutes } from '@lis/contract/physicians.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useId, useMemo, useState } from 'react'
import { clientFields } from '../../domain/client-fields.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { clientColumns } from './client-columns.tsx'
import { ClientPicker } from './client-picker.tsx'

interface AddClientDialogProps {
  physicianId: number
  /** The physician's current clients. */
  clients: readonly PhysicianClient[]
  onClose: () => void
}

/** Two modes: clients are chosen from the list, or a new one is created, which is then selected in the list. */
export const AddClientDialog = ({ physicianId, clients, onClose }: AddClientDialogProps) => {
  const id = useId()
  const [mode, setMode] = useState<'listing' | 'create'>('listing')
  const [chosen, setChosen] = useState<number[]>([])
  const [isBusy, whileBusy] = useBusy()
  const update = useSave(physicianRoutes.update)
  const columns = useMemo(() => markAssigned(clients), [clients])
  const add = () =>
    whileBusy(async () => {
      await update({ params: { id: physicianId }, body: { clientIds: chosen } })
      onClose()
    })
  const created = (clientId: number) => {
    setChosen((before) => [...before, clientId])
    setMode('listing')
  }
  return (
    <Dialog
      open
      // A click on the backdrop must not discard input.
      onClose={mode === 'listing' ? onClose : undefined}
      aria-labelledby={`${id}-title`}
      slotProps={{ paper: { sx: { maxWidth: mode === 'listing' ? 640 : 460 } } }}
    >
      <DialogTitle id={`${id}-title`}>{mode === 'listing' ? 'Add client' : 'Create client'}</DialogTitle>
      {mode === 'create' ? (
        <DialogContent>
          <CreateClient onCreated={created} onBack={() => setMode('listing')} />
        </DialogContent>
      ) : (
        <>
          <DialogContent>
            <ClientPicker chosen={chosen} onChange={setChosen} columns={columns}>
              <Button startIcon={<PlusIcon />} onClick={() => setMode('create')}>
                Create client
              </Button>
            </ClientPicker>
          </DialogContent>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <ActionButton
              variant="contained"
              color="primary"
              isBusy={isBusy}
              disabled={chosen.length === 0}
              onClick={add}
            >
              {chosen.length > 1 ? `Add ${chosen.length} clients` : 'Add client'}
            </ActionButton>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}

const CreateClient = ({ onCreated, onBack }: { onCreated: (id: number) => void; onBack: () => void }) => {
  const create = useSave(clientRoutes.create)
  return (
    <RecordForm
      schema={clientInput}
      fields={clientFields}
      columns={2}
      submitLabel="Create"
      cancelLabel="Back to the list"
      onCancel={onBack}
      onSubmit={async (values) => {
        const { data } = await create({ body: values })
        onCreated(data.id)
      }}
    />
  )
}

// Widths that fit into the dialog.
const widths: Record<string, number> = { legacyClientId: 74, clientName: 196, clientCity: 100, clientState: 96 }

/** Marks clients that are already assigned; adding them again changes nothing. */
const markAssigned = (clients: readonly PhysicianClient[]): Column<ClientRow>[] => {
  const taken = new Set(clients.map(({ id }) => id))
  return [
    ...clientColumns.flatMap((column) => (widths[column.key] ? [{ ...column, width: widths[column.key] }] : [])),
    { key: 'taken', header: 'Associated', width: 92, cell: ({ id }) => (taken.has(id) ? 'Yes' : '') },
  ]
}
