import { styled } from '@mui/material/styles'
import { useEffect, useRef } from 'react'
import type { JumpGroup, JumpTarget } from './use-jump-targets.ts'

const List = styled('div')({ padding: 8, minHeight: 48, maxHeight: 'min(420px, 60vh)', overflow: 'auto' })
const Group = styled('div')({ '& + &': { marginTop: 8 } })
const Heading = styled('div')({
  padding: '2px 8px 4px',
  fontSize: 11,
  lineHeight: '14px',
  fontWeight: 600,
  color: 'var(--text-3)',
})
const Option = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 32,
  padding: '0 8px',
  borderRadius: 'var(--r-sm)',
  cursor: 'pointer',
  '& > *': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& > span': { flex: '1 0 auto', maxWidth: '60%' },
  '& > small': { flex: '0 1 auto', minWidth: 0, fontSize: 11, color: 'var(--text-3)', textAlign: 'right' },
  '&[aria-selected="true"]': { background: 'var(--p-100)', color: 'var(--p)', fontWeight: 600 },
  '&[aria-selected="true"] small': { color: 'var(--text-2)', fontWeight: 400 },
  [theme.breakpoints.down('sm')]: { minHeight: 44 },
}))

interface JumpListProps {
  id: string
  groups: readonly JumpGroup[]
  /** The marked one, counted through all groups. */
  at: number
  onPoint: (at: number) => void
  onPick: (target: JumpTarget) => void
}

/** What a quick jump has found, by kind. The keys stay in the field above; it says which option is marked. */
export const JumpList = ({ id, groups, at, onPoint, onPick }: JumpListProps) => {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${at}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  let count = 0
  return (
    <List ref={list} id={id} role="listbox" aria-label="Where to go" hidden={groups.length === 0}>
      {groups.map(({ label, targets }) => (
        <Group key={label} role="group" aria-label={label}>
          <Heading aria-hidden="true">{label}</Heading>
          {targets.map((target) => {
            const index = count++
            return (
              <Option
                key={target.key}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                onMouseMove={() => onPoint(index)}
                onClick={() => onPick(target)}
              >
                <span>{target.label}</span>
                {target.detail && <small>{target.detail}</small>}
              </Option>
            )
          })}
        </Group>
      ))}
    </List>
  )
}
