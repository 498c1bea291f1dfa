import { styled } from '@mui/material/styles'
import { useLookup } from '../lib/use-lookup.ts'

export const Tag = styled('span')({
  display: 'inline-block',
  maxWidth: 'calc(100% - 4px)',
  height: 18,
  padding: '0 6px',
  marginRight: 4,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  lineHeight: '18px',
  verticalAlign: 'middle',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  background: 'var(--surface-3)',
  color: 'var(--text-2)',
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, currentColor 14%, transparent)',
  '&.fail': { background: 'var(--error-bg)', color: 'var(--error)', boxShadow: 'inset 0 0 0 1px var(--error-line)' },
})

const shown = 2

/** The flags of a requisition as tags in the order of the flag list; the third and further ones as a number. */
export const FlagTags = ({ ids }: { ids: string }) => {
  const { options } = useLookup('flags')
  if (ids === '') return null
  const own = new Set(ids.split(',').map(Number))
  const names = options.filter(({ value }) => own.has(Number(value))).map(({ label }) => label)
  return (
    <span title={names.join(', ')}>
      {names.slice(0, shown).map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {names.length > shown && <Tag>+{names.length - shown}</Tag>}
    </span>
  )
}
