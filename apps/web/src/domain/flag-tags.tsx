import { lookupRoutes } from '@lis/contract/lookups.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { read } from '../lib/query.ts'

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
  '&.blue': { background: 'var(--info-bg)', color: 'var(--info)' },
  '&.green': { background: 'var(--success-bg)', color: 'var(--success)' },
  '&.orange': { background: 'var(--warning-bg)', color: 'var(--warning)' },
  '&.purple': { background: 'var(--st-processing-bg)', color: 'var(--st-processing)' },
  '&.red': { background: 'var(--error-bg)', color: 'var(--error)' },
  '&.fail': { background: 'var(--error-bg)', color: 'var(--error)', boxShadow: 'inset 0 0 0 1px var(--error-line)' },
})

const shown = 2

const staleMs = 5 * 60_000

/** The flags of a requisition as coloured tags, in the order of the flag list; from the third on as a number (LIST-G17). */
export const FlagTags = ({ ids }: { ids: string }) => {
  const { data } = useQuery({ ...read(lookupRoutes.flags, { query: {} }), staleTime: staleMs })
  if (ids === '' || !data) return null
  const own = new Set(ids.split(',').map(Number))
  const flags = data.data.filter(({ id }) => own.has(id))
  return (
    <span title={flags.map(({ flagDesc }) => flagDesc).join(', ')}>
      {flags.slice(0, shown).map(({ id, flagDesc, color }) => (
        <Tag key={id} className={color}>
          {flagDesc}
        </Tag>
      ))}
      {flags.length > shown && <Tag>+{flags.length - shown}</Tag>}
    </span>
  )
}
