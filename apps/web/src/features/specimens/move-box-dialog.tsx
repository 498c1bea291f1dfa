import {
  type BoxAddress,
  freezerRoutes,
  boxAddressLabels as label,
  type StorageSpace,
} from '@lis/contract/spec-locations.ts'
import { required } from '@lis/contract/validation.ts'
import { z } from 'zod'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

const moveForm = z.object({
  level: z.enum(['BOX', 'RACK', 'SHELF']),
  freezer: required(label.freezer, 100),
  shelf: required(label.shelf, 100),
  rack: required(label.rack, 100),
  box: required(label.box, 100),
})

interface MoveBoxDialogProps {
  address: BoxAddress
  freezers: readonly StorageSpace[]
  onClose: () => void
}

/** Moves a box, or all boxes of its rack or shelf, to another address with their samples. */
export const MoveBoxDialog = ({ address, freezers, onClose }: MoveBoxDialogProps) => {
  const moveBox = useSave(freezerRoutes.moveBox)
  const moveRack = useSave(freezerRoutes.moveRack)
  const moveShelf = useSave(freezerRoutes.moveShelf)
  const { labId } = address
  return (
    <FormDialog
      title="Move"
      subject={`${address.freezer} › ${address.shelf} › ${address.rack} › ${address.box}`}
      submitLabel="Move"
      schema={moveForm}
      fields={fieldsOf(address, freezers)}
      values={{ level: 'BOX', ...address }}
      onSubmit={({ level, freezer, shelf, rack, box }) =>
        level === 'BOX'
          ? moveBox({ params: address, body: { labId, freezer, shelf, rack, box } })
          : level === 'RACK'
            ? moveRack({ params: address, body: { labId, freezer, shelf, rack } })
            : moveShelf({ params: address, body: { labId, freezer, shelf } })
      }
      onClose={onClose}
    />
  )
}

const fieldsOf = ({ shelf, rack, box }: BoxAddress, freezers: readonly StorageSpace[]): readonly FieldDef[] => [
  {
    name: 'level',
    label: 'What',
    kind: 'select',
    isRequired: true,
    options: [
      { value: 'BOX', label: `Box ${box}` },
      { value: 'RACK', label: `Rack ${rack} with all its boxes` },
      { value: 'SHELF', label: `Shelf ${shelf} with all its boxes` },
    ],
  },
  {
    name: 'freezer',
    label: label.freezer,
    kind: 'select',
    isRequired: true,
    options: freezers.map(({ code, description }) => ({ value: code, label: description })),
  },
  { name: 'shelf', label: label.shelf, kind: 'text', isRequired: true },
  {
    name: 'rack',
    label: label.rack,
    kind: 'text',
    isRequired: true,
    isHidden: ({ level }: Values) => level === 'SHELF',
  },
  { name: 'box', label: label.box, kind: 'text', isRequired: true, isHidden: ({ level }: Values) => level !== 'BOX' },
]
