import { registered, roleTable } from '@lis/contract/access/roles.ts'
import { sortKeys } from '@lis/contract/kit/list-query.ts'
import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import { smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListAddress } from '../../lib/list-address.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../action-button.tsx'
import { FieldInput } from '../form/field-input.tsx'
import type { FieldDef } from '../form/field-types.ts'
import { lazyPart } from '../lazy-part.tsx'
import { TextField } from '../text-field.tsx'
import { isSameFilter, summaryOf, toEntries, toSmartValues } from './smart-filter.ts'
import { type SavedView, useChooseView, useShareView, useUpdateView } from './use-saved-views.ts'
import { ViewAlertForm } from './view-alert-form.tsx'

const SchedulesDialog = lazyPart(async () => (await import('../schedules/schedules-dialog.tsx')).SchedulesDialog)

const Form = styled('form')({
  display: 'flex',
  flexDirection: 'column',
  gap: 10,
  padding: '8px 16px 12px',
  borderTop: '1px solid var(--line)',
  background: 'var(--surface)',
  boxShadow: 'inset 2px 0 0 var(--p)',
  '& .changed': {
    alignSelf: 'start',
    padding: '1px 6px',
    borderRadius: 'var(--r-sm)',
    background: 'var(--info-bg)',
    color: 'var(--info)',
    fontSize: 11,
    fontWeight: 600,
  },
  '& dl': { display: 'grid', gap: 2, margin: 0, color: 'var(--text-2)' },
  '& dl > div': { display: 'flex', gap: 6 },
  '& dt': { flex: 'none', width: 56, color: 'var(--text-3)' },
  '& dd': { margin: 0, minWidth: 0, overflowWrap: 'anywhere' },
  '& label.switch': { display: 'flex', alignItems: 'center', gap: 6, cursor: 'pointer' },
  '& label.switch input': { width: 16, height: 16, margin: 0, accentColor: 'var(--p)' },
  '& .actions': { display: 'flex', flexWrap: 'wrap', gap: 8 },
})

interface ViewEditorProps {
  view: SavedView
  fields: readonly FieldDef[]
  sortLabels: ReadonlyMap<string, string>
  address: ListAddress
  /** Columns changed since the view was opened; null is as saved. */
  unsavedColumns: readonly ColumnSetting[] | null
  /** Saved or undone: the address names the view alone again. */
  onSettled: () => void
  onSaveAsNew: () => void
}

