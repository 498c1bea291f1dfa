import { can } from '@lis/contract/access/permissions.ts'
import { type Physician, type PhysicianClient, physicianRoutes } from '@lis/contract/physicians.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { CardScroll } from '../../ui/table/card-scroll.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Table } from '../../ui/table/table.tsx'
import { PlusIcon, TrashIcon } from '../../ui/table/table-icons.tsx'
import { useRowSelection } from '../../ui/table/table-model.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { AddClientDialog } from './add-client-dialog.tsx'
import { clientColumns, clientName } from './client-columns.tsx'

const idOf = ({ id }: PhysicianClient) => String(id)
const hrefOf = ({ id }: PhysicianClient) => `/clients/${id}/show`

/** The physician's clients, which users with the permission can add and remove. */
export const ClientsCard = ({ physician }: { physician: Physician }) => {
  const { id } = physician
  const { data, error, refetch, isFetching } = useQuery(readList(physicianRoutes.clients, { id }, allRows))
  const mayEdit = can(useRole(), 'physicians.write')
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<PhysicianClient[]>([])
  const selection = useRowSelection(data?.data, idOf)
  return (
    <Card
      title="Clients"
      actions={
        mayEdit && (
          <>
            {selection.rows.length > 0 && (
              <Button color="error" startIcon={<TrashIcon />} onClick={() => setRemoving(selection.rows)}>
                Remove {selection.rows.length} selected
              </Button>
            )}
            <Button startIcon={<PlusIcon />} disabled={!data} onClick={() => setAdding(true)}>
              Add client
            </Button>
          </>
        )
      }
    >
      <CardScroll>
        <Table
          label="Clients"
          columns={clientColumns}
          rows={data?.data}
          rowId={idOf}
          rowName={clientName}
          rowHref={hrefOf}
          selection={mayEdit ? selection : undefined}
          isBusy={isFetching}
          skeletonRows={3}
          state={
            error ? (
              <LoadFailed error={error} onRetry={() => refetch()} />
            ) : (
              data?.data.length === 0 && (
                <EmptyState title="Empty Table">No client orders under this physician.</EmptyState>
              )
            )
          }
        />
      </CardScroll>
      {isAdding && <AddClientDialog physicianId={id} clients={data?.data ?? []} onClose={() => setAdding(false)} />}
      <RemoveClients physicianId={id} clients={removing} onRemoved={selection.clear} onClose={() => setRemoving([])} />
    </Card>
  )
}

interface RemoveClientsProps {
  physicianId: number
  clients: readonly PhysicianClient[]
  onRemoved: () => void
  onClose: () => void
}

const RemoveClients = ({ physicianId, clients, onRemoved, onClose }: RemoveClientsProps) => {
  const [isBusy, whileBusy] = useBusy()
  const remove = useSave(physicianRoutes.removeClients, { failure: 'error' })
  const confirm = () =>
    whileBusy(async () => {
      await remove({ params: { id: physicianId }, query: { id: clients.map(idOf).join(',') } })
      onRemoved()
      onClose()
    })
  const [only] = clients
  return (
    <ConfirmDialog
      isOpen={clients.length > 0}
      title={
        clients.length === 1
          ? 'Remove this client from the physician?'
          : `Remove ${clients.length} clients from the physician?`
      }
      {...(clients.length === 1 && only ? { subject: clientName(only) } : {})}
      confirmLabel="Remove"
      isDestructive
      isBusy={isBusy}
      onConfirm={confirm}
      onCancel={onClose}
    >
      Requisitions of the past keep naming the physician.
    </ConfirmDialog>
  )
}
