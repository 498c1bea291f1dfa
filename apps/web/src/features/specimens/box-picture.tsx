import { type BoxSlot, type FreezerBox, slotName } from '@lis/contract/spec-locations.ts'
import { styled } from '@mui/material/styles'
import { useRef, useState } from 'react'
import { CheckIcon } from '../../ui/table/table-icons.tsx'

const Frame = styled('div')(({ theme }) => ({
  '--side': '32px',
  '--gap': '4px',
  overflowX: 'auto',
  '&.many': { '--side': '26px' },
  padding: '10px 14px 12px 8px',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-lg)',
  background: 'var(--surface-2)',
  '& .grid': {
    display: 'grid',
    gridTemplateColumns: '18px repeat(var(--columns), var(--side))',
    gridTemplateRows: '16px',
    gridAutoRows: 'var(--side)',
    gap: 'var(--gap)',
    placeItems: 'center',
    width: 'max-content',
  },
  '& .axis': { fontSize: 11, lineHeight: '16px', color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { '--side': '27px', '--gap': '3px', padding: '8px 4px 8px 0' },
}))
const Slot = styled('button')({
  width: 'var(--side)',
  height: 'var(--side)',
  padding: 0,
  display: 'grid',
  placeItems: 'center',
  borderRadius: '50%',
  border: '1px solid var(--n-450)',
  background: 'var(--surface)',
  color: 'var(--text-3)',
  font: 'inherit',
  fontSize: 10,
  cursor: 'pointer',
  '&:hover': { borderColor: 'var(--p)', color: 'var(--p)' },
  '&.taken': { background: 'var(--n-300)', borderColor: 'var(--n-300)', color: 'transparent' },
  '&[aria-disabled]': { cursor: 'default' },
  '&.own': {
    background: 'var(--id-bg)',
    border: '1.5px solid var(--id-stripe)',
    color: 'var(--id-text)',
    fontWeight: 600,
    cursor: 'default',
  },
  '&.chosen': { background: 'var(--p)', borderColor: 'var(--p)', color: 'var(--on-p)' },
  '&.wrong': { background: 'var(--error-bg)', borderColor: 'var(--error)', color: 'var(--error)' },
  '&:focus-visible': { outline: 'none', boxShadow: '0 0 0 2px var(--surface-2), 0 0 0 4px var(--focus)' },
})
const Legend = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 14px',
  paddingLeft: 4,
  fontSize: 11,
  color: 'var(--text-3)',
  '& > span': { display: 'flex', alignItems: 'center', gap: 5 },
  '& i': { width: 12, height: 12, borderRadius: '50%', border: '1px solid var(--n-450)', background: 'var(--surface)' },
  '& .taken': { background: 'var(--n-300)', borderColor: 'var(--n-300)' },
  '& .own': { background: 'var(--id-bg)', borderColor: 'var(--id-stripe)' },
  '& .chosen': { background: 'var(--p)', borderColor: 'var(--p)' },
})

interface BoxPictureProps {
  name: string
  box: FreezerBox
  /** The requisition whose samples are highlighted; undefined while a box is filled for many. */
  reqId?: number | undefined
  /** The chosen slots with their text: a sequence number, or empty for a check mark. */
  chosen: ReadonlyMap<number, string>
  /** Slots among them in which the sample cannot be placed. */
  invalid?: ReadonlySet<number> | undefined
  /** Slots with a sample can be chosen too. */
  takesTaken?: boolean | undefined
  onToggle: (slot: BoxSlot) => void
}

/** The box seen from above. A single tab stop; arrows, Home and End move inside, Space and Enter choose. */
export const BoxPicture = ({ name, box, reqId, chosen, invalid, takesTaken, onToggle }: BoxPictureProps) => {
  const grid = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<number | null>(null)
  const { slots, columnCount } = box
  const firstFree = Math.max(
    0,
    slots.findIndex((slot) => slot.reqId === null),
  )
  const current = focused !== null && focused < slots.length ? focused : firstFree
  const move = (event: React.KeyboardEvent) => {
    const next = nextIndex(event.key, current, columnCount, slots.length)
    if (next === null) return
    event.preventDefault()
    setFocused(next)
    grid.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <Frame className={columnCount > 9 ? 'many' : undefined} style={{ '--columns': columnCount } as React.CSSProperties}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of the form above */}
      <div ref={grid} className="grid" role="group" aria-label={`Slots of box ${name}`} onKeyDown={move}>
        <span />
        {slots.slice(0, columnCount).map(({ slot }) => (
          <span key={`column ${slot}`} className="axis" aria-hidden="true">
            {slot}
          </span>
        ))}
        {slots.map((slot, index) => [
          index % columnCount === 0 && (
            <span key={`row ${slot.rowLetter}`} className="axis" aria-hidden="true">
              {slot.rowLetter}
            </span>
          ),
          <SlotButton
            key={slot.trackerId}
            slot={slot}
            isOwn={slot.reqId === reqId}
            mark={chosen.get(slot.trackerId)}
            isInvalid={invalid?.has(slot.trackerId) ?? false}
            isChoosable={takesTaken === true || slot.reqId === null}
            isCurrent={index === current}
            onFocus={() => setFocused(index)}
            onToggle={() => onToggle(slot)}
          />,
        ])}
      </div>
    </Frame>
  )
}

interface SlotButtonProps {
  slot: BoxSlot
  isOwn: boolean
  mark: string | undefined
  isInvalid: boolean
  isChoosable: boolean
  isCurrent: boolean
  onFocus: () => void
  onToggle: () => void
}

const SlotButton = ({ slot, isOwn, mark, isInvalid, isChoosable, isCurrent, onFocus, onToggle }: SlotButtonProps) => {
  const isChosen = mark !== undefined && isChoosable
  const name = slotName(slot)
  const isTaken = slot.reqId !== null
  const state = [
    isOwn ? 'this requisition' : isTaken && `taken by #${slot.reqId}`,
    isChosen && mark && `sample ${mark}`,
  ].filter(Boolean)
  const label = `${name}, ${state.join(', ') || 'free'}`
  return (
    <Slot
      type="button"
      className={isOwn ? 'own' : isTaken && !isChosen ? 'taken' : isInvalid ? 'wrong' : isChosen ? 'chosen' : undefined}
      aria-label={label}
      title={label}
      aria-pressed={isChoosable ? isChosen : undefined}
      aria-disabled={isChoosable ? undefined : true}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onClick={isChoosable ? onToggle : undefined}
    >
      {isChosen ? mark || <CheckIcon size={14} /> : name}
    </Slot>
  )
}

/** The slot that a key moves to; null for other keys. */
export const nextIndex = (key: string, from: number, columns: number, count: number): number | null => {
  const rowStart = from - (from % columns)
  const target = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    ArrowDown: from + columns,
    ArrowUp: from - columns,
    Home: rowStart,
    End: Math.min(rowStart + columns, count) - 1,
  }[key]
  return target === undefined ? null : target >= 0 && target < count ? target : from
}

export const BoxLegend = ({ chosen = 'Selected', hasOwn = true }: { chosen?: string; hasOwn?: boolean }) => (
  <Legend aria-hidden="true">
    <span>
      <i /> Free
    </span>
    <span>
      <i className="taken" /> Taken
    </span>
    {hasOwn && (
      <span>
        <i className="own" /> This requisition
      </span>
    )}
    <span>
      <i className="chosen" /> {chosen}
    </span>
  </Legend>
)
