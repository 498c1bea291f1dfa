import { type ScanOutcome, scanRoutes } from '@lis/contract/scans.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../lib/api.ts'
import { queryClient } from '../../lib/query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CloseIcon, ErrorIcon, SuccessIcon } from '../../ui/icons.tsx'
import { TextField } from '../../ui/text-field.tsx'

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  minHeight: 56,
  padding: '0 4px 0 16px',
  borderBottom: '1px solid var(--line)',
  '& h2': { fontSize: 16, fontWeight: 600, color: 'var(--text-strong)' },
})
const Body = styled('div')({
  flex: '1 1 auto',
  minHeight: 0,
  overflow: 'auto',
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  padding: 16,
  '& video': { width: '100%', maxHeight: '45dvh', borderRadius: 'var(--r-md)', background: 'var(--n-900)' },
  '& form': { display: 'flex', alignItems: 'flex-end', gap: 8 },
  '& form > :first-of-type': { flex: '1 1 auto' },
  '& ul': { margin: 0, padding: 0, listStyle: 'none' },
  '& li': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: 8,
    padding: '8px 0',
    borderBottom: '1px solid var(--line)',
    overflowWrap: 'anywhere',
  },
  '& li svg': { flex: 'none', color: 'var(--error)' },
  '& li > span': { flex: '1 1 200px' },
  '& li > button': { flex: 'none', marginLeft: 24 },
  '& li.DONE svg': { color: 'var(--success)' },
})

/** The bar code reader of the browser; without one the number is typed. */
interface Detector {
  detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]>
}
const makeDetector = (): Detector | null => {
  const { BarcodeDetector } = window as unknown as { BarcodeDetector?: new () => Detector }
  return BarcodeDetector && navigator.mediaDevices ? new BarcodeDetector() : null
}

const everyMs = 250
/** A label that has been out of the picture for so long is read again. */
const sameAgainMs = 4000

type Received = Pick<ScanOutcome, 'outcome' | 'message' | 'isReceivedBefore'>

const wholeScreen = { margin: 0, width: '100%', borderRadius: 0 }

/** The camera reads one label after the other, and each tube is received as with a scanner in the mode 'Receive'. */
export const ScanDialog = ({ onClose }: { onClose: () => void }) => {
  const [received, setReceived] = useState<readonly (Received & { no: number; code: string })[]>([])
  const [typed, setTyped] = useState('')
  const receive = async (code: string, isAnotherTube = false) => {
    const outcome = await receiveTube(code, isAnotherTube)
    navigator.vibrate?.(outcome.outcome === 'DONE' ? 60 : [200, 100, 200])
    setReceived((before) => [{ ...outcome, code, no: before.length + 1 }, ...before])
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const code = typed.trim()
    if (code === '') return
    setTyped('')
    void receive(code)
  }
  const { video, problem } = useCamera((code) => void receive(code))
  return (
    <Dialog
      open
      fullScreen
      onClose={onClose}
      aria-labelledby="scan-to-receive"
      slotProps={{ paper: { sx: wholeScreen } }}
    >
      <Head>
        <h2 id="scan-to-receive">Scan to receive</h2>
        <IconButton aria-label="Close" onClick={onClose}>
          <CloseIcon size={20} />
        </IconButton>
      </Head>
      <Body>
        {problem ? <p>{problem}</p> : <video ref={video} muted playsInline aria-label="Picture of the camera" />}
        <form onSubmit={submit}>
          <TextField label="Number on the label" value={typed} onChange={({ target }) => setTyped(target.value)} />
          <Button type="submit">Receive</Button>
        </form>
        <div role="log" aria-label="Received">
          <ul>
            {received.map(({ no, outcome, message, code, isReceivedBefore }) => (
              <li key={no} className={outcome}>
                {outcome === 'DONE' ? <SuccessIcon /> : <ErrorIcon />}
                <span>{message}</span>
                {isReceivedBefore && <Button onClick={() => void receive(code, true)}>Receive another tube</Button>}
              </li>
            ))}
          </ul>
        </div>
      </Body>
    </Dialog>
  )
}

const receiveTube = async (code: string, isAnotherTube: boolean): Promise<Received> => {
  try {
    const { data } = await call(scanRoutes.scan, { body: { code, mode: 'RECEIVE', isAnotherTube } })
    if (data.outcome === 'DONE') void queryClient.invalidateQueries()
    return data
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The scan failed'
    return { outcome: 'REFUSED', message, isReceivedBefore: false }
  }
}

const useCamera = (onCode: (code: string) => void) => {
  const video = useRef<HTMLVideoElement>(null)
  const [detector] = useState(makeDetector)
  const [problem, setProblem] = useState(
    detector ? '' : 'This browser cannot read bar codes with its camera. Type the number, or use a scanner.',
  )
  const latest = useRef(onCode)
  useEffect(() => {
    latest.current = onCode
  })
  useEffect(() => {
    if (!detector) return
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setInterval> | undefined
    let isOver = false
    const last = { code: '', at: 0 }
    const look = async (source: HTMLVideoElement) => {
      const [found] = await detector.detect(source).catch(() => [])
      const code = found?.rawValue.trim()
      if (!code || isOver) return
      const isSame = code === last.code && Date.now() - last.at < sameAgainMs
      Object.assign(last, { code, at: Date.now() })
      if (!isSame) latest.current(code)
    }
    const start = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      const source = video.current
      if (isOver || !source) return stop()
      source.srcObject = stream
      await source.play()
      timer = setInterval(() => void look(source), everyMs)
    }
    const stop = () => {
      isOver = true
      clearInterval(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    start().catch(() => setProblem('The camera could not be opened. Allow it for this page, or type the number.'))
    return stop
  }, [detector])
  return { video, problem }
}
