import type { Sort } from '@lis/contract/kit/list-query.ts'
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
import { entriesOf, faultsIn, isHalfWide, stillToCome, valuesOf } from './smart-filter.ts'
import { useSlices } from './use-slices.ts'

/** A form of twenty fields is drawn in a few steps. */
const fieldsAtOnce = 5

const Grid = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  gap: '10px 8px',
  '& > *': { gridColumn: 'span 2' },
  '& > .half': { gridColumn: 'span 1' },
  // A field that takes the focus from afar comes into view with its label.
  '& input': { scrollMarginTop: 32 },
})
// In the flow where the form is short; at the lower edge where it is longer than the panel.
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

/** What the form holds. */
export interface FilterDraft {
  /** The address that it began with, and those that it has sent and that have not come back yet, in their order. */
  from: string
  sent: readonly string[]
  isRefused: boolean
  /** Not sent yet. */
  isTyped: boolean
  values: Values
  sortBy: string
  order: Sort['order'] | ''
  /** Under which it will be kept. */
  viewName: string
}

export interface SortField {
  field: string
  label: string
}

interface SortAndFilterProps {
  /** It is drawn at once, else in steps. */
  isAsked: boolean
  /** What is in the form and not in the list; it begins with it. */
  typed: RefObject<FilterDraft | null>
  screen: string
  fields: readonly FieldDef[]
  sortFields: readonly SortField[]
  address: ListAddress
  onApply: (entries: SmartFilterEntry[], sort: Sort | null) => void
}

/** What is typed stays here until 'Filter'; the address, when it changes, is right again. */
export const SortAndFilter = (props: SortAndFilterProps) => {
  const { screen, fields, sortFields, address, onApply, typed } = props
  const client = useQueryClient()
  const from = signatureOf(address.filters, address.sort)
  const [draft, setDraft] = useState(() => typed.current ?? draftOf(fields, address))
  // What this form has sent itself comes back a moment later, and must not wipe out what was typed meanwhile. Not while it is drawn: an
  // address on its way is drawn several times before it counts, and a key that is pressed meanwhile is still drawn with the one before.
  useLayoutEffect(() => {
    setDraft((before) => {
      if (before.from === from) return before
      const sent = stillToCome(before.sent, from)
      return sent ? { ...before, from, sent } : { ...draftOf(fields, address), viewName: before.viewName }
    })
  }, [from, fields, address])
  useEffect(() => {
    typed.current = draft.isTyped || draft.viewName !== '' ? draft : null
  }, [typed, draft])

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
  // Not while somebody types for the first time; once refused, until it is right.
  const errors = draft.isRefused ? faultsIn(shown, draft.values) : {}
  /** Null when the form is wrong, which it then says itself. */
  const entries = (): SmartFilterEntry[] | null => {
    const faults = faultsIn(shown, draft.values)
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
    if (asked) send(asked, draft.sortBy ? { field: draft.sortBy, order: draft.order || 'ASC' } : null)
  }
  const clear = () => {
    setDraft((before) => ({ ...before, isRefused: false, values: valuesOf(fields, []), ...sortValues(null) }))
    send([], null)
  }
  const sortBy = useMemo(() => sortByField(sortFields), [sortFields])
  const drawn = useSlices(shown.length, fieldsAtOnce, props.isAsked)
  const isWhole = drawn >= shown.length
  return (
    <>
      <form ref={form} onSubmit={apply} aria-labelledby="search-options">
        <Section>
          <h2 id="search-options">Search Options</h2>
          <Grid>
            {sortFields.length > 0 && drawn > 0 && (
              <>
                <FilterField className="half" field={sortBy} value={draft.sortBy} onChange={setSort} />
                <FilterField className="half" field={orderField} value={draft.order} onChange={setSort} />
              </>
            )}
            {shown.slice(0, drawn).map((field, index) => (
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
          {/* Below the fields, so not before them: nothing moves. */}
          {isWhole && (
            <Actions>
              <Button onClick={clear}>Clear</Button>
              <Button type="submit" variant="contained">
                Filter
              </Button>
            </Actions>
          )}
        </Section>
      </form>
      {isWhole && <CustomViewForm screen={screen} entries={entries} name={draft.viewName} onName={setViewName} />}
    </>
  )
}

/** The form as the address says it. */
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
