import Button, { type ButtonProps } from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { memo, useMemo } from 'react'
import { formatBytes, formatProgress } from '../../lib/formats.ts'
import { CloseIcon, ErrorIcon, RequisitionsIcon, SuccessIcon } from '../icons.tsx'
import type { Upload } from './uploads.ts'
import type { UploadsState } from './use-uploads.ts'

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
const Total = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 12px',
  minHeight: 36,
  '& > [role=status]': { flex: '1 1 auto', fontWeight: 600, color: 'var(--text-strong)' },
  '& > [role=progressbar]': { flex: '1 0 100%', height: 6, borderRadius: 3 },
})
const Track = styled('div')({
  gridColumn: '2 / -1',
  height: 3,
  borderRadius: 2,
  background: 'var(--n-200)',
  overflow: 'hidden',
  '& > div': { height: '100%', background: 'var(--p)', transition: 'width .12s linear' },
})

/** The files of an upload, each with its progress and with buttons to stop or retry it. */
export const UploadList = ({ uploads }: { uploads: UploadsState }) => {
  const { list, cancel, retry, pause, resume, rules } = uploads
  const actions = useMemo(
    () => ({ cancel, retry, pause: (id: number) => pause([id]), resume: (id: number) => resume([id]) }),
    [cancel, retry, pause, resume],
  )
  if (list.length === 0) return null
  return (
    <>
      {list.length > 1 && <UploadTotal uploads={uploads} />}
      <List aria-label="Files">
        {list.map((upload) => (
          <UploadRow key={upload.id} upload={upload} actions={actions} canPause={rules.maxFiles > 1} />
        ))}
      </List>
    </>
  )
}

/** The total: files uploaded, bytes sent, and a button to pause the rest. */
const UploadTotal = ({ uploads }: { uploads: UploadsState }) => {
  const taken = uploads.list.filter(({ status }) => status !== 'refused')
  const count = (...wanted: Upload['status'][]) => taken.filter(({ status }) => wanted.includes(status))
  const [sent, total] = [bytesOf(taken, 'sent'), bytesOf(taken, 'size')]
  const percent = total === 0 ? 0 : Math.round((sent / total) * 100)
  const moving = count('waiting', 'sending')
  const paused = count('paused')
  const failed = count('failed').length
  const text = [`${count('done').length} of ${taken.length} files uploaded`, failed > 0 && `${failed} failed`]
  return (
    <Total>
      <span role="status">{text.filter(Boolean).join(', ')}</span>
      <span>{formatProgress(sent, total)}</span>
      {uploads.isBusy && moving.length > 0 && (
        <Button onClick={() => uploads.pause(moving.map(({ id }) => id))}>Pause all</Button>
      )}
      {paused.length > 0 && <Button onClick={() => uploads.resume(paused.map(({ id }) => id))}>Resume all</Button>}
      <ProgressBar label="All files" percent={percent} text={formatProgress(sent, total)} />
    </Total>
  )
}

const bytesOf = (list: readonly Upload[], what: 'sent' | 'size') =>
  list.reduce((sum, { file, sentBytes, status }) => {
    const sent = status === 'done' ? file.size : sentBytes
    return sum + (what === 'sent' ? sent : file.size)
  }, 0)

/** A progress bar. */
export const ProgressBar = ({ label, percent, text }: { label: string; percent: number; text: string }) => (
  <Track
    role="progressbar"
    aria-label={label}
    aria-valuenow={percent}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuetext={text}
  >
    <div style={{ width: `${percent}%` }} />
  </Track>
)

interface UploadRowProps {
  upload: Upload
  actions: Record<'cancel' | 'retry' | 'pause' | 'resume', (id: number) => void>
  canPause: boolean
}

/** Memoized, because there may be hundreds of files. */
const UploadRow = memo(({ upload, actions, canPause }: UploadRowProps) => {
  const { id, file, status, sentBytes, message } = upload
  const isMoving = status === 'sending' || status === 'saving'
  const percent = file.size === 0 ? 0 : Math.round((sentBytes / file.size) * 100)
  return (
    <Row>
      <Glyph status={status} />
      <span className="name" title={file.name}>
        {file.name}
      </span>
      <span className="state">
        {stateText(upload)}
        {canPause && status === 'sending' && (
          <SmallButton aria-label={`Pause ${file.name}`} onClick={() => actions.pause(id)}>
            Pause
          </SmallButton>
        )}
        {status === 'paused' && (
          <SmallButton aria-label={`Resume ${file.name}`} onClick={() => actions.resume(id)}>
            Resume
          </SmallButton>
        )}
      </span>
      {/* A file that the server is saving can no longer be cancelled. */}
      {status === 'saving' || status === 'done' ? (
        <span />
      ) : (
        <IconButton
          aria-label={`${status === 'sending' ? 'Cancel' : 'Remove'} ${file.name}`}
          onClick={() => actions.cancel(id)}
        >
          <CloseIcon size={14} />
        </IconButton>
      )}
      {isMoving && <ProgressBar label={file.name} percent={percent} text={formatProgress(sentBytes, file.size)} />}
      {message && (
        <span className="message" role="alert">
          {message}
          {status === 'failed' && (
            <Button variant="text" onClick={() => actions.retry(id)} sx={{ height: 20, ml: 1 }}>
              Retry upload
            </Button>
          )}
        </span>
      )}
    </Row>
  )
})

const SmallButton = (props: ButtonProps) => <Button variant="text" {...props} sx={{ height: 20, minWidth: 0, ml: 1 }} />

const stateText = ({ file, status, sentBytes }: Upload): string => {
  if (status === 'sending') return formatProgress(sentBytes, file.size)
  if (status === 'saving') return 'Saving'
  if (status === 'paused') return 'Paused'
  return status === 'done' ? 'Uploaded' : formatBytes(file.size)
}

const Glyph = ({ status }: { status: Upload['status'] }) => {
  if (status === 'done') return <SuccessIcon color="var(--success)" />
  if (status === 'failed' || status === 'refused') return <ErrorIcon color="var(--error)" />
  return <RequisitionsIcon color="var(--text-3)" />
}
