import { type CriticalLimit, criticalCallRoutes, criticalLabels as label } from '@lis/contract/critical-calls.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useEntryDialogs } from '../../ui/form/entry-dialogs.tsx'
import { FieldText } from '../../ui/form/field-text.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
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

/** The values below or above which a practice is called, and the time limit. The most specific limit applies. */
export const CriticalLimitsPage = () => {
  const create = useSave(criticalCallRoutes.createLimit)
  const update = useSave(criticalCallRoutes.updateLimit)
  const remove = useSave(criticalCallRoutes.removeLimit)
  const query = useQuery(read(criticalCallRoutes.limits, { query: {} }))
  const { dialogs, onAdd, onEdit, onDelete } = useEntryDialogs<
    CriticalLimit,
    typeof criticalCallRoutes.createLimit.body
  >({
    noun: 'critical limit',
    nameOf,
    schema: criticalCallRoutes.createLimit.body,
    fields: useFields(),
    columns: 2,
    create: (body) => create({ body }),
    update: ({ id }, body, version) => update({ params: { id }, body, headers: ifMatch(version) }),
    remove: ({ id }) => remove({ params: { id } }),
    onDeletion: 'Calls that are open stay open.',
  })
  const columns = useMemo(() => columnsOf({ onEdit, onDelete }), [onEdit, onDelete])
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
          <Button startIcon={<PlusIcon />} onClick={onAdd}>
            Add limit
          </Button>
        }
      />
      {dialogs}
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
  onDelete: (limit: CriticalLimit) => void
}

const columnsOf = ({ onEdit, onDelete }: Actions): readonly Column<CriticalLimit>[] => [
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
        <Button size="small" variant="text" color="error" onClick={() => onDelete(limit)}>
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
