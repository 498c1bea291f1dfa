import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { locationMessages, type SpecLocation, slotName, specLocationRoutes } from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { requisitionTitle } from '../../domain/requisition-title.ts'
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
import { locationColumns } from './location-columns.tsx'
import { PlaceDialog } from './place-dialog.tsx'
import { formatPath } from './use-box-path.ts'

const Frame = styled(CardScroll)({ maxHeight: 'calc(100vh - 200px)' })

const idOf = ({ id }: SpecLocation) => String(id)
const nameOf = (row: SpecLocation) =>
  `${row.specLocTypeDesc} in ${formatPath([row.sampleStorageDesc, row.shelf, row.rack, row.box, slotName(row)])}`
const emptyTable = <EmptyState title="Empty Table">No sample of this requisition has been placed yet.</EmptyState>

/** Current and former locations of a requisition's samples. */
export const LocationsTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id } = requisition
  const mayPlace = can(useRole(), 'specimens.place')
  const { data, error, refetch, isFetching } = useQuery(readList(specLocationRoutes.list, { id }, allRows))
  const selection = useRowSelection(data?.data, idOf)
  const [isPlacing, setPlacing] = useState(false)
  const [discarding, setDiscarding] = useState<SpecLocation[]>([])
  // Discarded samples cannot be discarded again.
  const placed = selection.rows.filter(({ status }) => status === 'Placed')
  return (
    <Card
      title="Specimen Locations"
      actions={
        mayPlace && (
          <>
            {placed.length > 0 && (
              <Button color="error" startIcon={<TrashIcon />} onClick={() => setDiscarding(placed)}>
                Discard {placed.length} selected
              </Button>
            )}
            <Button variant="contained" startIcon={<PlusIcon />} onClick={() => setPlacing(true)}>
              Place
            </Button>
          </>
        )
      }
    >
      <Frame>
        <Table
          label="Specimen Locations"
          columns={locationColumns}
          rows={data?.data}
          rowId={idOf}
          rowName={nameOf}
          selection={mayPlace ? selection : undefined}
          isBusy={isFetching}
          skeletonRows={3}
          state={error ? <LoadFailed error={error} onRetry={() => refetch()} /> : data?.data.length === 0 && emptyTable}
        />
      </Frame>
      {isPlacing && <PlaceDialog requisition={requisition} onClose={() => setPlacing(false)} />}
      <DiscardDialog
        requisition={requisition}
        rows={discarding}
        onDone={selection.clear}
        onClose={() => setDiscarding([])}
      />
    </Card>
  )
}

interface DiscardDialogProps {
  requisition: RequisitionDetail
  rows: readonly SpecLocation[]
  onDone: () => void
  onClose: () => void
}

const DiscardDialog = ({ requisition, rows, onDone, onClose }: DiscardDialogProps) => {
  const discard = useSave(specLocationRoutes.discard, { failure: 'error' })
  const [isBusy, whileBusy] = useBusy()
  const run = () =>
    whileBusy(async () => {
      await discard({ params: { id: requisition.id }, query: { id: rows.map(idOf).join(',') } })
      onDone()
      onClose()
    })
  return (
    <ConfirmDialog
      isOpen={rows.length > 0}
      title={locationMessages.discard(rows.length)}
      subject={requisitionTitle(requisition)}
      confirmLabel="Discard"
      isDestructive
      isBusy={isBusy}
      onConfirm={run}
      onCancel={onClose}
    >
      {rows.map(nameOf).join(', ')}
    </ConfirmDialog>
  )
}
