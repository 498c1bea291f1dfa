import Button from '@mui/material/Button'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { RetryIcon } from '../../ui/icons.tsx'

const Frame = styled('section')(({ theme }) => ({
  minWidth: 0,
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  boxShadow: 'var(--shadow-1)',
  '& > header': {
    minHeight: 40,
    display: 'flex',
    alignItems: 'center',
    flexWrap: 'wrap',
    gap: '2px 8px',
    padding: '4px 8px 4px 12px',
    borderBottom: '1px solid var(--line)',
  },
  '& > header h2': {
    fontSize: 13,
    lineHeight: '20px',
    fontWeight: 600,
    color: 'var(--text-strong)',
    whiteSpace: 'nowrap',
  },
  '& > header > .note': { flex: '1 1 auto', color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { '& > header': { borderBottom: 0, paddingTop: 8 } },
}))
const Part = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12, padding: 12 })
const Failed = styled('div')({ display: 'flex', alignItems: 'center', gap: 12, padding: 12, color: 'var(--error)' })

/** The colours and marks of a chart, in the header of its panel. */
export const Legend = styled('span')({
  display: 'inline-flex',
  flexWrap: 'wrap',
  gap: '2px 10px',
  fontSize: 11,
  color: 'var(--text-3)',
  '& span': { display: 'inline-flex', alignItems: 'center', gap: 5, whiteSpace: 'nowrap' },
  '& i': { width: 10, height: 8, borderRadius: 2, background: 'var(--p)' },
  '& i.usual': { width: 12, height: 1.5, background: 'var(--n-450)' },
  '& i.far': { background: 'var(--n-300)' },
  '& i.target': { width: 1.5, height: 12, background: 'var(--text-strong)' },
})

interface PanelProps {
  title: string
  note?: ReactNode
  actions?: ReactNode
  /** Takes the focus: the address names this part. */
  isFocused?: boolean | undefined
  children: ReactNode
}

/** A titled part of Home. */
export const Panel = ({ title, note, actions, isFocused = false, children }: PanelProps) => {
  const id = useId()
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isFocused) frame.current?.focus()
  }, [isFocused])
  return (
    <Frame ref={frame} aria-labelledby={id} tabIndex={isFocused ? -1 : undefined}>
      <header>
        <h2 id={id}>{title}</h2>
        <span className="note">{note}</span>
        {actions}
      </header>
      {children}
    </Frame>
  )
}

const widths = [92, 75, 58, 81, 64, 87, 70, 53]

/** Keeps the height while loading. */
export const PanelSkeleton = ({ title, rows }: { title: string; rows: number }) => (
  <Panel title={title}>
    <Part aria-busy="true">
      {widths.slice(0, rows).map((width) => (
        <Skeleton key={width} variant="rectangular" height={22} width={`${width}%`} />
      ))}
    </Part>
  </Panel>
)

/** A part that could not be read; the others are not affected. */
export const PartFailure = ({ reason, onRetry }: { reason: string; onRetry: () => void }) => (
  <Failed role="alert">
    {reason}
    <Button startIcon={<RetryIcon />} onClick={onRetry}>
      Retry
    </Button>
  </Failed>
)
