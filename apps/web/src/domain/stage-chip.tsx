import { displayStatus, isStatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'

/** The eight stages; the ring fills as the work proceeds. */
export const stages = [
  'Logged',
  'Accessioned',
  'Processing',
  'Resulted',
  'Reported',
  'Released',
  'Delivered',
  'Billed',
] as const
export type Stage = (typeof stages)[number]

const ring = <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" strokeWidth="1.5" />
const disc = <circle cx="6" cy="6" r="5.75" fill="currentColor" />
const piece = (path: string) => (
  <>
    {ring}
    <path d={path} fill="currentColor" />
  </>
)

const glyphs: Record<Stage, ReactNode> = {
  Logged: <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.1 2.1" />,
  Accessioned: ring,
  Processing: piece('M6 6V3A3 3 0 0 1 9 6Z'),
  Resulted: piece('M6 6V3A3 3 0 0 1 6 9Z'),
  Reported: piece('M6 6V3A3 3 0 1 1 3 6Z'),
  Released: (
    <>
      {ring}
      <circle cx="6" cy="6" r="3" fill="currentColor" />
    </>
  ),
  Delivered: (
    <>
      {disc}
      <path
        d="M3.5 6.2 5.3 8 8.6 4.4"
        fill="none"
        stroke="var(--b,#fff)"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  Billed: (
    <>
      {disc}
      <path d="M3.8 4.8h4.4M3.8 7.2h4.4" stroke="var(--b,#fff)" strokeWidth="1.4" strokeLinecap="round" />
    </>
  ),
}

export const StageGlyph = ({ stage }: { stage: Stage }) => (
  <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    {glyphs[stage]}
  </svg>
)

/** The two colours of a stage. */
export const stageColours = (stage: Stage) => {
  const name = stage.toLowerCase()
  return { '--c': `var(--st-${name})`, '--b': `var(--st-${name}-bg)` }
}

const Chip = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 5,
  minHeight: 20,
  padding: '3px 8px 3px 5px',
  borderRadius: 10,
  fontSize: 11,
  lineHeight: '14px',
  fontWeight: 600,
  // A long status has two lines: nothing of it may be cut off.
  whiteSpace: 'normal',
  maxWidth: '100%',
  background: 'var(--b)',
  color: 'var(--c)',
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, var(--c) 20%, transparent)',
  '& svg': { flex: 'none' },
})

/**
 * The status of a requisition in the colours of its stage. With `isGrouped` every billing status reads 'Billed', as in the header of a
 * requisition (DETAIL-006).
 */
export const StageChip = ({ code, isGrouped = false }: { code: string; isGrouped?: boolean }) => {
  const known = isStatusCode(code) ? code : 'LOG'
  const stage = displayStatus(known) as Stage
  const { description } = statusOf(known)
  const text = isGrouped ? stage : description
  return (
    <Chip style={stageColours(stage) as object} title={description}>
      <StageGlyph stage={stage} />
      <span>{text}</span>
    </Chip>
  )
}
