import { messages } from '@lis/contract/messages.ts'

interface DeleteWarningProps {
  count?: number
  /** Nobody can bring it back: it is not among the records of 'Deleted'. */
  isFinal?: boolean
}

/** The sentence of the specification (TABLE-033), and beside it what it leaves out: that the record can be restored, and how many go. */
export const DeleteWarning = ({ count = 1, isFinal = false }: DeleteWarningProps) => (
  <>
    {messages.deleteWarning}
    {count > 1 && ` ${messages.deleteAll(count)}`}
    {!isFinal && ` ${messages.deleteRestorable}`}
  </>
)
