import { can } from '@lis/contract/access/permissions.ts'
import { type ScanMode, type ScanOutcome, scanModes, scanRoutes } from '@lis/contract/scans.ts'
import Button from '@mui/material/Button'
import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { styled } from '@mui/material/styles'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../../lib/api.ts'
import { queryClient } from '../../lib/query.ts'
import { listenToScanner } from '../../lib/scanner.ts'
import { useRole, useViewedName } from '../../lib/session.ts'
import { ErrorIcon, SuccessIcon } from '../../ui/icons.tsx'
import { HeaderTools } from '../../ui/page-header.tsx'

const Last = styled('section')(({ theme }) => ({
  position: 'fixed',
  left: '50%',
  // Below the header and tabs of a page: at the bottom notices would cover its button.
  top: 96,
  // Below the patient's name.
  [theme.breakpoints.down('sm')]: { top: 180 },
  zIndex: theme.zIndex.snackbar - 1,
  transform: 'translateX(-50%)',
  maxWidth: 'min(560px, calc(100vw - 24px))',
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  padding: '8px 14px',
  border: '1px solid',
  borderRadius: 'var(--r-md)',
  overflowWrap: 'anywhere',
  '&.done': { background: 'var(--success-bg)', color: 'var(--success)', borderColor: 'currentColor' },
  '&.failed': { background: 'var(--error-bg)', color: 'var(--error)', borderColor: 'currentColor' },
  '& > svg': { flex: 'none' },
  '& b': { fontWeight: 600 },
  '& small': { flex: 'none', color: 'var(--text-2)' },
  // A live region must exist before its text changes.
  '&.empty': { border: 0, padding: 0, width: 1, height: 1, overflow: 'hidden' },
}))
const Mode = styled('span')(({ theme }) => ({
  flex: 'none',
  [theme.breakpoints.down('sm')]: {
    '& .MuiSelect-select.MuiSelect-select.MuiSelect-select': {
      boxSizing: 'border-box',
      height: 44,
      display: 'flex',
      alignItems: 'center',
      fontSize: 12,
    },
  },
}))

interface Shown {
  outcome: ScanOutcome['outcome']
  message: string
  count: number
  /** Receives the tube of a label that was received before. */
  receiveAnother: (() => void) | null
}

const shownMs = 10_000
const refreshMs = 500
const modeKey = 'scan-mode'

/** Handles scans on every page: does what 'Scan mode' says, and shows the outcome. */
export const Scanning = ({ children }: { children: ReactNode }) => {
  const role = useRole()
  const isViewing = useViewedName() !== undefined
  const mayStore = can(role, 'specimens.place') && !isViewing
  const [mode, setMode] = useState<ScanMode>(readMode)
  const choose = useCallback((next: ScanMode) => {
    sessionStorage.setItem(modeKey, next)
    setMode(next)
  }, [])
  const last = useScans(mayStore ? mode : 'OPEN')
  const tools = useMemo(
    () => (mayStore ? <ModeSelect mode={mode} onChoose={choose} /> : null),
    [mayStore, mode, choose],
  )
  return (
    <HeaderTools value={tools}>
      {children}
      <LastScan last={last} />
    </HeaderTools>
  )
}

const readMode = (): ScanMode => {
  const saved = sessionStorage.getItem(modeKey)
  return saved !== null && saved in scanModes ? (saved as ScanMode) : 'OPEN'
}

const ModeSelect = ({ mode, onChoose }: { mode: ScanMode; onChoose: (mode: ScanMode) => void }) => (
  <Mode className="scan-mode">
    <Select
      value={mode}
      size="small"
      SelectDisplayProps={{ 'aria-label': `Scan mode: ${scanModes[mode]}` }}
      renderValue={(value) => (
        <>
          <small style={{ font: 'inherit', whiteSpace: 'pre' }}>Scan: </small>
          {scanModes[value]}
        </>
      )}
      onChange={({ target }) => onChoose(target.value as ScanMode)}
    >
      {Object.entries(scanModes).map(([value, label]) => (
        <MenuItem key={value} value={value}>
          {label}
        </MenuItem>
      ))}
    </Select>
  </Mode>
)

