import type { Sort } from '@lis/contract/kit/list-query.ts'
import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import {
  type RefObject,
  type SubmitEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ListAddress, SmartFilterEntry } from '../../lib/list-address.ts'
import { emptyValue, type FieldDef, type Values } from '../form/field-types.ts'
import { CustomViewForm } from './custom-view-form.tsx'
import { FilterField } from './filter-field.tsx'
import { lookupOptions } from './lookup-options.ts'
import { Section } from './panel-parts.tsx'
import { entriesOf, filterErrors, isHalfWide, pendingAfter, valuesOf } from './smart-filter.ts'
import { useIncrementalRender } from './use-incremental-render.ts'

/** The form has twenty fields and is rendered in steps. */
const fieldsPerStep = 5

const Grid = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  gap: '10px 8px',
  '& > *': { gridColumn: 'span 2' },
  '& > .half': { gridColumn: 'span 1' },
  // A focused field scrolls into view with its label.
  '& input': { scrollMarginTop: 32 },
})
// In the normal flow if the form is short, otherwise sticky at the bottom.
const Actions = styled('div')({
  position: 'sticky',
  bottom: 0,
  zIndex: 1,
  display: 'grid',
  gridTemplateColumns: '1fr 1fr',
  gap: 8,
  margin: '-8px -16px -12px',
  padding: '10px 16px 12px',
  background: 'var(--panel)',
})

/** The state of the form. */
export interface FilterDraft {
  /** The address it started from, and those it has sent that have not returned yet, in order. */
  from: string
  sent: readonly string[]
  isRefused: boolean
  /** Not applied yet. */
  isTyped: boolean
  values: Values
  sortBy: string
  order: Sort['order'] | ''
  /** Name of the view to save. */
  viewName: string
}

export interface SortField {
  field: string
  label: string
}

interface SortAndFilterProps {
  /** Rendered at once, otherwise in steps. */
  isImmediate: boolean
  /** Unapplied input, which the form starts with. */
  unapplied: RefObject<FilterDraft | null>
  screen: string
  fields: readonly FieldDef[]
  sortFields: readonly SortField[]
  address: ListAddress
  /** The columns of a view saved from here; null means the user's own. */
  columns: readonly ColumnSetting[] | null
  onApply: (entries: SmartFilterEntry[], sort: Sort | null) => void
}

