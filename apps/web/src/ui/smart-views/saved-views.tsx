import { messages } from '@lis/contract/messages.ts'
import OutlinedInput from '@mui/material/OutlinedInput'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { useRef, useState } from 'react'
import type { ListAddress, SmartFilterEntry } from '../../lib/list-address.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { DeleteWarning } from '../delete-warning.tsx'
import type { FieldDef } from '../form/field-types.ts'
import { SearchIcon } from '../icons.tsx'
import { useNotify } from '../notices.tsx'
import { EmptyState, ErrorState } from '../states.tsx'
import { SavedViewItem } from './saved-view-item.tsx'
import { splitFilters, toEntries } from './smart-filter.ts'
import { type CountedList, type SavedView, useRemoveView, useSavedViews } from './use-saved-views.ts'

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
  onSelect: (entries: SmartFilterEntry[]) => void
}

/** The saved views of the screen: searched by name, applied by a click, deleted after a confirmation. */
export const SavedViews = ({ screen, list, fields, address, onSelect }: SavedViewsProps) => {
  const notify = useNotify()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [deleting, setDeleting] = useState<SavedView | null>(null)
  const name = useDebounced(text.trim(), debounceMs)
  const { data, error, refetch } = useSavedViews(screen, name)
  const select = (view: SavedView) => {
    const { known, unknown } = splitFilters(fields, toEntries(view.smartValues))
    if (unknown.length > 0)
      notify.warning(`'${view.smartName}' holds a filter that this list does not have. It is applied without.`)
    onSelect(known)
  }
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
            onSelect={() => select(view)}
            onDelete={() => setDeleting(view)}
          />
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
      <DeleteView view={deleting} onDone={() => input.current?.focus()} onClose={() => setDeleting(null)} />
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
