import { can } from '@lis/contract/access/permissions.ts'
import { qcLabels as label, type QcLot, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { PlansCard } from './plans-card.tsx'
import { lotText, useSetupOptions } from './setup-options.ts'
import { TargetsCard } from './targets-card.tsx'

/** Control materials with their lots, the targets of each lot, and which rules apply to which test. */
export const QcSetupPage = () => {
  const mayManage = can(useRole(), 'qc.manage')
  const options = useSetupOptions()
  return (
    <RecordPage
      title="Control materials and plans"
      isWide
      action={
        <Button component={Link} to="/quality-control">
          Quality control
        </Button>
      }
    >
      <MaterialsCard mayManage={mayManage} />
      <LotsCard mayManage={mayManage} />
      <TargetsCard mayManage={mayManage} options={options} />
      <PlansCard mayManage={mayManage} options={options} />
    </RecordPage>
  )
}

interface Material {
  id: number
  name: string
  maker: string | null
}
const materialId = ({ id }: Material) => String(id)
const materialName = ({ name }: Material) => name
const materialColumns: readonly Column<Material>[] = [
  {
    key: 'name',
    header: label.name,
    width: 260,
    card: 'title',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  { key: 'maker', header: label.maker, width: 200, cell: ({ maker }) => maker },
]

const MaterialsCard = ({ mayManage }: { mayManage: boolean }) => {
  const [isAdding, setAdding] = useState(false)
  const create = useSave(qualityControlRoutes.createMaterial)
  return (
    <>
      <CardTable
        title="Materials"
        query={useQuery(read(qualityControlRoutes.materials))}
        columns={materialColumns}
        rowId={materialId}
        rowName={materialName}
        empty="No control material yet."
        actions={
          mayManage && (
            <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
              Add material
            </Button>
          )
        }
      />
      {isAdding && (
        <FormDialog
          title="Add material"
          submitLabel="Add"
          schema={qualityControlRoutes.createMaterial.body}
          fields={[
            { name: 'name', label: label.name, kind: 'text', isRequired: true },
            { name: 'maker', label: label.maker, kind: 'text' },
          ]}
          onSubmit={(body) => create({ body })}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}

const lotId = ({ id }: QcLot) => String(id)
const lotFields: readonly FieldDef[] = [
  { name: 'opened', label: label.opened, kind: 'date' },
  { name: 'expires', label: label.expires, kind: 'date', isRequired: true },
  {
    name: 'isParallel',
    label: label.isParallel,
    kind: 'singleCheckbox',
    isWide: true,
    hint: 'Measured beside the lot in use: evaluated and shown, without an effect on control',
  },
]

const LotsCard = ({ mayManage }: { mayManage: boolean }) => {
  const [isAdding, setAdding] = useState(false)
  const [editing, setEditing] = useState<QcLot | null>(null)
  const create = useSave(qualityControlRoutes.createLot)
  const update = useSave(qualityControlRoutes.updateLot)
  const materials = useQuery(read(qualityControlRoutes.materials)).data?.data
  const columns = useMemo(() => lotColumns(mayManage ? setEditing : null), [mayManage])
  const fields: FieldDef[] = [
    {
      name: 'materialId',
      label: label.materialId,
      kind: 'select',
      isRequired: true,
      isWide: true,
      options: (materials ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: 'level',
      label: label.level,
      kind: 'select',
      isRequired: true,
      options: [1, 2, 3, 4].map((level) => ({ value: level, label: String(level) })),
    },
    { name: 'lotNumber', label: label.lotNumber, kind: 'text', isRequired: true },
    ...lotFields,
  ]
  return (
    <>
      <CardTable
        title="Lots"
        query={useQuery(read(qualityControlRoutes.lots))}
        columns={columns}
        rowId={lotId}
        rowName={lotText}
        empty="No lot yet."
        actions={
          mayManage && (
            <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
              Add lot
            </Button>
          )
        }
      />
      {isAdding && (
        <FormDialog
          title="Add lot"
          submitLabel="Add"
          columns={2}
          schema={qualityControlRoutes.createLot.body}
          fields={fields}
          onSubmit={(body) => create({ body })}
          onClose={() => setAdding(false)}
        />
      )}
      {editing && (
        <FormDialog
          title="Edit lot"
          subject={lotText(editing)}
          submitLabel="Save"
          columns={2}
          schema={qualityControlRoutes.updateLot.body}
          fields={lotFields}
          values={{ ...editing }}
          version={editing.version}
          onSubmit={(body, { version }) => update({ params: { id: editing.id }, body, headers: ifMatch(version) })}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

const lotColumns = (onEdit: ((lot: QcLot) => void) | null): readonly Column<QcLot>[] => [
  {
    key: 'lotNumber',
    header: label.lotNumber,
    width: 130,
    card: 'title',
    cell: ({ lotNumber }) => <span className="strong">{lotNumber}</span>,
  },
  { key: 'level', header: label.level, width: 70, align: 'right', cell: ({ level }) => level },
  { key: 'material', header: label.materialId, width: 220, cell: ({ materialName: name }) => name },
  { key: 'opened', header: label.opened, width: 110, cell: ({ opened }) => opened },
  { key: 'expires', header: label.expires, width: 110, cell: ({ expires }) => expires },
  {
    key: 'isParallel',
    header: label.isParallel,
    width: 90,
    cell: ({ isParallel }) => (isParallel === 1 ? 'Yes' : 'No'),
  },
  ...(onEdit
    ? [
        {
          key: 'edit',
          header: 'Actions',
          width: 80,
          cell: (lot: QcLot) => (
            <Button size="small" variant="text" onClick={() => onEdit(lot)}>
              Edit
            </Button>
          ),
        },
      ]
    : []),
]
