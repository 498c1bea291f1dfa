import { useRef } from 'react'
import { unsaved } from '../../lib/unsaved.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'

interface LeaveQuestionProps {
  isOpen: boolean
  onLeave: () => void
  onCancel: () => void
}

/** The confirmation before unsaved input is lost. */
export const LeaveDialog = ({ isOpen, onLeave, onCancel }: LeaveQuestionProps) => {
  // While the dialog fades out, the page behind it and its messages are already gone.
  const messages = useRef<string[]>([])
  if (isOpen) messages.current = unsaved.descriptions()
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Leave without saving?"
      confirmLabel="Leave"
      onConfirm={() => {
        // At once, not after the page is unmounted: the next click may close the tab.
        void unsaved.sendAll()
        unsaved.giveUp()
        onLeave()
      }}
      onCancel={onCancel}
    >
      {messages.current.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </ConfirmDialog>
  )
}
