import Dialog from '@mui/material/Dialog'
import { styled } from '@mui/material/styles'
import { type KeyboardEvent, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { SearchIcon } from '../../ui/icons.tsx'
import { useMenu } from './use-menu.ts'

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  padding: '0 16px',
  borderBottom: '1px solid var(--line)',
  color: 'var(--text-3)',
  '& input': {
    flex: '1 1 auto',
    minWidth: 0,
    height: 48,
    border: 0,
    outline: 0,
    boxShadow: 'none',
    background: 'none',
    color: 'var(--text)',
    font: 'inherit',
    fontSize: 14,
  },
})
const List = styled('ul')({ padding: 8, minHeight: 48, maxHeight: 320, overflow: 'auto' })
const Option = styled('li')({
  display: 'flex',
  alignItems: 'center',
  height: 32,
  padding: '0 8px',
  borderRadius: 'var(--r-sm)',
  cursor: 'pointer',
  '&[aria-selected="true"]': { background: 'var(--p-100)', color: 'var(--p)', fontWeight: 600 },
})
const Nothing = styled('p')({ padding: '8px', color: 'var(--text-3)' })

const home = { label: 'Home', to: '/' }

/** Ctrl+K: type a few letters of where to go. Knows the pages; lists of records join it as they are built. */
export const QuickJump = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const navigate = useNavigate()
  const menu = useMenu()
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const pages = [home, ...menu.flatMap(({ label, to }) => (to === undefined ? [] : [{ label, to }]))]
  const found = pages.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
  const close = () => {
    onClose()
    setText('')
    setAt(0)
  }
  const go = (to: string | undefined) => {
    if (to === undefined) return
    close()
    navigate(to)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') go(found[at]?.to)
    if (step === undefined || found.length === 0) return
    event.preventDefault()
    setAt((at + step + found.length) % found.length)
  }
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      aria-label="Quick jump"
      slotProps={{ paper: { sx: { maxWidth: 460, alignSelf: 'flex-start', mt: '12vh' } } }}
    >
      <Head>
        <SearchIcon />
        <input
          autoFocus
          role="combobox"
          aria-label="Quick jump"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={found[at] && `${id}-${at}`}
          placeholder="Go to a page"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
      </Head>
      {found.length === 0 && <Nothing role="status">Nothing by that name.</Nothing>}
      <List id={id} role="listbox" aria-label="Pages" hidden={found.length === 0}>
        {found.map(({ label, to }, index) => (
          <Option
            key={label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => go(to)}
          >
            {label}
          </Option>
        ))}
      </List>
    </Dialog>
  )
}
