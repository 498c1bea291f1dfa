import { messages } from '@lis/contract/messages.ts'
import { keyframes, styled } from '@mui/material/styles'
import { type CustomContentProps, useSnackbar } from 'notistack'
import { useCallback, useEffect, useRef, useState } from 'react'
import { events, type Notice, type NoticeType } from '../lib/events.ts'
import {
  CloseIcon,
  DownloadIcon,
  ErrorIcon,
  type Icon,
  InfoIcon,
  RetryIcon,
  SuccessIcon,
  WarningIcon,
} from './icons.tsx'

const looks: Record<NoticeType, { Glyph: Icon; colour: string }> = {
  info: { Glyph: InfoIcon, colour: 'var(--note-accent)' },
  success: { Glyph: SuccessIcon, colour: '#86D9A8' },
  warning: { Glyph: WarningIcon, colour: '#F5C76F' },
  error: { Glyph: ErrorIcon, colour: '#fff' },
}

const shrink = keyframes`from { transform: scaleX(1) } to { transform: scaleX(0) }`

const Card = styled('div')(({ theme }) => ({
  position: 'relative',
  overflow: 'hidden',
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  minWidth: 320,
  maxWidth: 480,
  minHeight: 44,
  padding: '6px 8px 6px 12px',
  borderRadius: 'var(--r-md)',
  background: 'var(--note-bg)',
  color: 'var(--note-text)',
  boxShadow: 'var(--shadow-3)',
  fontSize: 12,
  lineHeight: '16px',
  '--surface': 'var(--note-bg)',
  '&.error': { background: 'var(--error-solid)', '--surface': 'var(--error-solid)', '--focus': '#fff' },
  '& a.inline': { color: 'var(--note-accent)', fontWeight: 600, textUnderlineOffset: 2 },
  '&.error a.inline': { color: '#fff' },
  [theme.breakpoints.down('sm')]: { minWidth: 0, width: '100%', maxWidth: 'none' },
}))
const Text = styled('span')({ flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' })
const action = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  height: 28,
  padding: '0 10px',
  border: '1px solid rgba(255,255,255,.28)',
  borderRadius: 'var(--r-sm)',
  background: 'none',
  color: '#fff',
  font: 'inherit',
  fontWeight: 600,
  whiteSpace: 'nowrap',
  textDecoration: 'none',
  cursor: 'pointer',
} as const
const ActionButton = styled('button')(action)
const ActionLink = styled('a')(action)
const Close = styled('button')({
  display: 'grid',
  placeItems: 'center',
  width: 28,
  height: 28,
  padding: 0,
  border: 0,
  borderRadius: 'var(--r-sm)',
  background: 'none',
  color: '#B8C4CD',
  cursor: 'pointer',
  '.error > &': { color: '#fff' },
})
const Bar = styled('span')({
  position: 'absolute',
  left: 0,
  bottom: 0,
  width: '100%',
  height: 2,
  background: '#5FB1D0',
  transformOrigin: 'left',
  '.error > &': { background: 'rgba(255,255,255,.6)' },
  '@media (prefers-reduced-motion: reduce)': { display: 'none' },
})

interface NoticeCardProps extends CustomContentProps {
  notice: Notice
  durationMs: number
}

/** One notice: dark, or red for an error, with a bar for the remaining time. Hovering or focusing it pauses the timer. */
export const NoticeCard = ({
  id,
  message,
  notice,
  durationMs,
  ref,
}: NoticeCardProps & { ref?: React.Ref<HTMLDivElement> }) => {
  const { closeSnackbar } = useSnackbar()
  const [isHeld, setHeld] = useState(false)
  const { downloadUrl, stays } = notice
  const close = useCallback(() => {
    closeSnackbar(id)
    stays?.onRead()
  }, [closeSnackbar, id, stays])
  const [turn, setTurn] = useState(0)
  useEffect(() => events.on('noticeRepeated', (words) => words === id && setTurn((before) => before + 1)), [id])
  useCountdown(durationMs, isHeld || stays !== undefined, close, turn)
  const { Glyph, colour } = looks[notice.type]
  return (
    <Card
      ref={ref}
      className={notice.type}
      role={notice.type === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Glyph color={colour} style={{ flex: 'none' }} />
      <Text key={turn}>
        {downloadUrl === undefined ? message : <DownloadText text={String(message)} url={downloadUrl} />}
      </Text>
      {downloadUrl !== undefined && (
        <ActionLink href={downloadUrl}>
          <DownloadIcon />
          {messages.downloadAction}
        </ActionLink>
      )}
      {notice.action && (
        <ActionButton
          type="button"
          onClick={() => {
            notice.action?.run()
            close()
          }}
        >
          {notice.action.label === 'Retry' && <RetryIcon />}
          {notice.action.label}
        </ActionButton>
      )}
      <Close type="button" aria-label="Close" onClick={close}>
        <CloseIcon />
      </Close>
      {!stays && (
        <Bar
          key={`bar ${turn}`}
          sx={{
            animation: `${shrink} ${durationMs}ms linear forwards`,
            animationPlayState: isHeld ? 'paused' : 'running',
          }}
        />
      )}
    </Card>
  )
}

/** 'If download failed, please click here': the last words are the link. */
const DownloadText = ({ text, url }: { text: string; url: string }) => {
  const words = 'click here'
  if (!text.endsWith(words)) return text
  return (
    <>
      {text.slice(0, -words.length)}
      <a className="inline" href={url}>
        {words}
      </a>
    </>
  )
}

/** Calls `onEnd` once after `durationMs`; pauses while `isHeld`, and restarts for each new `turn`. */
const useCountdown = (durationMs: number, isHeld: boolean, onEnd: () => void, turn = 0) => {
  const left = useRef({ ms: durationMs, turn })
  useEffect(() => {
    if (left.current.turn !== turn) left.current = { ms: durationMs, turn }
    if (isHeld) return
    const startedAt = performance.now()
    const timer = setTimeout(onEnd, left.current.ms)
    return () => {
      clearTimeout(timer)
      left.current.ms -= performance.now() - startedAt
    }
  }, [durationMs, isHeld, onEnd, turn])
}
