import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type DragEvent, useId, useRef, useState } from 'react'
import { ErrorIcon, UploadIcon } from '../icons.tsx'
import { acceptOf, describeRules } from './file-rules.ts'
import type { UploadsInUse } from './use-uploads.ts'

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
  // What is dragged passes over the parts of the zone; only the zone itself is to hear of it.
  '&.over > *': { pointerEvents: 'none' },
})
const Message = styled('p')({ display: 'flex', alignItems: 'center', gap: 4, fontSize: 11, color: 'var(--error)' })

interface DropZoneProps {
  uploads: UploadsInUse
  /** Under the zone: 'Please Upload File'. */
  error?: string | undefined
}

/** Takes files by drag and drop or by the browser's own window. */
export const DropZone = ({ uploads, error }: DropZoneProps) => {
  const { rules, add } = uploads
  const isMany = rules.maxFiles > 1
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const take = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    add([...event.dataTransfer.files])
  }
  const offer = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  return (
    <div>
      {/* Dropping is for the mouse alone; the button inside does the same. */}
      <Zone
        className={[isOver && 'over', error && 'wrong'].filter(Boolean).join(' ')}
        onDragEnter={offer}
        onDragOver={offer}
        onDragLeave={() => setOver(false)}
        onDrop={take}
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
            // Or choosing the same file again would be no change.
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
