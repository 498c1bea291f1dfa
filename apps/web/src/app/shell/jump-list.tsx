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
  /** Index of the highlighted target, across all groups. */
  activeIndex: number
  onHighlight: (at: number) => void
  onPick: (target: JumpTarget) => void
}

/** The results of a quick jump, by kind. The focus stays in the search field, which names the highlighted option. */
export const JumpList = ({ id, groups, activeIndex, onHighlight, onPick }: JumpListProps) => {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${activeIndex}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [id, activeIndex])
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
                aria-selected={index === activeIndex}
                onMouseMove={() => onHighlight(index)}
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