const LastScan = ({ last }: { last: Shown | null }) => {
  const [isHidden, setHidden] = useState(false)
  useEffect(() => {
    if (!last) return
    setHidden(false)
    if (last.receiveAnother) return
    const timer = setTimeout(() => setHidden(true), shownMs)
    return () => clearTimeout(timer)
  }, [last])
  const isDone = last?.outcome === 'DONE'
  const isEmpty = !last || isHidden
  return (
    <Last role="status" aria-label="Last scan" className={isEmpty ? 'empty' : isDone ? 'done' : 'failed'}>
      {!isEmpty && (
        <>
          {isDone ? <SuccessIcon size={16} /> : <ErrorIcon size={16} />}
          <b>{last.message}</b>
          <small>{last.count === 1 ? '1 scan' : `${last.count} scans`}</small>
          {last.receiveAnother && (
            <Button size="small" onClick={last.receiveAnother}>
              Receive another tube
            </Button>
          )}
        </>
      )}
    </Last>
  )
}

/** Scans are processed in order; none is lost when they arrive faster than the answers. */
const useScans = (mode: ScanMode): Shown | null => {
  const [last, setLast] = useState<Shown | null>(null)
  const navigate = useNavigate()
  const latest = useRef({ mode, navigate })
  useEffect(() => {
    latest.current = { mode, navigate }
  })
  useEffect(() => {
    let queue = Promise.resolve()
    let boxCode: string | null = null
    let count = 0
    let refresh: ReturnType<typeof setTimeout> | undefined
    // Once scanning pauses: reading a list again after each scan would delay the next one.
    const refreshSoon = () => {
      clearTimeout(refresh)
      refresh = setTimeout(() => void queryClient.invalidateQueries(), refreshMs)
    }
    const work = async (code: string, now: ScanMode, isAnotherTube = false) => {
      const outcome = await run({ code, mode: now, boxCode, isAnotherTube }).catch((error: unknown) => failed(error))
      if (now === 'PLACE' && outcome.outcome === 'DONE' && outcome.kind === 'BOX') boxCode = code
      if (!isAnotherTube) count += 1
      const receiveAnother = outcome.isReceivedBefore ? () => add(code, now, true) : null
      setLast({ outcome: outcome.outcome, message: outcome.message, count, receiveAnother })
      beep(outcome.outcome === 'DONE')
      if (outcome.outcome !== 'DONE') return
      if (now === 'OPEN' && outcome.href !== null) latest.current.navigate(outcome.href)
      if (now !== 'OPEN' && now !== 'FIND') refreshSoon()
    }
    const add = (code: string, now: ScanMode, isAnotherTube?: boolean) => {
      queue = queue.then(() => work(code, now, isAnotherTube))
    }
    return listenToScanner((code) => add(code, latest.current.mode))
  }, [])
  return last
}

type Result = Pick<ScanOutcome, 'outcome' | 'message' | 'kind' | 'href' | 'isReceivedBefore'>

interface Scan {
  code: string
  mode: ScanMode
  boxCode: string | null
  isAnotherTube: boolean
}

const run = async ({ code, mode, boxCode, isAnotherTube }: Scan): Promise<Result> => {
  // Opening only reads, so that it also works for users who may change nothing.
  if (mode === 'OPEN') {
    const { data } = await call(scanRoutes.code, { params: { code } })
    return { outcome: 'DONE', message: data.label, kind: data.kind, href: data.href, isReceivedBefore: false }
  }
  const { data } = await call(scanRoutes.scan, {
    body: { code, mode, isAnotherTube, ...(boxCode !== null && { boxCode }) },
  })
  return data
}

const failed = (error: unknown): Result => ({
  outcome: 'REFUSED',
  message: error instanceof Error ? error.message : 'The scan failed',
  kind: null,
  href: null,
  isReceivedBefore: false,
})

let audio: AudioContext | undefined

/** A high tone for success, a low one for failure: nobody looks at the screen while scanning. */
const beep = (isGood: boolean) => {
  audio ??= new AudioContext()
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  tone.frequency.value = isGood ? 1200 : 220
  tone.type = isGood ? 'sine' : 'square'
  volume.gain.value = 0.05
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + (isGood ? 0.08 : 0.35))
}