/** The contents of the open view, with controls for its owner to change and share it. */
export const ViewEditor = (props: ViewEditorProps) => {
  const { view, fields, sortLabels, address, unsavedColumns, onSettled, onSaveAsNew } = props
  const [name, setName] = useState(view.smartName)
  const [isBusy, whileBusy] = useBusy()
  const update = useUpdateView()
  const choose = useChooseView()
  const hasOtherFilters = !isSameFilter(toEntries(view.smartValues), address.filters)
  const sort = sortKeys(address.sort)
  const hasOtherSort = JSON.stringify(sort) !== JSON.stringify(view.sort ?? [])
  const changes = [
    name.trim() !== view.smartName && 'name',
    hasOtherFilters && 'filter',
    hasOtherSort && 'order',
    unsavedColumns !== null && 'columns',
  ].filter(Boolean)
  const save = () =>
    whileBusy(async () => {
      const { id, version } = view
      const body = {
        version,
        ...(name.trim() !== view.smartName && { smartName: name.trim() }),
        ...(hasOtherFilters && { smartValues: toSmartValues(address.filters) }),
        ...(hasOtherSort && { sort }),
        ...(unsavedColumns && { columns: [...unsavedColumns] }),
      }
      await update({ params: { id }, body })
      onSettled()
    })
  const order = sort.map(
    ({ field, order: way }) => `${sortLabels.get(field) ?? field} ${way === 'ASC' ? 'ascending' : 'descending'}`,
  )
  const columns = unsavedColumns ?? view.columns
  return (
    <Form
      aria-label={`View ${view.smartName}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (changes.length > 0 && !isBusy) void save()
      }}
    >
      {changes.length > 0 && <span className="changed">Changed: {changes.join(', ')}</span>}
      {view.canChange ? (
        <TextField
          label="View name"
          value={name}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
      ) : (
        <span>
          Shared by {view.ownerName}. Only {view.ownerName} can change it.
        </span>
      )}
      <dl>
        <div>
          <dt>Filter</dt>
          <dd>{summaryOf(fields, address.filters) || 'None'}</dd>
        </div>
        <div>
          <dt>Order</dt>
          <dd>{order.join(', then ') || 'As the list'}</dd>
        </div>
        <div>
          <dt>Columns</dt>
          <dd>{columns ? `${columns.filter(({ isVisible }) => isVisible).length} shown` : 'Your own'}</dd>
        </div>
      </dl>
      <Switch
        label="Opens by default for me"
        isOn={view.isDefault}
        save={(isDefault) => choose({ params: { id: view.id }, body: { isDefault } })}
      />
      <Switch
        label="Pinned to Home"
        isOn={view.isPinned}
        save={(isPinned) => choose({ params: { id: view.id }, body: { isPinned } })}
      />
      <ViewAlertForm id={view.id} />
      {view.smartScreen.startsWith('requisitions/') && <ViewSchedules view={view} />}
      {view.canChange && <Sharing view={view} />}
      <div className="actions">
        {view.canChange && (
          <ActionButton type="submit" variant="contained" isBusy={isBusy} disabled={changes.length === 0}>
            Save
          </ActionButton>
        )}
        <Button onClick={onSaveAsNew}>Save as New</Button>
        {changes.length > 0 && (
          <Button
            variant="text"
            onClick={() => {
              setName(view.smartName)
              onSettled()
            }}
          >
            Undo
          </Button>
        )}
      </div>
    </Form>
  )
}

const ViewSchedules = ({ view }: { view: SavedView }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <Button type="button" onClick={() => setOpen(true)}>
        Send by mail
      </Button>
      {isOpen && (
        <SchedulesDialog subject={{ smartFilterId: view.id, name: view.smartName }} onClose={() => setOpen(false)} />
      )}
    </div>
  )
}

/** Saved at once; a refusal, which `useSave` announces, puts it back. */
const Switch = ({ label, isOn, save }: { label: string; isOn: boolean; save: (isOn: boolean) => Promise<unknown> }) => {
  const [asked, setAsked] = useState<boolean | null>(null)
  return (
    <label className="switch">
      <input
        type="checkbox"
        checked={asked ?? isOn}
        onChange={(event) => {
          setAsked(event.target.checked)
          save(event.target.checked).catch(() => setAsked(null))
        }}
      />
      {label}
    </label>
  )
}

type Registered = (typeof registered)[number]
const isRegistered = (code: string): code is Registered => (registered as readonly string[]).includes(code)
const roleOptions = roleTable
  .filter(({ userRoleCode }) => isRegistered(userRoleCode))
  .map(({ userRoleCode, userRoleDesc }) => ({ value: userRoleCode, label: userRoleDesc }))
const staff: readonly string[] = ['ADM', 'MGMT', 'STF']

/** Whom the view is shared with; saved at once. */
const Sharing = ({ view }: { view: SavedView }) => {
  const share = useShareView()
  const sharesWithRoles = staff.includes(useRole())
  const { data } = useQuery(read(smartFilterRoutes.receivers))
  const people = (data?.data ?? []).map(({ id, userFullName, userName }) => ({
    value: id,
    label: `${userFullName} (${userName})`,
  }))
  const [shares, setShares] = useState({ roleCodes: view.roleCodes, userIds: view.userIds })
  const save = async (change: Partial<typeof shares>) => {
    const next = { ...shares, ...change }
    setShares(next)
    const body = { ...next, roleCodes: next.roleCodes.filter(isRegistered) }
    await share({ params: { id: view.id }, body }).catch(() => setShares(shares))
  }
  const added = (value: unknown) => people.find((person) => String(person.value) === String(value))
  const chosen = shares.userIds.map((id) => ({
    id,
    label: people.find(({ value }) => value === id)?.label ?? `User ${id}`,
  }))
  return (
    <fieldset style={{ margin: 0, padding: 0, border: 0, minWidth: 0 }}>
      <legend style={{ padding: 0, marginBottom: 4, fontSize: 11, fontWeight: 600 }}>Shared with</legend>
      {sharesWithRoles &&
        roleOptions.map(({ value, label }) => (
          <Switch
            key={value}
            label={`Role: ${label}`}
            isOn={shares.roleCodes.includes(value)}
            save={(isOn) =>
              save({
                roleCodes: isOn ? [...shares.roleCodes, value] : shares.roleCodes.filter((code) => code !== value),
              })
            }
          />
        ))}
      {chosen.map(({ id, label }) => (
        <Switch
          key={id}
          label={label}
          isOn
          save={() => save({ userIds: shares.userIds.filter((one) => one !== id) })}
        />
      ))}
      <FieldInput
        field={{
          name: 'person',
          label: 'Share with a person',
          kind: 'autocomplete',
          options: people.filter(({ value }) => !shares.userIds.includes(value)),
        }}
        value=""
        values={{}}
        onChange={(value) => {
          const person = added(value)
          if (person) void save({ userIds: [...shares.userIds, person.value] })
        }}
        placeholder="Name"
      />
    </fieldset>
  )
}
