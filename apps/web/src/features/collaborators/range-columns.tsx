import { type CollaboratorRange, rangeLabels as label } from '@lis/contract/collaborator-ranges.ts'
import IconButton from '@mui/material/IconButton'
import { EditIcon, MoreIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { TrashIcon } from '../../ui/table/table-icons.tsx'
import { limitNames } from './range-values.ts'

interface RangeActions {
  onEdit: (range: CollaboratorRange) => void
  onDelete: (range: CollaboratorRange) => void
}

/** COL-G9. */
export const rangeColumns = ({ onEdit, onDelete }: RangeActions): Column<CollaboratorRange>[] => [
  { key: 'testCode', header: label.testCode, width: 96, isSticky: true, cell: ({ testCode }) => testCode },
  {
    key: 'testDesc',
    header: label.testDesc,
    width: 180,
    isSticky: true,
    card: 'title',
    cell: ({ testDesc }) => <strong>{testDesc}</strong>,
  },
  {
    key: 'colaSigDigits',
    header: label.colaSigDigits,
    width: 64,
    align: 'right',
    cell: (range) => range.colaSigDigits,
  },
  { key: 'units', header: label.units, width: 80, cell: ({ units }) => units },
  ...limitNames.map(
    (name): Column<CollaboratorRange> => ({
      key: name,
      header: label[name],
      width: 92,
      align: 'right',
      cell: (range) => range[name],
    }),
  ),
  {
    key: 'actions',
    header: 'Actions',
    HeaderIcon: MoreIcon,
    width: 80,
    isSticky: 'right',
    visibleTo: 'collaborators.write',
    card: 'head',
    cell: (range) => (
      <span style={{ display: 'flex', justifyContent: 'center' }}>
        <IconButton aria-label={`Edit ${range.testDesc}`} onClick={() => onEdit(range)}>
          <EditIcon size={14} />
        </IconButton>
        <IconButton aria-label={`Delete ${range.testDesc}`} onClick={() => onDelete(range)}>
          <TrashIcon size={14} />
        </IconButton>
      </span>
    ),
  },
]
