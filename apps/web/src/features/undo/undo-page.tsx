import { type UndoAction, undoRoutes } from '@lis/contract/undo.ts'
import { useQuery } from '@tanstack/react-query'
import { queryClient, read } from '../../lib/query.ts'
import { runUndo } from '../../lib/undo.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

// Read again at every visit: users come here right after doing something.
queryClient.setQueryDefaults([undoRoutes.list.path], { staleTime: 0 })

const UndoButton = ({ action }: { action: UndoAction }) => {
  const [isBusy, whileBusy] = useBusy()
  return (
    <ActionButton size="small" isBusy={isBusy} onClick={() => whileBusy(() => runUndo(action.id))}>
      Undo
    </ActionButton>
  )
}

const columns: Column<UndoAction>[] = [
  {
    key: 'description',
    header: 'Action',
    width: 320,
    card: 'title',
    cell: ({ description }) => <span className="strong">{description}</span>,
  },
  { key: 'createDate', header: 'Done', width: 150, cell: ({ createDate }) => <Timestamp at={createDate} /> },
  { key: 'expiresAt', header: 'Until', width: 150, cell: ({ expiresAt }) => <Timestamp at={expiresAt} /> },
  { key: 'reason', header: 'In the way', width: 320, cell: ({ reason }) => reason },
  { key: 'undo', header: 'Undo', width: 90, cell: (action) => action.canUndo && <UndoButton action={action} /> },
]
const idOf = ({ id }: UndoAction) => String(id)
const nameOf = ({ description }: UndoAction) => description

/** What the user has done lately and can still undo. */
export const UndoPage = () => {
  const query = useQuery(read(undoRoutes.list))
  return (
    <>
      <PageHeader title="Undo" />
      <div style={{ padding: 16 }}>
        <CardTable
          title="Your last actions"
          columns={columns}
          query={query}
          rowId={idOf}
          rowName={nameOf}
          empty="Nothing that can be undone has been done."
        />
      </div>
    </>
  )
}
