import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import { messages } from '@lis/contract/messages.ts'
import OutlinedInput from '@mui/material/OutlinedInput'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { useMemo, useRef, useState } from 'react'
import type { ListAddress } from '../../lib/list-address.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { DeleteWarning } from '../delete-warning.tsx'
import type { FieldDef } from '../form/field-types.ts'
import { SearchIcon } from '../icons.tsx'
import { lazyPart } from '../lazy-part.tsx'
import { EmptyState, ErrorState } from '../states.tsx'
import { SavedViewItem } from './saved-view-item.tsx'
import type { SortField } from './sort-and-filter.tsx'
import { type CountedList, type SavedView, useRemoveView, useSavedViews } from './use-saved-views.ts'

const ViewEditor = lazyPart(async () => (await import('./view-editor.tsx')).ViewEditor)

/** Delay after typing before the views are loaded (1§9). */
const debounceMs = 1000

const Search = styled('div')({ padding: '12px 16px 8px', '& svg': { flex: 'none', color: 'var(--text-3)' } })
const Row = styled('li')({
  height: 44,
  padding: '10px 16px',
  borderTop: '1px solid var(--line)',
  display: 'flex',
  flexDirection: 'column',
  gap: 6,
})

interface SavedViewsProps {
  screen: string
  list: CountedList | undefined
  fields: readonly FieldDef[]
  address: ListAddress
  /** The view that the address names. */
  open: SavedView | undefined
  unsavedColumns: readonly ColumnSetting[] | null
  sortFields: readonly SortField[]
  /** Opens a view, or with null closes the open one. */
  onOpen: (view: SavedView | null) => void
  onSaveAsNew: () => void
}

/** The saved views of the screen: searched by name, opened by a click, changed by their owner, deleted after a confirmation. */
export const SavedViews = (props: SavedViewsProps) => {
  const { screen, list, fields, address, open, onOpen } = props
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [deleting, setDeleting] = useState<SavedView | null>(null)
  const name = useDebounced(text.trim(), debounceMs)
  const { data, error, refetch } = useSavedViews(screen, name)
  const sortLabels = useMemo(
    () => new Map(props.sortFields.map(({ field, label }) => [field, label])),
    [props.sortFields],
  )
  const shown = () => {
    if (error) return <ErrorState title={messages.listFailed} onRetry={() => refetch()} />
    if (!data) return <LoadingRows />
    if (data.data.length === 0) return <NoViews name={name} />
    return (
      <ul aria-label="Smart views">
        {data.data.map((view) => (
          <SavedViewItem
            key={view.id}
            view={view}
            list={list}
            fields={fields}
            address={address}
            isOpen={open?.id === view.id}
            onSelect={() => onOpen(view)}
            onDelete={view.isOwn ? () => setDeleting(view) : undefined}
          >
            {open?.id === view.id && (
              <ViewEditor
                key={`${view.id} ${view.version}`}
                view={view}
                fields={fields}
                sortLabels={sortLabels}
                address={address}
                unsavedColumns={props.unsavedColumns}
                onSettled={() => onOpen(view)}
                onSaveAsNew={props.onSaveAsNew}
              />
            )}
          </SavedViewItem>
        ))}
      </ul>
    )
  }
  return (
    <>
      <Search>
        <OutlinedInput
          fullWidth
          inputRef={input}
          value={text}
          placeholder="Filter Smart Views"
          startAdornment={<SearchIcon size={14} />}
          slotProps={{ input: { 'aria-label': 'Filter Smart Views', autoComplete: 'off' } }}
          onChange={(event) => setText(event.target.value)}
        />
      </Search>
      {shown()}
      <DeleteView
        view={deleting}
        onDone={() => {
          input.current?.focus()
          if (deleting?.id === open?.id) onOpen(null)
        }}
        onClose={() => setDeleting(null)}
      />
    </>
  )
}

const LoadingRows = () => (
  <ul role="status" aria-label="Data loading">
    {[120, 88, 136].map((width) => (
      <Row key={width}>
        <Skeleton variant="rectangular" width={width} height={8} />
        <Skeleton variant="rectangular" width={width / 2} height={8} />
      </Row>
    ))}
  </ul>
)

const NoViews = ({ name }: { name: string }) =>
  name === '' ? (
    <EmptyState title="No smart views yet">Set filters under 'Sort and Filter' and save them under a name.</EmptyState>
  ) : (
    <EmptyState title="No smart view found">None of your views is called '{name}'.</EmptyState>
  )

interface DeleteViewProps {
  view: SavedView | null
  /** The row with its button is gone: move the focus. */
  onDone: () => void
  onClose: () => void
}

const DeleteView = ({ view, onDone, onClose }: DeleteViewProps) => {
  const remove = useRemoveView()
  const [isBusy, whileBusy] = useBusy()
  const confirm = async () => {
    if (!view) return
    await whileBusy(async () => {
      await remove({ params: { id: view.id } })
      onClose()
      onDone()
    })
  }
  return (
    <ConfirmDialog
      isOpen={view !== null}
      title={messages.deleteOne('smart view')}
      subject={view?.smartName ?? ''}
      confirmLabel="Delete"
      isDestructive
      isBusy={isBusy}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <DeleteWarning />
    </ConfirmDialog>
  )
}
