import type { ResultProblem } from '@lis/contract/requisition-tests.ts'
import Button from '@mui/material/Button'
import Popper from '@mui/material/Popper'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { formatDateInZone } from '../../lib/formats.ts'
import { WarningIcon } from '../../ui/icons.tsx'

const Sheet = styled('div')({
  width: 304,
  maxWidth: 'calc(100vw - 24px)',
  padding: '10px 12px',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  boxShadow: 'var(--shadow-2)',
  whiteSpace: 'normal',
  textAlign: 'left',
  color: 'var(--text)',
  '& strong': { display: 'flex', alignItems: 'center', gap: 8, fontWeight: 600, color: 'var(--warning)' },
  '& p': { margin: '6px 0 8px' },
  '& .actions': { display: 'flex', alignItems: 'center', gap: 8 },
  '& a': { color: 'var(--link)' },
})

interface DoubtfulResultCardProps {
  anchor: HTMLElement
  requisitionId: number
  problem: ResultProblem
  value: string
  labTz: string
  onConfirm: () => void
  onUndo: () => void
}

// Beside the column and under the cell, so that the next result can be typed while the question is open.
const modifiers = [
  {
    name: 'offset',
    options: {
      offset: ({ placement, reference }: { placement: string; reference: { height: number } }) =>
        placement.startsWith('right') ? [reference.height - 2, -3] : [0, 6],
    },
  },
  { name: 'flip', options: { fallbackPlacements: ['bottom-start', 'top-start'] } },
]

/** Asks whether a doubtful value is correct, with the reason, and leaves the cell unchanged until it is answered. */
export const DoubtfulResultCard = ({
  anchor,
  requisitionId,
  problem,
  value,
  labTz,
  onConfirm,
  onUndo,
}: DoubtfulResultCardProps) => (
  <Popper open anchorEl={anchor} placement="right-start" modifiers={modifiers} sx={{ zIndex: 20 }}>
    <Sheet role="dialog" aria-label={`Confirm ${problem.testCode}`}>
      <strong>
        <WarningIcon />
        {titleOf(problem, labTz)}
      </strong>
      {problem.doubts.map(({ message }) => (
        <p key={message}>{withLinks(message)}</p>
      ))}
      <div className="actions">
        <Button onClick={onConfirm}>Confirm {value}</Button>
        <Button onClick={onUndo}>Undo</Button>
        <Link to={`/requisitions/${requisitionId}/show/issues`}>Add issue</Link>
      </div>
    </Sheet>
  </Popper>
)

/** Links the requisition of the earlier result. */
const withLinks = (message: string) =>
  message.split(/(#\d+)/).map((part) =>
    part.startsWith('#') ? (
      <Link key={part} to={`/requisitions/${part.slice(1)}/show/tests`}>
        {part}
      </Link>
    ) : (
      part
    ),
  )

const titleOf = ({ doubts, previous }: ResultProblem, zone: string): string => {
  const delta = doubts.find(({ kind }) => kind === 'delta')
  if (delta && previous) return `Delta: ${delta.change} since ${formatDateInZone(previous.processDate, zone)}`
  return doubts.some(({ kind }) => kind === 'text') ? 'Not a number' : 'Unusual value'
}
