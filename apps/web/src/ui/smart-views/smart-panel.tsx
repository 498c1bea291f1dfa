import type { Sort } from '@lis/contract/kit/list-query.ts'
import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import IconButton from '@mui/material/IconButton'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useState } from 'react'
import type { ListAddress, SmartFilterEntry } from '../../lib/list-address.ts'
import { useRole } from '../../lib/session.ts'
import { Dialog } from '../dialog.tsx'
import type { FieldDef } from '../form/field-types.ts'
import { CloseIcon } from '../icons.tsx'
import { panelId } from './filter-bar.tsx'
import { PanelTabs } from './panel-tabs.tsx'
import { SavedViews } from './saved-views.tsx'
import { fieldsFor } from './smart-filter.ts'
import { type FilterDraft, SortAndFilter, type SortField } from './sort-and-filter.tsx'
import { type CountedList, defaultListOf, type SavedView } from './use-saved-views.ts'

/** Beside the table if there is room; otherwise over it, leaving its toolbar and footer free. */
const Side = styled('aside')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  flexDirection: 'column',
  width: 'var(--smart-panel)',
  minHeight: 0,
  '--panel': 'var(--surface-2)',
  background: 'var(--panel)',
  borderLeft: '1px solid var(--line)',
  borderTop: '1px solid var(--line)',
  [theme.breakpoints.down('lg')]: {
    position: 'absolute',
    inset: '44px 0 44px auto',
    zIndex: 20,
    '--panel': 'var(--surface)',
    boxShadow: 'var(--shadow-3)',
  },
}))
const Head = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  padding: '0 8px 0 16px',
  borderBottom: '1px solid var(--line)',
  [theme.breakpoints.down('sm')]: { minHeight: 56 },
}))
// The content scrolls; the header stays.
const Body = styled('div')({ flex: '1 1 auto', minHeight: 0, overflow: 'hidden auto', overscrollBehavior: 'contain' })

export interface SmartPanelProps {
  /** The user opened it; otherwise it is rendered after the page. */
  isImmediate: boolean
  /** Outlives the panel, which is remounted in a narrow window. */
  unapplied: RefObject<FilterDraft | null>
  /** The resource of the list, which saved views belong to. */
  screen: string
  fields: readonly FieldDef[]
  sortFields: readonly SortField[]
  address: ListAddress
  /** Without `sort` the order stays; null is the default order. */
  onApply: (entries: SmartFilterEntry[], sort?: Sort | null) => void
  onClose: () => void
  /** The view that the address names. */
  view: SavedView | undefined
  unsavedColumns: readonly ColumnSetting[] | null
  /** Opens a view, or with null closes the open one. */
  onOpenView: (view: SavedView | null) => void
  /** The list in which the records of saved views are counted; by default the one at the screen's own path. */
  list?: CountedList | undefined
}

/** The panel starts with 'Sort and Filter' (VIEW-G2). */
const tabs = ['Smart Views', 'Sort and Filter'] as const
const sortAndFilter = 1

/** Saved views, and the form that sorts, filters and saves a new view. */
export const SmartPanel = (props: SmartPanelProps) => {
  const { screen, fields, sortFields, address, onApply, onClose, list } = props
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const isOver = useMediaQuery(useTheme().breakpoints.down('lg'), { noSsr: true })
  const [tab, setTab] = useState(sortAndFilter)
  const [isAsked, setAsked] = useState(props.isImmediate)
  const changeTab = (next: number) => {
    setAsked(true)
    setTab(next)
  }
  const id = panelId(screen)
  const role = useRole()
  const shown = useMemo(() => fieldsFor(fields, role), [fields, role])
  const close = () => {
    // Return the focus to the button that opened the panel, or keyboard users start again at the top of the page.
    document.querySelector<HTMLElement>(`[aria-controls="${id}"]`)?.focus()
    onClose()
  }
  // Move the focus into the panel: the whole table is between it and the button.
  useEffect(() => {
    if (document.activeElement?.getAttribute('aria-controls') === id)
      document.getElementById(`${id}-tab-${sortAndFilter}`)?.focus()
  }, [id])
  const applyForm = (entries: SmartFilterEntry[], sort: Sort | null) => {
    onApply(entries, sort)
    if (isPhone) onClose()
  }
  const openView = (view: SavedView | null) => {
    // A second click, 'Save' and 'Undo' stay with the view; the first click shows what it filters by.
    const isSame = view !== null && view.id === props.view?.id
    props.onOpenView(view)
    if (view !== null && !isSame) changeTab(sortAndFilter)
  }
  const content = (
    <>
      <Head>
        <PanelTabs label="View & Filters" id={id} tabs={tabs} current={tab} onChange={changeTab} />
        <IconButton aria-label="Close View & Filters" onClick={close}>
          <CloseIcon />
        </IconButton>
      </Head>
      <Body id={`${id}-body`} role="tabpanel" aria-labelledby={`${id}-tab-${tab}`}>
        {tab === sortAndFilter ? (
          <SortAndFilter
            isImmediate={isAsked}
            unapplied={props.unapplied}
            screen={screen}
            fields={shown}
            sortFields={sortFields}
            address={address}
            columns={props.unsavedColumns ?? props.view?.columns ?? null}
            onApply={applyForm}
          />
        ) : (
          <SavedViews
            screen={screen}
            list={list ?? defaultListOf(screen)}
            fields={shown}
            address={address}
            open={props.view}
            unsavedColumns={props.unsavedColumns}
            sortFields={sortFields}
            onOpen={openView}
            onSaveAsNew={() => changeTab(sortAndFilter)}
          />
        )}
      </Body>
    </>
  )
  if (isPhone) {
    return (
      <Dialog
        open
        fullScreen
        onClose={onClose}
        slotProps={{ paper: { id, 'aria-label': 'View & Filters', sx: fullScreen } }}
      >
        {content}
      </Dialog>
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOver && !event.defaultPrevented) close()
  }
  return (
    <Side id={id} aria-label="View & Filters" onKeyDown={onKeyDown}>
      {content}
    </Side>
  )
}

const fullScreen = {
  '--panel': 'var(--surface)',
  margin: 0,
  width: '100%',
  borderRadius: 0,
  background: 'var(--panel)',
}
