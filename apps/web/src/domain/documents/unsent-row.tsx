import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { CloseIcon, ErrorIcon } from '../../ui/icons.tsx'
import { documentRules } from '../../ui/upload/file-rules.ts'
import { UploadList } from '../../ui/upload/upload-list.tsx'
import type { UploadsOptions } from '../../ui/upload/uploads.ts'
import { useUploads } from '../../ui/upload/use-uploads.ts'
import { type UnsentFile, unsentFiles } from './unsent-files.ts'

const Row = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  padding: '4px 0',
  '& > svg': { flex: 'none' },
  '& > span': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  '& small': { display: 'block', fontSize: 11, color: 'var(--error)' },
})

/** A file whose upload failed, with buttons to send it again or discard it. */
export const UnsentRow = ({
  unsent: { file, reason },
  upload,
}: {
  unsent: UnsentFile
  upload: UploadsOptions['upload']
}) => {
  const uploads = useUploads({ rules: documentRules, upload, onDone: unsentFiles.take })
  if (uploads.list.length > 0) return <UploadList uploads={uploads} />
  const send = () => {
    uploads.add([file])
    uploads.start()
  }
  return (
    <Row>
      <ErrorIcon color="var(--error)" />
      <span>
        {file.name}
        <small>Not uploaded: {reason}</small>
      </span>
      <Button aria-label={`Upload ${file.name} again`} onClick={send}>
        Upload again
      </Button>
      <IconButton aria-label={`Remove ${file.name}`} size="small" onClick={() => unsentFiles.take(file)}>
        <CloseIcon size={14} />
      </IconButton>
    </Row>
  )
}
