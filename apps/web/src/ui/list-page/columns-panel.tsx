import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import OutlinedInput from '@mui/material/OutlinedInput'
import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { SearchIcon } from '../icons.tsx'
import { VisuallyHidden } from '../table/table-frame.tsx'
import { PinIcon } from '../table/table-icons.tsx'
import { type ColumnChoice, groupOf, moveColumn, panelOrder } from './arrange-columns.ts'
import { GripIcon } from './column-icons.tsx'
import { useRowDrag } from './use-row-drag.ts'
import { WidthInput } from './width-input.tsx'

const Panel = styled('section')({
  position: 'absolute',
  top: 40,
  right: 16,
  zIndex: 30,
  display: 'flex',
  flexDirection: 'column',
  width: 304,
  maxWidth: 'calc(100% - 32px)',
  maxHeight: 'calc(100% - 56px)',
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  boxShadow: 'var(--shadow-2)',
  '& .head': { flex: 'none', display: 'flex', alignItems: 'center', gap: 8, height: 40, padding: '0 8px 0 12px' },
  '& .head h2': { fontSize: 12, fontWeight: 600, color: 'var(--text-strong)' },
  '& .muted': { color: 'var(--text-3)' },
  '& .grow': { flex: '1 1 auto', minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .find': { flex: 'none', padding: '0 12px 8px', '& svg': { flex: 'none', color: 'var(--text-3)' } },
  '& .list': { flex: '1 1 auto', minHeight: 0, overflow: 'hidden auto' },
  '& .foot': {
    flex: 'none',
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    padding: '8px 12px',
    borderTop: '1px solid var(--line)',
    background: 'var(--surface-2)',
    borderRadius: '0 0 var(--r-md) var(--r-md)',
  },
})
const Item = styled('li')({
  position: 'relative',
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  minHeight: 28,
  padding: '0 8px 0 6px',
  '&:hover, &:focus-within': { background: 'var(--n-50)' },
  '&[data-group]': { marginTop: 25 },
  // Not an item of its own: the list holds nothing but columns.
  '&[data-group]::before': {
    content: 'attr(data-group)',
    position: 'absolute',
    inset: '-25px 0 auto',
    height: 25,
    padding: '6px 12px 0',
    borderTop: '1px solid var(--line)',
    background: 'var(--surface)',
    fontSize: 11,
    lineHeight: '16px',
    color: 'var(--text-3)',
  },
  '&.moving': { background: 'var(--selected)', boxShadow: 'var(--shadow-2)' },
  '&.drop-before': { boxShadow: 'inset 0 2px 0 var(--p)' },
  '&.drop-after': { boxShadow: 'inset 0 -2px 0 var(--p)' },
  '& .grip': { flex: 'none', color: 'var(--text-3)', cursor: 'grab', touchAction: 'none' },
  '& label': { flex: '1 1 auto', minWidth: 0, display: 'flex', alignItems: 'center', gap: 6, cursor: 'pointer' },
  '& label > span': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& input[type=checkbox]': { flex: 'none', width: 16, height: 16, margin: 0, accentColor: 'var(--p)' },
  '& input[type=number]': {
    flex: 'none',
    width: 56,
    height: 24,
    padding: '0 4px',
    border: '1px solid transparent',
    borderRadius: 'var(--r-sm)',
    background: 'none',
    color: 'var(--text-2)',
    font: 'inherit',
    textAlign: 'right',
    '&:hover, &:focus': { borderColor: 'var(--field-line)', background: 'var(--surface)' },
  },
})

const groupTitles = {
  pinned: 'Pinned left',
  shown: 'Shown, in this order',
  edge: 'Fixed at the right edge',
  hidden: 'Hidden',
} as const

interface ColumnsPanelProps {
  choices: readonly ColumnChoice[]
  /** 'Saved with this view', where the columns belong to one. */
  note: string
  onChange: (choices: ColumnChoice[]) => void
  onReset: () => void
  /** Widths in which every text of the page fits. */
  onFit: () => void
  onClose: () => void
}

/** Which columns a list shows, in which order and width. The table beside it changes at once. */
export const ColumnsPanel = ({ choices, note, onChange, onReset, onFit, onClose }: ColumnsPanelProps) => {
  const panel = useRef<HTMLElement>(null)
  const [text, setText] = useState('')
  const [said, setSaid] = useState('')
  const ordered = panelOrder(choices)
  const found = ordered.filter(({ header }) => header.toLowerCase().includes(text.trim().toLowerCase()))
  const change = (name: string, over: Partial<ColumnChoice>) =>
    onChange(panelOrder(ordered.map((choice) => (choice.name === name ? { ...choice, ...over } : choice))))
  const focused = useRef<string>(undefined)
  const move = (name: string, to: number) => {
    const next = moveColumn(ordered, name, to)
    const place = next.findIndex((choice) => choice.name === name)
    focused.current = name
    setSaid(`${next[place]?.header}: place ${place + 1} of ${next.length}`)
    onChange(next)
  }
  // A moved element loses the focus.
  useEffect(() => {
    if (focused.current === undefined) return
    panel.current?.querySelector<HTMLElement>(`[data-column="${focused.current}"] input[type=checkbox]`)?.focus()
    focused.current = undefined
  })
  useEffect(() => panel.current?.querySelector<HTMLElement>('input')?.focus(), [])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      return onClose()
    }
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    const name = (event.target as HTMLElement).closest<HTMLElement>('[data-column]')?.dataset.column
    if (!event.altKey || step === undefined || name === undefined) return
    event.preventDefault()
    move(name, ordered.findIndex((choice) => choice.name === name) + step)
  }
  const drag = useRowDrag((name, target) => {
    const from = ordered.findIndex((choice) => choice.name === name)
    const at = ordered.findIndex((choice) => choice.name === target.name) + (target.isAfter ? 1 : 0)
    move(name, from < at ? at - 1 : at)
  })
  const shownCount = choices.filter(({ isVisible }) => isVisible).length
  return (
    <Panel ref={panel} id="columns-panel" aria-label="Columns" onKeyDown={onKeyDown}>
      <div className="head">
        <h2>Columns</h2>
        <span className="muted">
          {shownCount} of {choices.length} shown
        </span>
        <span className="grow" />
        <Button variant="text" onClick={onReset}>
          Reset
        </Button>
      </div>
      <div className="find">
        <OutlinedInput
          fullWidth
          value={text}
          placeholder="Find a column"
          startAdornment={<SearchIcon size={14} />}
          slotProps={{ input: { 'aria-label': 'Find a column', autoComplete: 'off' } }}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <ul className="list" aria-label="Columns of the list">
        {found.map((choice, index) => {
          const group = groupOf(choice)
          const before = found[index - 1]
          const { name, header, width, standardWidth, isPinned, isVisible, isAtEdge, isRequired } = choice
          return (
            <Item
              key={name}
              data-column={name}
              data-group={before && groupOf(before) === group ? undefined : groupTitles[group]}
              className={drag.classOf(name)}
            >
              <span className="grip" aria-hidden="true" onPointerDown={(event) => drag.start(event, name)}>
                <GripIcon size={14} />
              </span>
              <label title={header}>
                <input
                  type="checkbox"
                  checked={isVisible}
                  disabled={isRequired}
                  aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
                  onChange={(event) => change(name, { isVisible: event.target.checked, isPinned: false })}
                />
                <span>{header}</span>
              </label>
              <WidthInput
                label={`Width of ${header}`}
                width={width ?? standardWidth}
                onChange={(pixels) => change(name, { width: pixels })}
              />
              <Tooltip title={isPinned ? 'Unpin' : 'Pin left'}>
                <span>
                  <IconButton
                    size="small"
                    aria-label={`Pin ${header}`}
                    aria-pressed={isPinned}
                    disabled={isAtEdge}
                    sx={{ width: 24, height: 24, minHeight: 24, color: isPinned ? 'var(--p)' : 'var(--n-400)' }}
                    onClick={() => change(name, { isPinned: !isPinned, isVisible: true })}
                  >
                    <PinIcon size={14} />
                  </IconButton>
                </span>
              </Tooltip>
            </Item>
          )
        })}
        {found.length === 0 && <li style={{ padding: 12 }}>No column is called '{text}'.</li>}
      </ul>
      <div className="foot">
        <span className="muted grow">{note}</span>
        <Button onClick={onFit}>Fit to text</Button>
        <Button variant="contained" onClick={onClose}>
          Done
        </Button>
      </div>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Panel>
  )
}
