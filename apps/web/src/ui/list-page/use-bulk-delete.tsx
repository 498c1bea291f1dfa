import type { Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { DeleteWarning } from '../delete-warning.tsx'
import { useNotify } from '../notices.tsx'
import type { BulkAction } from '../table/bulk-buttons.tsx'
import { callGiven, isCancelled, type RouteParams } from '../table/read-list.ts'
import type { SettleRows } from '../table/row-outcome.ts'
import { TrashIcon } from '../table/table-icons.tsx'

interface BulkDeleteOptions<Row> {
  /** `DELETE {resource}/bulk_delete`; absent where the reader may not. */
  route: Route | undefined
  /** Parts of its path. */
  params?: RouteParams | undefined
  /** The list that must be read again; what lies under its path too. */
  listPath: string
  /** 'user' */
  itemName: string
  /** Where only a link goes and the record stays: what it is removed from, 'client'. */
  unlinksFrom?: string | undefined
  /** It cannot be restored. */
  isFinal?: boolean | undefined
  rowId: (row: Row) => string
  rowName: (row: Row) => string
}

/** Some lists delete what they can and say of the others why not. */
interface DeleteReply {
  message?: string
  data?: { refused?: readonly { id: number; reason: string }[] } | null
}

/** The action 'Delete' of a list, and the question before it. */
export const useBulkDelete = <Row,>(
  options: BulkDeleteOptions<Row>,
): { action?: BulkAction<Row>; dialog: ReactNode } => {
  const { route, params, listPath, itemName, unlinksFrom, isFinal = false, rowId, rowName } = options
  const [asked, setAsked] = useState<Row[]>([])
  const settle = useRef<SettleRows<Row>>(undefined)
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  const notify = useNotify()
  const remove = useMutation({
    mutationFn: (rows: Row[]) =>
      callGiven<DeleteReply>(route as Route, { params, query: { id: rows.map(rowId).join(',') } }),
    onSuccess: ({ message, data }) => {
      const refused = data?.refused ?? []
      setOpen(false)
      // What is deleted leaves the list; what the server refused stays, ticked, and says why.
      settle.current?.(
        (row) => {
          const refusal = refused.find(({ id }) => String(id) === rowId(row))
          return refusal && { isDone: false, text: refusal.reason }
        },
        { done: 'deleted' },
      )
      if (refused.length === 0) notify.info(message || messages.deleted)
      else notify.warning([message, ...refused.map(({ reason }) => reason)].join('\n'))
    },
    onError: (error) => isCancelled(error) || notify.error(error.message, { cause: error }),
    // After a failure too: perhaps they are gone already.
    onSettled: () => client.invalidateQueries({ predicate: ({ queryKey: [path] }) => isUnder(listPath, path) }),
  })
  if (!route) return { dialog: null }
  const ask = (rows: Row[], onSettle: SettleRows<Row>) => {
    remove.reset()
    settle.current = onSettle
    setAsked(rows)
    setOpen(true)
  }
  const [only] = asked
  return {
    action: { label: 'Delete', Glyph: TrashIcon, tone: 'danger', run: ask },
    dialog: (
      <ConfirmDialog
        isOpen={isOpen}
        title={questionOf(asked.length, itemName, unlinksFrom)}
        {...(asked.length === 1 && only !== undefined ? { subject: rowName(only) } : {})}
        confirmLabel={unlinksFrom === undefined ? 'Delete' : 'Remove'}
        isDestructive
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(asked)}
        onCancel={() => setOpen(false)}
      >
        {asked.length > 1 && <Names names={asked.map(rowName)} />}
        {unlinksFrom === undefined ? (
          <DeleteWarning count={asked.length} isFinal={isFinal} />
        ) : (
          messages.unlinkNote(itemName)
        )}
        {remove.isError && (
          <p role="alert" style={{ color: 'var(--error)', marginTop: 8 }}>
            {remove.error.message}
          </p>
        )}
      </ConfirmDialog>
    ),
  }
}

const questionOf = (count: number, itemName: string, unlinksFrom: string | undefined) => {
  if (unlinksFrom === undefined)
    return count === 1 ? messages.deleteOne(itemName) : messages.deleteMany(count, itemName)
  return count === 1 ? messages.unlinkOne(itemName, unlinksFrom) : messages.unlinkMany(count, itemName, unlinksFrom)
}

const shownNames = 5

const Names = ({ names }: { names: string[] }) => (
  <ul style={{ color: 'var(--text)', marginBottom: 2 }}>
    {names.slice(0, shownNames).map((name, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two people may bear the same name, and the list never changes
      <li key={at}>{name}</li>
    ))}
    {names.length > shownNames && <li>and {names.length - shownNames} more</li>}
  </ul>
)

const isUnder = (listPath: string, path: unknown) =>
  typeof path === 'string' && (path === listPath || path.startsWith(`${listPath}/`))
