import type { CollaboratorRange } from '@lis/contract/collaborator-ranges.ts'
import { collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeleteWarning } from '../../ui/delete-warning.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { CardScroll } from '../../ui/table/card-scroll.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Table } from '../../ui/table/table.tsx'
import { PlusIcon, TrashIcon } from '../../ui/table/table-icons.tsx'
import { useRowSelection } from '../../ui/table/table-model.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { rangeColumns } from './range-columns.tsx'
import { RangeDialog } from './range-dialog.tsx'

const idOf = ({ id }: CollaboratorRange) => String(id)
const nameOf = ({ testCode, testDesc }: CollaboratorRange) => `${testCode} ${testDesc}`
const emptyTable = (
  <EmptyState title="Empty Table">Results use the ranges of the test catalogue until a test is added here.</EmptyState>
)

/** The reference ranges for this collaborator's results. */
export const RangeCard = ({ collaboratorId }: { collaboratorId: number }) => {
  const { data, error, refetch, isFetching } = useQuery(
    readList(collaboratorRoutes.ranges, { id: collaboratorId }, allRows),
  )
  const [edited, setEdited] = useState<CollaboratorRange | 'new' | null>(null)
  const [leaving, setLeaving] = useState<CollaboratorRange[]>([])
  const columns = useMemo(() => rangeColumns({ onEdit: setEdited, onDelete: (range) => setLeaving([range]) }), [])
  const selection = useRowSelection(data?.data, idOf)
  return (
    <Card
      title="Custom Test Reference Range"
      actions={
        <>
          {selection.rows.length > 0 && (
            <Button color="error" startIcon={<TrashIcon />} onClick={() => setLeaving(selection.rows)}>
              Delete {selection.rows.length} selected
            </Button>
          )}
          <Button startIcon={<PlusIcon />} disabled={!data} onClick={() => setEdited('new')}>
            Add test
          </Button>
        </>
      }
    >
      <CardScroll>
        <Table
          label="Custom Test Reference Range"
          columns={columns}
          rows={data?.data}
          rowId={idOf}
          rowName={nameOf}
          selection={selection}
          isBusy={isFetching}
          skeletonRows={4}
          state={error ? <LoadFailed error={error} onRetry={() => refetch()} /> : data?.data.length === 0 && emptyTable}
        />
      </CardScroll>
      {edited !== null && (
        <RangeDialog
          collaboratorId={collaboratorId}
          ranges={data?.data ?? []}
          range={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
      <DeleteRanges
        collaboratorId={collaboratorId}
        ranges={leaving}
        onDeleted={selection.clear}
        onClose={() => setLeaving([])}
      />
    </Card>
  )
}

interface DeleteRangesProps {
  collaboratorId: number
  ranges: readonly CollaboratorRange[]
  onDeleted: () => void
  onClose: () => void
}

/** Confirms and deletes the named ranges. */
const DeleteRanges = ({ collaboratorId, ranges, onDeleted, onClose }: DeleteRangesProps) => {
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
