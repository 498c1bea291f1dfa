import { ApiError } from '../../lib/api-error.ts'
import { changeOf, type Side } from '../form/conflict.ts'
import type { FieldDef } from '../form/field-types.ts'
import { lazyPart } from '../lazy-part.tsx'

// Rarely needed, and it depends on the form components.
const ConflictDialog = lazyPart(async () => (await import('../form/conflict-dialog.tsx')).ConflictDialog, {
  waiting: null,
})

/** The current record, if a save was refused because of another user's change. */
export const conflictOf = (error: Error | null): Record<string, unknown> | undefined =>
  error instanceof ApiError && error.status === 409 && typeof error.current === 'object' && error.current !== null
    ? (error.current as Record<string, unknown>)
    : undefined

interface CellConflictProps {
  label: string
  /** The two values as text. */
  mine: string
  theirs: string
  /** The current record. */
  current: Record<string, unknown>
  onChoose: (side: Side, version: number) => void
  onCancel: () => void
}

/** Two users changed the same cell: shows who the other was, and asks which value to keep. */
export const CellConflict = ({ label, mine, theirs, current, onChoose, onCancel }: CellConflictProps) => {
  const field: FieldDef = { name: 'value', label, kind: 'text' }
  const { changedBy, changedAt, version = 0 } = changeOf(current)
  return (
    <ConflictDialog
      differences={[{ field, mine, theirs, side: 'mine', isContested: true }]}
      values={{}}
      changedBy={changedBy}
      changedAt={changedAt}
      isBusy={false}
      backLabel="Back to the table"
      onSave={({ value = 'mine' }) => onChoose(value, version)}
      onCancel={onCancel}
    />
  )
}
