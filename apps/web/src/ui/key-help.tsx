import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { Dialog } from './dialog.tsx'

const Keys = styled('dl')({
  display: 'grid',
  gridTemplateColumns: 'auto minmax(0, 1fr)',
  gap: '6px 16px',
  margin: 0,
  '& dt': { display: 'flex', gap: 4 },
  '& dd': { margin: 0 },
  '& kbd': {
    padding: '0 5px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-xs)',
    background: 'var(--surface-2)',
    font: 'inherit',
    fontSize: 11,
    lineHeight: '18px',
  },
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

/** The keys of a page, each with what it does: 'J K'. */
export type PageKeys = readonly (readonly [keys: string, does: string])[]

export const KeyHelp = ({ keys, onClose }: { keys: PageKeys; onClose: () => void }) => {
  const id = useId()
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} slotProps={{ paper: { sx: { width: 400, maxWidth: '96vw' } } }}>
      <DialogTitle id={id}>Keys of this page</DialogTitle>
      <DialogContent>
        <Keys>
          {keys.map(([names, does]) => (
            <div key={names} style={{ display: 'contents' }}>
              <dt>
                {names.split(' ').map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </Keys>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
