import Button from '@mui/material/Button'
import ListItemIcon from '@mui/material/ListItemIcon'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useId, useRef, useState } from 'react'
import { type Icon, MoreIcon } from '../icons.tsx'
import type { SettleRows } from './row-outcome.ts'

/** An action on the selected rows. */
export interface BulkAction<Row> {
  label: string
  Glyph: Icon
  /** `main` at most once; `danger` for destructive actions. */
  tone?: 'main' | 'danger'
  /** Available only while exactly one row is selected. */
  isSingle?: boolean
  /** Reports the outcome of each row with `settle`. */
  run: (rows: Row[], settle: SettleRows<Row>) => void
}

interface BulkButtonsProps<Row> {
  actions: readonly BulkAction<Row>[]
  rows: Row[]
  onSettle: SettleRows<Row>
  isSmall: boolean
}

/** Shows as many buttons as fit, in order; the rest are in a menu. */
export const BulkButtons = <Row,>({ actions, rows, onSettle, isSmall }: BulkButtonsProps<Row>) => {
  const isNarrow = useMediaQuery(useTheme().breakpoints.down('lg'), { noSsr: true })
  const offered = actions.filter(({ isSingle }) => !isSingle || rows.length === 1)
  const capacity = isSmall ? 2 : isNarrow ? 2 : 3
  const shown = offered.length > capacity ? capacity - 1 : capacity
  const run = (action: BulkAction<Row>) => action.run(rows, onSettle)
  return (
    <>
      {offered.slice(0, shown).map((action) => (
        <BulkButton key={action.label} action={action} isSmall={isSmall} onRun={() => run(action)} />
      ))}
      {offered.length > shown && <MoreActions actions={offered.slice(shown)} isSmall={isSmall} onRun={run} />}
    </>
  )
}

interface BulkButtonProps<Row> {
  action: BulkAction<Row>
  isSmall: boolean
  onRun: () => void
}

const BulkButton = <Row,>({ action: { label, Glyph, tone }, isSmall, onRun }: BulkButtonProps<Row>) => {
  const isDanger = tone === 'danger'
  const buttonProps = {
    variant: tone === 'main' ? 'contained' : 'outlined',
    color: isDanger ? 'error' : 'inherit',
  } as const
  if (isSmall && isDanger) {
    return (
      <Button {...buttonProps} aria-label={label} sx={{ width: 44, padding: 0 }} onClick={onRun}>
        <Glyph />
      </Button>
    )
  }
  // On a phone the text is shortened, never the buttons beside it.
  if (isSmall) {
    return (
      <Button {...buttonProps} sx={{ flex: '0 1 auto', minWidth: 0 }} onClick={onRun}>
        <span style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>{label}</span>
      </Button>
    )
  }
  return (
    <Button
      {...buttonProps}
      startIcon={<Glyph />}
      sx={isDanger ? { flex: 'none', '& .MuiButton-startIcon': { color: 'inherit' } } : { flex: 'none' }}
      onClick={onRun}
    >
      {label}
    </Button>
  )
}

interface MoreActionsProps<Row> {
  actions: readonly BulkAction<Row>[]
  isSmall: boolean
  onRun: (action: BulkAction<Row>) => void
}

const MoreActions = <Row,>({ actions, isSmall, onRun }: MoreActionsProps<Row>) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        ref={button}
        id={id}
        variant="outlined"
        color="inherit"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label="More actions"
        startIcon={isSmall ? undefined : <MoreIcon />}
        sx={{ flex: 'none', ...(isSmall && { width: 44, minWidth: 0, padding: 0 }) }}
        onClick={() => setOpen(true)}
      >
        {isSmall ? <MoreIcon /> : 'More'}
      </Button>
      <Menu
        open={isOpen}
        anchorEl={button.current}
        anchorOrigin={{ vertical: 'top', horizontal: 'left' }}
        transformOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ list: { 'aria-labelledby': id } }}
        onClose={() => setOpen(false)}
      >
        {actions.map((action) => (
          <MenuItem
            key={action.label}
            sx={action.tone === 'danger' ? { color: 'var(--error)' } : undefined}
            onClick={() => {
              setOpen(false)
              onRun(action)
            }}
          >
            <ListItemIcon sx={{ color: 'inherit' }}>
              <action.Glyph />
            </ListItemIcon>
            {action.label}
          </MenuItem>
        ))}
      </Menu>
    </>
  )
}
