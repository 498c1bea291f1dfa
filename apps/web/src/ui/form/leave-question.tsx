import { useRef } from 'react'
import { unsaved } from '../../lib/unsaved.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'

interface LeaveQuestionProps {
  isOpen: boolean
  onLeave: () => void
  onCancel: () => void
}

/** The question before unsaved input is left behind. */
export const LeaveQuestion = ({ isOpen, onLeave, onCancel }: LeaveQuestionProps) => {
  // While the window fades the page behind it is gone already, and its words with it.
  const told = useRef<string[]>([])
  if (isOpen) told.current = unsaved.told()
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Leave without saving?"
      confirmLabel="Leave"
      onConfirm={() => {
        // At once, not when the page has gone: the next click may close the tab.
        void unsaved.sendAll()
        unsaved.giveUp()
        onLeave()
      }}
      onCancel={onCancel}
    >
      {told.current.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </ConfirmDialog>
  )
}
