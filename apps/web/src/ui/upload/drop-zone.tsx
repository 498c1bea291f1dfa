import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type DragEvent, useId, useRef, useState } from 'react'
import { ErrorIcon, UploadIcon } from '../icons.tsx'
import { acceptOf, describeRules } from './file-rules.ts'
import type { UploadsState } from './use-uploads.ts'

const Zone = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  gap: 6,
  padding: '20px 16px',
  textAlign: 'center',
  border: '1px dashed var(--field-line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface-2)',
  color: 'var(--text-3)',
  '& strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '&.over': { borderStyle: 'solid', borderColor: 'var(--p)', background: 'var(--p-100)', color: 'var(--text)' },
  '&.wrong': { borderColor: 'var(--error)' },
  // Drag events must target the zone, not its children.
  '&.over > *': { pointerEvents: 'none' },
})
const Message = styled('p')({ display: 'flex', alignItems: 'center', gap: 4, fontSize: 11, color: 'var(--error)' })

interface DropZoneProps {
  uploads: UploadsState
  /** Shown under the zone: 'Please Upload File'. */
  error?: string | undefined
}

/** Accepts files by drag and drop or from the file picker. */
export const DropZone = ({ uploads, error }: DropZoneProps) => {
  const { rules, add } = uploads
  const isMany = rules.maxFiles > 1
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    add([...event.dataTransfer.files])
  }
  const dragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  return (
    <div>
      {/* Dropping needs a mouse; the button inside does the same. */}
      <Zone
        className={[isOver && 'over', error && 'wrong'].filter(Boolean).join(' ')}
        onDragEnter={dragOver}
        onDragOver={dragOver}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <UploadIcon size={20} />
        <strong>{isMany ? 'Drop files here' : 'Drop a file here'}</strong>
        <span>{describeRules(rules)}</span>
        <Button aria-describedby={error ? `${id}-error` : undefined} onClick={() => input.current?.click()}>
          {isMany ? 'Choose files' : 'Choose file'}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          multiple={isMany}
          accept={acceptOf(rules)}
          aria-label={isMany ? 'Files' : 'File'}
          onChange={(event) => {
            add([...(event.target.files ?? [])])
            // Or choosing the same file again would not fire a change.
            event.target.value = ''
          }}
        />
      </Zone>
      {error && (
        <Message id={`${id}-error`} role="alert">
          <ErrorIcon size={12} />
          {error}
        </Message>
      )}
    </div>
  )
}
