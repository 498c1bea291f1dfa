import type { Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { DeleteWarning } from '../delete-warning.tsx'
import { useNotify } from '../notices.tsx'
import type { BulkAction } from '../table/bulk-buttons.tsx'
import { callRoute, type RouteParams } from '../table/read-list.ts'
import type { SettleRows } from '../table/row-outcome.ts'
import { TrashIcon } from '../table/table-icons.tsx'

interface BulkDeleteOptions<Row> {
  /** `DELETE {resource}/bulk_delete`; undefined for users who may not. */
  route: Route | undefined
  /** Its path parameters. */
  params?: RouteParams | undefined
  /** The list to read again, with everything under its path. */
  listPath: string
  /** 'user' */
  itemName: string
  /** Set where only a link is removed and the record stays: what it is removed from, 'client'. */
  unlinksFrom?: string | undefined
  /** Deleted rows cannot be restored. */
  isFinal?: boolean | undefined
  rowId: (row: Row) => string
  rowName: (row: Row) => string
}

/** Some lists delete what they can and give reasons for the rest. */
interface DeleteReply {
  message?: string
  data?: { refused?: readonly { id: number; reason: string }[] } | null
}

/** The 'Delete' action of a list with its confirmation. */
export const useBulkDelete = <Row,>(
  options: BulkDeleteOptions<Row>,
): { action?: BulkAction<Row>; dialog: ReactNode } => {
  const { route, params, listPath, itemName, unlinksFrom, isFinal = false, rowId, rowName } = options
  const [pending, setPending] = useState<Row[]>([])
  const settle = useRef<SettleRows<Row>>(undefined)
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  const notify = useNotify()
  const remove = useMutation({
    mutationFn: (rows: Row[]) =>
      callRoute<DeleteReply>(route as Route, { params, query: { id: rows.map(rowId).join(',') } }),
    onSuccess: ({ message, data }) => {
      const refused = data?.refused ?? []
      setOpen(false)
      // Deleted rows leave the list; refused ones stay selected and show the reason.
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
    // Also after a failure: they may already be deleted.
    onSettled: () => client.invalidateQueries({ predicate: ({ queryKey: [path] }) => isUnder(listPath, path) }),
  })
  if (!route) return { dialog: null }
  const ask = (rows: Row[], onSettle: SettleRows<Row>) => {
    remove.reset()
    settle.current = onSettle
    setPending(rows)
    setOpen(true)
  }
  const [only] = pending
  return {
    action: { label: 'Delete', Glyph: TrashIcon, tone: 'danger', run: ask },
    dialog: (
      <ConfirmDialog
        isOpen={isOpen}
        title={questionOf(pending.length, itemName, unlinksFrom)}
        {...(pending.length === 1 && only !== undefined ? { subject: rowName(only) } : {})}
        confirmLabel={unlinksFrom === undefined ? 'Delete' : 'Remove'}
        isDestructive
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(pending)}
        onCancel={() => setOpen(false)}
      >
        {pending.length > 1 && <Names names={pending.map(rowName)} />}
        {unlinksFrom === undefined ? (
          <DeleteWarning count={pending.length} isFinal={isFinal} />
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
      // biome-ignore lint/suspicious/noArrayIndexKey: two people may have the same name, and the list never changes
      <li key={at}>{name}</li>
    ))}
    {names.length > shownNames && <li>and {names.length - shownNames} more</li>}
  </ul>
)

const isUnder = (listPath: string, path: unknown) =>
  typeof path === 'string' && (path === listPath || path.startsWith(`${listPath}/`))
