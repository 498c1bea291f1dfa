import { type DeletedRecord, deletedKinds, deletedRecordRoutes } from '@lis/contract/deleted-records.ts'
import { useMemo, useState } from 'react'
import { queryClient } from '../../lib/query.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { deletedRecordColumns, deletedRecordFilters } from './deleted-record-columns.tsx'
import { RestoreQuestion } from './restore-question.tsx'

// Read anew at every visit: people come here straight from deleting, on whichever page they did it.
queryClient.setQueryDefaults([deletedRecordRoutes.list.path], { staleTime: 0 })

const nameOf = ({ kind, record }: DeletedRecord) => `${deletedKinds[kind]} ${record}`

/** Everything that was deleted, the newest first, and the way back. */
export const DeletedRecordsPage = () => {
  // Each question is a new one: what stood in the way of the last need not stand there now.
  const [asked, setAsked] = useState<{ record: DeletedRecord; turn: number }>()
  const [isOpen, setOpen] = useState(false)
  const columns = useMemo(
    () =>
      deletedRecordColumns((record) => {
        setAsked((before) => ({ record, turn: (before?.turn ?? 0) + 1 }))
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
      {asked && (
        <RestoreQuestion key={asked.turn} record={asked.record} isOpen={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
