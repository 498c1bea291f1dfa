import type { Option } from '@lis/contract/lookups.ts'
import { styled } from '@mui/material/styles'
import { ChevronDownIcon } from '../icons.tsx'

const ShortKey = styled('kbd')({
  marginLeft: 'auto',
  paddingLeft: 16,
  font: 'inherit',
  fontSize: 11,
  color: 'var(--text-3)',
})

/** An option in a list: its label, and the key that picks it. */
export const OptionText = ({ option }: { option: Option }) => (
  <>
    <span>{option.label || '\u00A0'}</span>
    {option.shortKeyCode && <ShortKey aria-hidden="true">{option.shortKeyCode}</ShortKey>}
  </>
)

/** The option of the pressed key, if any. */
export const optionOfKey = (
  options: readonly Option[],
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
) =>
  event.ctrlKey || event.metaKey || event.altKey
    ? undefined
    : options.find((option) => option.shortKeyCode?.toLowerCase() === event.key.toLowerCase())

/** In a closed list: the option that begins with the letter, or the next one that does. */
export const optionOfLetter = (
  options: readonly Option[],
  { key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  chosen: Option | undefined,
) => {
  if (ctrlKey || metaKey || altKey || !/^[\p{L}\p{N}]$/u.test(key)) return undefined
  const fitting = options.filter(({ label }) => label.toLowerCase().startsWith(key.toLowerCase()))
  return fitting[(chosen ? fitting.indexOf(chosen) + 1 : 0) % Math.max(fitting.length, 1)]
}

/** Shown while nothing is chosen. */
export const Placeholder = styled('span')({ color: 'var(--text-3)' })

export const SelectChevron = (props: { className?: string }) => (
  <span
    className={props.className}
    style={{ display: 'flex', position: 'absolute', right: 7, top: 'calc(50% - 8px)', pointerEvents: 'none' }}
  >
    <ChevronDownIcon color="var(--text-3)" />
  </span>
)

/** The closed select, with the text cut off before the arrow. */
export const selectSx = {
  position: 'relative',
  padding: 0,
  '& .MuiSelect-select.MuiSelect-select': {
    display: 'block',
    height: '100%',
    minHeight: 0,
    lineHeight: 'var(--control)',
    padding: '0 28px 0 9px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    '@media (max-width: 599.95px)': { lineHeight: 'var(--touch)' },
    '&:focus': { background: 'transparent' },
    '&[aria-busy="true"]': { color: 'var(--text-3)', cursor: 'default' },
  },
} as const

/** Selects of several codes (SHELL-63). */
export const multiSelectWidth = 150

export const menuProps = {
  slotProps: { paper: { sx: { marginTop: 1, maxHeight: 320 } } },
} as const
