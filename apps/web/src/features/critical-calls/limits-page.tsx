import { type CriticalLimit, criticalCallRoutes, criticalLabels as label } from '@lis/contract/critical-calls.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FieldText } from '../../ui/form/field-text.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const sexes = [
  { value: 'FEMALE', label: 'Female' },
  { value: 'MALE', label: 'Male' },
]
const colaField: FieldDef = {
  name: 'colaId',
  label: label.colaId,
  kind: 'autocomplete',
  lookup: 'collaborators',
  isWide: true,
}
const idOf = ({ id }: CriticalLimit) => String(id)
const nameOf = ({ testCode, lo, hi }: CriticalLimit) =>
  [testCode, lo !== null && `below ${lo}`, hi !== null && `above ${hi}`].filter(Boolean).join(', ')

/** Below which and above which value a practice is called, and how soon. The most specific limit applies. */
export const CriticalLimitsPage = () => {
  const [isAdding, setAdding] = useState(false)
  const [editing, setEditing] = useState<CriticalLimit | null>(null)
  const [leaving, setLeaving] = useState<CriticalLimit | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const create = useSave(criticalCallRoutes.createLimit)
  const update = useSave(criticalCallRoutes.updateLimit)
  const remove = useSave(criticalCallRoutes.removeLimit)
  const query = useQuery(read(criticalCallRoutes.limits))
  const columns = useMemo(() => columnsOf({ onEdit: setEditing, onRemove: setLeaving }), [])
  const fields = useFields()
  return (
    <RecordPage
      title="Critical limits"
      isWide
      action={
        <Button component={Link} to="/critical-calls">
          Critical calls
        </Button>
      }
    >
      <CardTable
        title="Critical limits"
        query={query}
        columns={columns}
        rowId={idOf}
        rowName={nameOf}
        empty="No value is called until a limit is set."
        actions={
          <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
            Add limit
          </Button>
        }
      />
      {isAdding && (
        <FormDialog
          title="Add critical limit"
          submitLabel="Add"
          columns={2}
          schema={criticalCallRoutes.createLimit.body}
          fields={fields}
          onSubmit={(body) => create({ body })}
          onClose={() => setAdding(false)}
        />
      )}
      {editing && (
        <FormDialog
          title="Edit critical limit"
          subject={nameOf(editing)}
          submitLabel="Save"
          columns={2}
          schema={criticalCallRoutes.createLimit.body}
          fields={fields}
          values={editing}
          version={editing.version}
          onSubmit={(body, { version }) => update({ params: { id: editing.id }, body, headers: ifMatch(version) })}
          onClose={() => setEditing(null)}
        />
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        title="Delete this critical limit?"
        subject={leaving ? nameOf(leaving) : ''}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={() =>
          whileBusy(async () => {
            if (leaving) await remove({ params: { id: leaving.id } })
            setLeaving(null)
          })
        }
        onCancel={() => setLeaving(null)}
      >
        Calls that are open stay open.
      </ConfirmDialog>
    </RecordPage>
  )
}

const useFields = (): readonly FieldDef[] => {
  const tests = useQuery(read(lookupRoutes.defaultTests, { query: {} })).data?.data
  return useMemo(
    () => [
      {
        name: 'testCode',
        label: label.testCode,
        kind: 'autocomplete',
        isRequired: true,
        isWide: true,
        options: (tests ?? []).map(({ testCode, testDesc }) => ({
          value: testCode,
          label: `${testCode}, ${testDesc}`,
        })),
      },
      { name: 'lo', label: label.lo, kind: 'text', hint: 'Called below it, not at it' },
      { name: 'hi', label: label.hi, kind: 'text', hint: 'Called above it, not at it' },
      { name: 'sexCode', label: label.sexCode, kind: 'select', options: sexes },
      { name: 'callMinutes', label: label.callMinutes, kind: 'number', initial: 30, isRequired: true },
      { name: 'ageFrom', label: label.ageFrom, kind: 'number', hint: 'Completed years' },
      { name: 'ageTo', label: label.ageTo, kind: 'number' },
      colaField,
    ],
    [tests],
  )
}

interface Actions {
  onEdit: (limit: CriticalLimit) => void
  onRemove: (limit: CriticalLimit) => void
}

const columnsOf = ({ onEdit, onRemove }: Actions): readonly Column<CriticalLimit>[] => [
  {
    key: 'testCode',
    header: label.testCode,
    width: 110,
    card: 'title',
    cell: ({ testCode }) => <span className="strong">{testCode}</span>,
  },
  { key: 'lo', header: 'Called below', width: 100, align: 'right', cell: ({ lo }) => lo },
  { key: 'hi', header: 'Called above', width: 100, align: 'right', cell: ({ hi }) => hi },
  {
    key: 'sexCode',
    header: label.sexCode,
    width: 90,
    cell: ({ sexCode }) => sexes.find(({ value }) => value === sexCode)?.label ?? 'Both',
  },
  { key: 'age', header: 'Age', width: 100, cell: ({ ageFrom, ageTo }) => ageText(ageFrom, ageTo) },
  {
    key: 'colaId',
    header: label.colaId,
    width: 180,
    cell: ({ colaId }) => (colaId === null ? 'All' : <FieldText field={colaField} value={colaId} />),
  },
  { key: 'callMinutes', header: 'Within', width: 90, align: 'right', cell: ({ callMinutes }) => `${callMinutes} min` },
  {
    key: 'actions',
    header: 'Actions',
    width: 150,
    cell: (limit) => (
      <>
        <Button size="small" variant="text" onClick={() => onEdit(limit)}>
          Edit
        </Button>
        <Button size="small" variant="text" color="error" onClick={() => onRemove(limit)}>
          Delete
        </Button>
      </>
    ),
  },
]

const ageText = (from: number | null, to: number | null) => {
  if (from === null && to === null) return 'All'
  if (to === null) return `${from} and older`
  return from === null ? `up to ${to}` : `${from} to ${to}`
}
