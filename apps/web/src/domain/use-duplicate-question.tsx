import { type ReactNode, useState } from 'react'
import { ApiError, cancelledError } from '../lib/api-error.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'

interface Found<Twin> {
  message: string
  twins: readonly Twin[]
  answer: (isWanted: boolean) => void
}

/**
 * Saves, and when the server has found records that look the same, shows them and asks. 'Save anyway' sends once more with
 * `confirmDuplicate`; who thinks better of it is back in the form with everything still typed.
 */
export const useDuplicateQuestion = <Twin extends { id: number }>(drawTwin: (twin: Twin) => ReactNode) => {
  const [found, setFound] = useState<Found<Twin> | null>(null)
  const saveAsking = async <T,>(save: (confirmDuplicate: boolean) => Promise<T>): Promise<T> => {
    try {
      return await save(false)
    } catch (error) {
      const twins = duplicatesOf<Twin>(error)
      if (!twins) throw error
      const isWanted = await new Promise<boolean>((answer) =>
        setFound({ message: (error as ApiError).message, twins, answer }),
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
        {found?.twins.map((twin) => (
          <li key={twin.id}>{drawTwin(twin)}</li>
        ))}
      </ul>
    </ConfirmDialog>
  )
  return { saveAsking, question }
}

const duplicatesOf = <Twin,>(error: unknown): readonly Twin[] | null => {
  if (!(error instanceof ApiError) || error.status !== 409 || error.errors[0]?.field !== 'confirmDuplicate') return null
  return (error.current as { duplicates: Twin[] }).duplicates
}
