import Button, { type ButtonProps } from '@mui/material/Button'
import { type ReactNode, useState } from 'react'
import { useBusy } from '../lib/use-busy.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'

interface ConfirmButtonProps {
  label: string
  color?: ButtonProps['color']
  /** The question. */
  title: string
  subject: string
  children: ReactNode
  /** The failure has been announced; the dialog stays. */
  onConfirm: () => Promise<unknown>
}

/** A button that asks before it does something that cannot be undone. */
export const ConfirmButton = (props: ConfirmButtonProps) => {
  const { label, color = 'inherit', title, subject, children, onConfirm } = props
  const [isOpen, setOpen] = useState(false)
  const [isBusy, whileBusy] = useBusy()
  const confirm = () =>
    whileBusy(async () => {
      await onConfirm()
      setOpen(false)
    })
  return (
    <>
      <Button color={color} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={title}
        subject={subject}
        confirmLabel={label}
        isDestructive
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  )
}
