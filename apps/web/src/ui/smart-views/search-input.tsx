import OutlinedInput from '@mui/material/OutlinedInput'
import { styled } from '@mui/material/styles'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { ScanIcon } from './icons.tsx'

/** Delay after typing before the list is loaded (1§9). */
const debounceMs = 500

const Input = styled(OutlinedInput)(({ theme }) => ({
  flex: '0 1 280px',
  minWidth: 120,
  '& svg': { flex: 'none', color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { '&&': { height: 36 } },
}))
const Key = styled('kbd')(({ theme }) => ({
  flex: 'none',
  padding: '0 4px',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-xs)',
  background: 'var(--surface-2)',
  color: 'var(--text-3)',
  font: 'inherit',
  fontSize: 11,
  lineHeight: '14px',
  [theme.breakpoints.down('sm')]: { display: 'none' },
}))

interface SearchInputProps {
  /** Also the placeholder. */
  label: string
  value: string
  onSearch: (text: string) => void
  /** Called on Enter, which a barcode scanner sends after the number; without it Enter searches at once. */
  onEnter?: (text: string) => void
}

/** The search box of a list: `/` focuses it, and barcode scanners type into it. */
export const SearchInput = ({ label, value, onSearch, onEnter }: SearchInputProps) => {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState({ text: value, from: value })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The address has changed otherwise (back, 'Clear All'): take its value.
  if (typed.from !== value) setTyped({ text: value, from: value })
  useSlashKey(() => input.current?.focus())
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (text: string) => {
    clearTimeout(timer.current)
    if (text.trim() !== value) onSearch(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && typed.text !== '') {
      setTyped({ text: '', from: value })
      search('')
    }
    if (event.key !== 'Enter') return
    clearTimeout(timer.current)
    if (onEnter && typed.text.trim() !== '') onEnter(typed.text.trim())
    else search(typed.text)
  }
  return (
    <Input
      inputRef={input}
      value={typed.text}
      placeholder={label}
      startAdornment={<ScanIcon />}
      endAdornment={typed.text === '' && <Key aria-hidden="true">/</Key>}
      slotProps={{ input: { 'aria-label': label, type: 'search', 'aria-keyshortcuts': '/', autoComplete: 'off' } }}
      onKeyDown={onKeyDown}
      onChange={({ target: { value: text } }) => {
        setTyped({ text, from: value })
        clearTimeout(timer.current)
        timer.current = setTimeout(() => search(text), debounceMs)
      }}
    />
  )
}

const useSlashKey = (focus: () => void) => {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')
      const isPlain = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
      if (!isPlain || isTyping || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}
