import { deleteWarning } from '@lis/contract/messages.ts'

interface DeleteWarningProps {
  count?: number
  /** The record cannot be restored: it does not appear under 'Deleted'. */
  isFinal?: boolean
}

/** The warning of the specification (TABLE-033), and whether the records can be restored. */
export const DeleteWarning = ({ count = 1, isFinal = false }: DeleteWarningProps) => deleteWarning(count, isFinal)
