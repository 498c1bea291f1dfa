import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { ActionButton } from '../action-button.tsx'
import { Dialog } from '../dialog.tsx'
import { DropZone } from './drop-zone.tsx'
import { UploadList } from './upload-list.tsx'
import type { UploadsOptions } from './uploads.ts'
import { useUploads } from './use-uploads.ts'

interface UploadDialogProps extends UploadsOptions {
  title: string
  /** Shown above the drop zone: further input that the upload needs. */
  before?: ReactNode
  /** Called before the first file is sent; false or an error stops the upload. A batch requests its slots here. */
  onStart?: (files: readonly File[]) => boolean | Promise<boolean>
  onClose: () => void
}

/** Choose, upload, watch. Closes when all files are uploaded. */
export const UploadDialog = ({ title, before, onStart, onClose, ...options }: UploadDialogProps) => {
  const id = useId()
  const uploads = useUploads(options)
  const [isMissing, setMissing] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const { isAllDone, isBusy, waiting } = uploads
  useEffect(() => {
    if (isAllDone) onClose()
  }, [isAllDone, onClose])
  // Everything that could be sent has been; there is nothing left to cancel.
  const isOver = !isBusy && waiting.length === 0 && uploads.list.some(({ status }) => status === 'done')
  const start = async () => {
    setMissing(waiting.length === 0)
    if (waiting.length === 0) return
    setStarting(true)
    try {
      if (!onStart || (await onStart(waiting))) uploads.start()
    } catch {
      // The failed call has announced the error; the files stay for another try.
    } finally {
      setStarting(false)
    }
  }
  return (
    <Dialog
      open
      // Neither a click on the backdrop nor Escape may discard chosen or running uploads.
      onClose={uploads.list.length > 0 ? undefined : onClose}
      aria-labelledby={`${id}-title`}
      slotProps={{ paper: { sx: { maxWidth: options.rules.maxFiles > 1 ? 640 : 460 } } }}
    >
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        {before}
        <DropZone uploads={uploads} error={isMissing && waiting.length === 0 ? messages.fileMissing : undefined} />
        <UploadList uploads={uploads} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{isOver ? 'Close' : 'Cancel'}</Button>
        <ActionButton variant="contained" isBusy={isBusy || isStarting} onClick={start}>
          Upload
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}
