import { requisitionScanRoutes, type ScanField } from '@lis/contract/requisition-scans.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../lib/api.ts'
import { sendToStorage } from '../../lib/send-to-storage.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Spinner } from '../../ui/spinner.tsx'

const Fields = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 300px), 1fr))',
  gap: 8,
  '& li': {
    display: 'flex',
    flexDirection: 'column',
    gap: 4,
    padding: 8,
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-sm)',
  },
  '& img': { maxWidth: '100%', maxHeight: 44, objectFit: 'contain', objectPosition: 'left', background: '#fff' },
  '& .value': { display: 'flex', alignItems: 'center', gap: 8, flexWrap: 'wrap' },
  '& .value > b': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere', color: 'var(--text)' },
})
const Unsure = styled('span')({
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  background: 'var(--warning-bg)',
  color: 'var(--warning)',
})

const pollMs = 1000

interface ScanReaderProps {
  /** The chosen scan, not uploaded yet. */
  file: File | undefined
  onTake: (field: ScanField) => void
}

/** Reads the chosen scan on the server and offers what it finds; nothing is taken without a click. */
export const ScanReader = ({ file, onTake }: ScanReaderProps) => {
  const [scanId, setScanId] = useState<number | null>(null)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const [taken, setTaken] = useState<readonly string[]>([])
  useEffect(() => {
    setScanId(null)
    setFault(null)
    setTaken([])
    // Another file has other fields.
    void file
  }, [file])
  const { data } = useQuery({
    queryKey: [requisitionScanRoutes.one.path, scanId],
    queryFn: ({ signal }) => call(requisitionScanRoutes.one, { params: { scanId: scanId as number }, signal }),
    enabled: scanId !== null,
    refetchInterval: ({ state }) => (state.data?.data.state === 'READING' ? pollMs : false),
  })
  const scan = scanId === null ? undefined : data?.data
  const start = async (chosen: File) => {
    setSending(true)
    setFault(null)
    try {
      const { data: slot } = await call(requisitionScanRoutes.init, { body: { fileName: chosen.name } })
      const context = { signal: new AbortController().signal, onProgress: () => undefined, isSilent: true }
      await sendToStorage(slot, chosen, context)
      await call(requisitionScanRoutes.read, { params: { scanId: slot.scanId } })
      setScanId(slot.scanId)
    } catch (error) {
      setFault((error as Error).message)
    } finally {
      setSending(false)
    }
  }
  if (!file) return null
  const isReading = isSending || scan?.state === 'READING' || (scanId !== null && !scan)
  return (
    <Card title="Read from the scan">
      {!scan && !isReading && (
        <ActionButton isBusy={isSending} onClick={() => void start(file)}>
          Read the scan
        </ActionButton>
      )}
      {isReading && (
        <p role="status">
          <Spinner /> Reading the scan. You can go on typing.
        </p>
      )}
      {(fault ?? (scan?.state === 'FAILED' ? scan.message : null)) && (
        <Banner type="warning">{fault ?? scan?.message}</Banner>
      )}
      {scan?.state === 'DONE' && (
        <Fields aria-label="Fields of the scan">
          {scan.fields.map((field, n) => (
            <li key={field.name}>
              <span>{field.label}</span>
              <Piece scanId={scan.id} n={n} label={field.label} />
              <span className="value">
                <b>{field.value}</b>
                {field.isUnsure && <Unsure>Please check</Unsure>}
                <Button
                  size="small"
                  disabled={taken.includes(field.name)}
                  onClick={() => {
                    setTaken([...taken, field.name])
                    onTake(field)
                  }}
                >
                  Take {field.label}
                </Button>
              </span>
            </li>
          ))}
        </Fields>
      )}
    </Card>
  )
}

/** The piece of the picture that a field was read from. */
const Piece = ({ scanId, n, label }: { scanId: number; n: number; label: string }) => {
  const { data } = useQuery({
    queryKey: [requisitionScanRoutes.piece.path, scanId, n],
    queryFn: ({ signal }): Promise<Blob> => call(requisitionScanRoutes.piece, { params: { scanId, n }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(data)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [data])
  return address ? <img src={address} alt={`${label} on the scan`} /> : null
}
