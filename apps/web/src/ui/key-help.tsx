import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useId, useState } from 'react'
import { useKeys } from '../lib/use-keys.ts'
import { Dialog } from './dialog.tsx'

const List = styled('dl')({
  display: 'grid',
  gridTemplateColumns: 'max-content minmax(0, 1fr)',
  gap: '6px 16px',
  margin: '0 0 12px',
  '& dd': { margin: 0, color: 'var(--text-2)' },
})
/** A key, styled as on the keyboard. */
export const Key = styled('kbd')({
  display: 'inline-block',
  padding: '0 5px',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-xs)',
  background: 'var(--surface)',
  color: 'var(--text-3)',
  font: '400 11px/16px var(--font)',
  whiteSpace: 'nowrap',
})

/** A key in a button, in the colours of the button. */
export const ButtonKey = styled('kbd')({
  marginLeft: 8,
  padding: '0 4px',
  border: '1px solid currentColor',
  borderRadius: 'var(--r-xs)',
  font: 'inherit',
  fontSize: 11,
  lineHeight: '14px',
  opacity: 0.75,
})

/** The most used keys of a page, in one line; nothing where there is no keyboard. */
export const KeyHints = styled('span')(({ theme }) => ({
  marginLeft: 'auto',
  color: 'var(--text-3)',
  fontSize: 11,
  fontWeight: 400,
  whiteSpace: 'nowrap',
  '& kbd': {
    display: 'inline-block',
    marginLeft: 6,
    padding: '0 4px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-xs)',
    background: 'var(--surface)',
    font: 'inherit',
  },
  [theme.breakpoints.down('lg')]: { display: 'none' },
}))

/** Drawn, because not every font has arrows. */
const arrows: Record<string, string> = {
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  left: 'M13 8H3M7 4 3 8l4 4',
  right: 'M3 8h10M9 4l4 4-4 4',
}
const ArrowKey = ({ way }: { way: string }) => (
  <svg
    width="10"
    height="10"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    role="img"
    aria-label={way}
  >
    <path d={arrows[way]} />
  </svg>
)

/** 'up down Enter': keys with a space between them. */
export const KeyNames = ({ keys }: { keys: string }) =>
  keys.split(' ').map((key, index) => [index > 0 && ' ', arrows[key] ? <ArrowKey key={key} way={key} /> : key])

/** The keys of a page, each with what it does: 'J K'. */
export type PageKeys = readonly (readonly [keys: string, what: string])[]

/** `?` lists the keys of the page. */
export const KeyHelp = ({ keys }: { keys: PageKeys }) => {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  useKeys({ '?': () => setOpen(true) })
  const close = () => setOpen(false)
  // Removed rather than closed: keys are ignored while a dialog fades out.
  if (!isOpen) return null
  return (
    <Dialog open onClose={close} aria-labelledby={id}>
      <DialogTitle id={id}>Keys of this page</DialogTitle>
      <DialogContent>
        <List>
          {keys.map(([key, what]) => [
            <dt key={key}>
              <Key>
                <KeyNames keys={key} />
              </Key>
            </dt>,
            <dd key={what}>{what}</dd>,
          ])}
        </List>
        <p>Single letters as keys are turned off on the User Profile.</p>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" autoFocus onClick={close}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
