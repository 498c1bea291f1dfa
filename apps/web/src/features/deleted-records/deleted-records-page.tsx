import { type DeletedRecord, deletedRecordRoutes } from '@lis/contract/deleted-records.ts'
import { deletedKinds } from '@lis/contract/resources.ts'
import { useMemo, useState } from 'react'
import { queryClient } from '../../lib/query.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { deletedRecordColumns, deletedRecordFilters } from './deleted-record-columns.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

// Read again at every visit: users come here right after deleting something.
queryClient.setQueryDefaults([deletedRecordRoutes.list.path], { staleTime: 0 })

const nameOf = ({ kind, record }: DeletedRecord) => `${deletedKinds[kind]} ${record}`

/** All deleted records, newest first, with a button to restore them. */
export const DeletedRecordsPage = () => {
  // Each dialog starts without the previous error.
  const [restoring, setRestoring] = useState<{ record: DeletedRecord; turn: number }>()
  const [isOpen, setOpen] = useState(false)
  const columns = useMemo(
    () =>
      deletedRecordColumns((record) => {
        setRestoring((before) => ({ record, turn: (before?.turn ?? 0) + 1 }))
        setOpen(true)
      }),
    [],
  )
  return (
    <>
      <ListPage
        title="Deleted Records"
        screen="deleted"
        itemName="deleted record"
        searchLabel="Search Deleted"
        route={deletedRecordRoutes.list}
        columns={columns}
        filters={deletedRecordFilters}
        rowName={nameOf}
      />
      {restoring && (
        <RestoreDialog key={restoring.turn} record={restoring.record} isOpen={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
