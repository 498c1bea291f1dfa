import { ApiError } from '../../lib/api-error.ts'
import { changeIn, type Side } from '../form/conflict.ts'
import type { FieldDef } from '../form/field-types.ts'
import { lazyPart } from '../lazy-part.tsx'

// Rarely needed, and it brings the parts of forms with it.
const ConflictDialog = lazyPart(async () => (await import('../form/conflict-dialog.tsx')).ConflictDialog, {
  waiting: null,
})

/** What somebody else has stored, when that is why a save was refused. */
export const conflictOf = (error: Error | null): Record<string, unknown> | undefined =>
  error instanceof ApiError && error.status === 409 && typeof error.current === 'object' && error.current !== null
    ? (error.current as Record<string, unknown>)
    : undefined

interface CellConflictProps {
  label: string
  /** The two values, as a reader sees them. */
  mine: string
  theirs: string
  /** The record as it is now. */
  current: Record<string, unknown>
  onChoose: (side: Side, version: number) => void
  onCancel: () => void
}

/** Two people changed the same cell: who the other was, and which value is right. */
export const CellConflict = ({ label, mine, theirs, current, onChoose, onCancel }: CellConflictProps) => {
  const field: FieldDef = { name: 'value', label, kind: 'text' }
  const { who, at, version = 0 } = changeIn(current)
  return (
    <ConflictDialog
      differences={[{ field, mine, theirs, side: 'mine', isContested: true }]}
      values={{}}
      who={who}
      at={at}
      isBusy={false}
      backLabel="Back to the table"
      onSave={({ value = 'mine' }) => onChoose(value, version)}
      onCancel={onCancel}
    />
  )
}
