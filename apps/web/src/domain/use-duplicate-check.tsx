import { type ReactNode, useState } from 'react'
import { ApiError, cancelledError } from '../lib/api-error.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'

interface Found<Duplicate> {
  message: string
  duplicates: readonly Duplicate[]
  answer: (isWanted: boolean) => void
}

/**
 * Saves, and if the server finds possible duplicates, shows them and asks. 'Save anyway' sends again with `confirmDuplicate`; otherwise the
 * user returns to the form with the input unchanged.
 */
export const useDuplicateCheck = <Duplicate extends { id: number }>(
  renderDuplicate: (duplicate: Duplicate) => ReactNode,
) => {
  const [found, setFound] = useState<Found<Duplicate> | null>(null)
  const saveChecked = async <T,>(save: (confirmDuplicate: boolean) => Promise<T>): Promise<T> => {
    try {
      return await save(false)
    } catch (error) {
      const duplicates = duplicatesOf<Duplicate>(error)
      if (!duplicates) throw error
      const isWanted = await new Promise<boolean>((answer) =>
        setFound({ message: (error as ApiError).message, duplicates, answer }),
      )
      setFound(null)
      if (!isWanted) throw cancelledError(error)
      return save(true)
    }
  }
  const question = (
    <ConfirmDialog
      isOpen={found !== null}
      title={found?.message ?? ''}
      confirmLabel="Save anyway"
      onConfirm={() => found?.answer(true)}
      onCancel={() => found?.answer(false)}
    >
      <ul style={{ color: 'var(--text)' }}>
        {found?.duplicates.map((duplicate) => (
          <li key={duplicate.id}>{renderDuplicate(duplicate)}</li>
        ))}
      </ul>
    </ConfirmDialog>
  )
  return { saveChecked, question }
}

const duplicatesOf = <Duplicate,>(error: unknown): readonly Duplicate[] | null => {
  if (!(error instanceof ApiError) || error.status !== 409 || error.errors[0]?.field !== 'confirmDuplicate') return null
  return (error.current as { duplicates: Duplicate[] }).duplicates
}
