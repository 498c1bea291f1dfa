import { clientRoutes } from '@lis/contract/clients.ts'
import { type ComponentProps, useMemo, useState } from 'react'
import type { z } from 'zod'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { EditIcon, MoreIcon } from '../../ui/icons.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AddButton } from './add-button.tsx'
import { RowButton } from './row-button.tsx'

interface EditableRow extends Values {
  id: number
  version: number
}

interface EditableTableCardProps<Row extends EditableRow, S extends z.ZodType>
  extends Omit<ComponentProps<typeof TableCard<Row>>, 'resource' | 'actions'> {
  /** Label of the button and title of the create form: 'Add event'. */
  addLabel: string
  /** Title of the edit form. */
  titleOf: (row: Row) => string
  schema: S
  fields: readonly FieldDef[]
  formColumns?: number
  onAdd: (body: z.output<S>) => Promise<unknown>
  onUpdate: (row: Row, body: z.output<S>, version: number | undefined) => Promise<unknown>
}

/** Records of a client that are created and edited in the same small form. */
export const EditableTableCard = <Row extends EditableRow, S extends z.ZodType>(
  props: EditableTableCardProps<Row, S>,
) => {
  const { columns, addLabel, titleOf, schema, fields, formColumns = 1, onAdd, onUpdate, ...table } = props
  const { rowName } = table
  const [edited, setEdited] = useState<Row | 'new' | null>(null)
  const withEdit = useMemo(() => [...columns, editColumn(rowName, setEdited)], [columns, rowName])
  const row = edited === 'new' || edited === null ? undefined : edited
  return (
    <>
      <TableCard
        {...table}
        resource={clientRoutes.list.path}
        columns={withEdit}
        actions={<AddButton label={addLabel} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <FormDialog
          title={row ? titleOf(row) : addLabel}
          submitLabel={row ? 'Update' : 'Add'}
          columns={formColumns}
          schema={schema}
          fields={fields}
          values={row}
          version={row?.version}
          onSubmit={(body, { version }) => (row ? onUpdate(row, body, version) : onAdd(body))}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  )
}

const editColumn = <Row,>(nameOf: (row: Row) => string, onEdit: (row: Row) => void): Column<Row> => ({
  key: 'actions',
  header: 'Actions',
  HeaderIcon: MoreIcon,
  width: 56,
  isSticky: 'right',
  visibleTo: 'clients.write',
  cell: (row) => <RowButton label={`Edit ${nameOf(row)}`} Glyph={EditIcon} onClick={() => onEdit(row)} />,
})