/** Input is applied by 'Filter'; when the address changes, it replaces the input. */
export const SortAndFilter = (props: SortAndFilterProps) => {
  const { screen, fields, sortFields, address, onApply, unapplied } = props
  const client = useQueryClient()
  const from = signatureOf(address.filters, address.sort)
  const [draft, setDraft] = useState(() => unapplied.current ?? draftOf(fields, address))
  // An address that this form has sent returns a moment later, and must not overwrite what was typed meanwhile. In an effect, not during
  // rendering: a pending address is rendered several times before it is committed.
  useLayoutEffect(() => {
    setDraft((before) => {
      if (before.from === from) return before
      const sent = pendingAfter(before.sent, from)
      return sent ? { ...before, from, sent } : { ...draftOf(fields, address), viewName: before.viewName }
    })
  }, [from, fields, address])
  useEffect(() => {
    unapplied.current = draft.isTyped || draft.viewName !== '' ? draft : null
  }, [unapplied, draft])

  const setValue = useCallback(
    ({ name, clears = [] }: FieldDef, value: unknown) => {
      const cleared = fields.filter((other) => clears.includes(other.name))
      const emptied = Object.fromEntries(cleared.map((other) => [other.name, emptyValue(other.kind)]))
      setDraft((before) => ({ ...before, isTyped: true, values: { ...before.values, ...emptied, [name]: value } }))
    },
    [fields],
  )
  const setSort = useCallback(({ name }: FieldDef, value: unknown) => {
    setDraft((before) => ({ ...before, isTyped: true, [name]: value }))
  }, [])
  const setViewName = (viewName: string) => setDraft((before) => ({ ...before, viewName }))

  const shown = fields.filter((field) => !field.isHidden?.(draft.values))
  const form = useRef<HTMLFormElement>(null)
  // Errors are shown only after the form was refused once.
  const errors = draft.isRefused ? filterErrors(shown, draft.values) : {}
  /** Null if the form is invalid; it then shows the errors. */
  const entries = (): SmartFilterEntry[] | null => {
    const faults = filterErrors(shown, draft.values)
    const wrong = shown.find(({ name }) => name in faults)
    setDraft((before) => ({ ...before, isRefused: wrong !== undefined }))
    if (wrong) {
      const input = form.current?.elements.namedItem(wrong.name)
      if (input instanceof HTMLElement) input.focus()
      return null
    }
    return entriesOf(fields, draft.values, (field) => lookupOptions(client, field, draft.values), address.filters)
  }
  const send = (filters: SmartFilterEntry[], sort: Sort | null) => {
    setDraft((before) => ({ ...before, isTyped: false, sent: [...before.sent, signatureOf(filters, sort)] }))
    onApply(filters, sort)
  }
  const apply = (event: SubmitEvent) => {
    event.preventDefault()
    const asked = entries()
    if (asked) send(asked, askedSort(draft, address.sort))
  }
  const clear = () => {
    setDraft((before) => ({ ...before, isRefused: false, values: valuesOf(fields, []), ...sortValues(null) }))
    send([], null)
  }
  const sortBy = useMemo(() => sortByField(sortFields), [sortFields])
  const renderedCount = useIncrementalRender(shown.length, fieldsPerStep, props.isImmediate)
  const isComplete = renderedCount >= shown.length
  return (
    <>
      <form ref={form} onSubmit={apply} aria-labelledby="search-options">
        <Section>
          <h2 id="search-options">Search Options</h2>
          <Grid>
            {sortFields.length > 0 && renderedCount > 0 && (
              <>
                <FilterField className="half" field={sortBy} value={draft.sortBy} onChange={setSort} />
                <FilterField className="half" field={orderField} value={draft.order} onChange={setSort} />
              </>
            )}
            {shown.slice(0, renderedCount).map((field, index) => (
              <FilterField
                key={field.name}
                className={isHalfWide(shown, index) ? 'half' : undefined}
                field={field}
                value={draft.values[field.name]}
                values={dependsOnOthers(field) ? draft.values : undefined}
                onChange={setValue}
                error={errors[field.name]}
              />
            ))}
          </Grid>
          {/* Rendered after the fields above it, so that nothing moves. */}
          {isComplete && (
            <Actions>
              <Button onClick={clear}>Clear</Button>
              <Button type="submit" variant="contained">
                Filter
              </Button>
            </Actions>
          )}
        </Section>
      </form>
      {isComplete && (
        <CustomViewForm
          screen={screen}
          entries={entries}
          sort={address.sort}
          columns={props.columns}
          name={draft.viewName}
          onName={setViewName}
        />
      )}
    </>
  )
}

/** The form for an address. */
const draftOf = (fields: readonly FieldDef[], { filters, sort }: ListAddress): FilterDraft => ({
  from: signatureOf(filters, sort),
  sent: [],
  isRefused: false,
  isTyped: false,
  viewName: '',
  values: valuesOf(fields, filters),
  ...sortValues(sort),
})

const signatureOf = (filters: readonly SmartFilterEntry[], sort: Sort | null) => JSON.stringify([filters, sort])

/** The form shows the first key; unless that is changed, the others stay. */
const askedSort = ({ sortBy, order }: FilterDraft, before: Sort | null): Sort | null => {
  if (!sortBy) return null
  const asked = { field: sortBy, order: order || 'ASC' } as const
  return before?.field === asked.field && before.order === asked.order ? before : asked
}

const sortByField = (sortFields: readonly SortField[]): FieldDef => ({
  name: 'sortBy',
  label: 'Sort by',
  kind: 'select',
  options: sortFields.map(({ field, label }) => ({ value: field, label })),
})
const orderField: FieldDef = {
  name: 'order',
  label: 'Order',
  kind: 'select',
  options: [
    { value: 'ASC', label: 'Ascending' },
    { value: 'DESC', label: 'Descending' },
  ],
}
const sortValues = (sort: Sort | null): { sortBy: string; order: Sort['order'] | '' } => ({
  sortBy: sort?.field ?? '',
  order: sort?.order ?? 'ASC',
})
const dependsOnOthers = ({ lookupParams, render }: FieldDef): boolean =>
  lookupParams !== undefined || render !== undefined
