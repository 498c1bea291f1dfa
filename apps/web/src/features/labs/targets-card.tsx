import { can } from '@lis/contract/access/permissions.ts'
import { requisitionCreateRoutes } from '@lis/contract/requisitions/create.ts'
import { priorities, type Target, targetInput, targetLabels, turnaroundRoutes } from '@lis/contract/turnaround.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useEntryDialogs } from '../../ui/form/entry-dialogs.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const idOf = ({ id }: Target) => String(id)
const whatOf = ({ testCode, panelCode, labName }: Target) =>
  `${testCode ?? panelCode ?? 'All tests'}${labName ? `, ${labName}` : ''}`

/** How long an order may take. The most specific target applies; it gives each requisition its due date. */
export const TargetsCard = () => {
  const mayEdit = can(useRole(), 'turnaround.write')
  const create = useSave(turnaroundRoutes.create)
  const update = useSave(turnaroundRoutes.update)
  const remove = useSave(turnaroundRoutes.remove)
  const { dialogs, onAdd, onEdit, onDelete } = useEntryDialogs<Target, typeof targetInput>({
    noun: 'turnaround target',
    nameOf: whatOf,
    schema: targetInput,
    fields: useFields(),
    create: (body) => create({ body }),
    update: ({ id }, body, version) => update({ params: { id }, body, headers: ifMatch(version) }),
    remove: ({ id }) => remove({ params: { id } }),
    onDeletion: 'Due dates of everything that is not released yet are computed again.',
  })
  const columns = useMemo(() => columnsOf(mayEdit ? { onEdit, onDelete } : null), [mayEdit, onEdit, onDelete])
  return (
    <>
      <SubTable
        title="Turnaround targets"
        level={2}
        columns={columns}
        route={turnaroundRoutes.list}
        rowId={idOf}
        actions={
          mayEdit && (
            <Button startIcon={<PlusIcon />} onClick={onAdd}>
              Add target
            </Button>
          )
        }
      />
      {dialogs}
    </>
  )
}

const useFields = (): readonly FieldDef[] => {
  const orderables = useQuery(read(requisitionCreateRoutes.tests)).data?.data
  return useMemo(
    () => [
      { name: 'targetHours', label: targetLabels.targetHours, kind: 'number', isRequired: true },
      { name: 'isWorkingTime', label: targetLabels.isWorkingTime, kind: 'singleCheckbox' },
      {
        name: 'priority',
        label: targetLabels.priority,
        kind: 'select',
        options: Object.entries(priorities).map(([value, label]) => ({ value, label })),
        initial: 'ROUTINE',
        isRequired: true,
      },
      { name: 'labId', label: targetLabels.labId, kind: 'select', lookup: 'labs', hint: 'None chosen: all' },
      {
        name: 'testId',
        label: targetLabels.testId,
        kind: 'autocomplete',
        lookup: 'defaultTests',
        clears: ['panelId'],
        hint: 'Neither test nor panel: all tests without a target of their own',
      },
      {
        name: 'panelId',
        label: targetLabels.panelId,
        kind: 'autocomplete',
        clears: ['testId'],
        options: (orderables ?? [])
          .filter(({ key }) => key.startsWith('P'))
          .map(({ key, code, desc }) => ({ value: Number(key.slice(1)), label: `${code} ${desc}` })),
      },
    ],
    [orderables],
  )
}

interface Actions {
  onEdit: (target: Target) => void
  onDelete: (target: Target) => void
}

const columnsOf = (actions: Actions | null): readonly Column<Target>[] => [
  { key: 'what', header: 'For', cell: ({ testCode, panelCode }) => testCode ?? panelCode ?? 'All tests' },
  { key: 'labId', header: targetLabels.labId, cell: ({ labName }) => labName ?? 'All' },
  { key: 'priority', header: targetLabels.priority, cell: ({ priority }) => priorities[priority] },
  { key: 'targetHours', header: targetLabels.targetHours, align: 'right', cell: ({ targetHours }) => targetHours },
  {
    key: 'isWorkingTime',
    header: 'Counts',
    cell: ({ isWorkingTime }) => (isWorkingTime === 1 ? 'Working time' : 'Every hour'),
  },
  ...(actions
    ? [
        {
          key: 'actions',
          header: 'Action',
          cell: (target: Target) => (
            <>
              <Button aria-label={`Edit target for ${whatOf(target)}`} onClick={() => actions.onEdit(target)}>
                Edit
              </Button>
              <Button aria-label={`Delete target for ${whatOf(target)}`} onClick={() => actions.onDelete(target)}>
                Delete
              </Button>
            </>
          ),
        },
      ]
    : []),
]
