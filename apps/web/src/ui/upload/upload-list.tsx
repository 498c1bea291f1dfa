import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { formatBytes, formatSent } from '../../lib/formats.ts'
import { CloseIcon, ErrorIcon, RequisitionsIcon, SuccessIcon } from '../icons.tsx'
import type { Upload } from './uploads.ts'
import type { UploadsInUse } from './use-uploads.ts'

const List = styled('ul')({ display: 'flex', flexDirection: 'column', maxHeight: 280, overflowY: 'auto' })
const Row = styled('li')({
  display: 'grid',
  gridTemplateColumns: '16px minmax(0, 1fr) auto 28px',
  alignItems: 'center',
  columnGap: 8,
  minHeight: 36,
  paddingBottom: 4,
  '& .name': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', color: 'var(--text)' },
  '& .state': { color: 'var(--text-3)', whiteSpace: 'nowrap' },
  '& .message': { gridColumn: '2 / -1', color: 'var(--error)', paddingBottom: 4 },
})
const Track = styled('div')({
  gridColumn: '2 / -1',
  height: 3,
  borderRadius: 2,
  background: 'var(--n-200)',
  overflow: 'hidden',
  '& > div': { height: '100%', background: 'var(--p)', transition: 'width .12s linear' },
})

/** The files of an upload, each with its own progress in bytes, and with a way to stop it or to try again. */
export const UploadList = ({ uploads }: { uploads: UploadsInUse }) => {
  if (uploads.list.length === 0) return null
  return (
    <List aria-label="Files">
      {uploads.list.map((upload) => (
        <UploadRow
          key={upload.id}
          upload={upload}
          onCancel={() => uploads.cancel(upload.id)}
          onRetry={() => uploads.retry(upload.id)}
        />
      ))}
    </List>
  )
}

interface UploadRowProps {
  upload: Upload
  onCancel: () => void
  onRetry: () => void
}

const UploadRow = ({ upload, onCancel, onRetry }: UploadRowProps) => {
  const { file, status, sentBytes, message } = upload
  const isMoving = status === 'sending' || status === 'saving'
  const percent = file.size === 0 ? 0 : Math.round((sentBytes / file.size) * 100)
  return (
    <Row>
      <Glyph status={status} />
      <span className="name" title={file.name}>
        {file.name}
      </span>
      <span className="state">{stateText(upload)}</span>
      {/* What the server is taking in cannot be called back any more. */}
      {status === 'saving' || status === 'done' ? (
        <span />
      ) : (
        <IconButton aria-label={`${status === 'sending' ? 'Cancel' : 'Remove'} ${file.name}`} onClick={onCancel}>
          <CloseIcon size={14} />
        </IconButton>
      )}
      {isMoving && (
        <Track
          role="progressbar"
          aria-label={file.name}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={formatSent(sentBytes, file.size)}
        >
          <div style={{ width: `${percent}%` }} />
        </Track>
      )}
      {message && (
        <span className="message" role="alert">
          {message}
          {status === 'failed' && (
            <Button variant="text" onClick={onRetry} sx={{ height: 20, ml: 1 }}>
              Retry upload
            </Button>
          )}
        </span>
      )}
    </Row>
  )
}

const stateText = ({ file, status, sentBytes }: Upload): string => {
  if (status === 'sending') return formatSent(sentBytes, file.size)
  if (status === 'saving') return 'Saving'
  return status === 'done' ? 'Uploaded' : formatBytes(file.size)
}

const Glyph = ({ status }: { status: Upload['status'] }) => {
  if (status === 'done') return <SuccessIcon color="var(--success)" />
  if (status === 'failed' || status === 'refused') return <ErrorIcon color="var(--error)" />
  return <RequisitionsIcon color="var(--text-3)" />
}
