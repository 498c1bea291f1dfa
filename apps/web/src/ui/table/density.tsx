import IconButton from '@mui/material/IconButton'
import Tooltip from '@mui/material/Tooltip'
import { useSyncExternalStore } from 'react'
import { sessionStore } from '../../lib/session.ts'
import { RowHeightIcon } from './table-icons.tsx'

export type Density = 'compact' | 'comfortable'

const listeners = new Set<() => void>()
// Per user, not per browser: bench computers are shared.
const key = () => `lis.density.${sessionStore.get()?.access.userId ?? 0}`
const get = (): Density => (localStorage.getItem(key()) === 'comfortable' ? 'comfortable' : 'compact')
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const toggle = () => {
  localStorage.setItem(key(), get() === 'compact' ? 'comfortable' : 'compact')
  for (const listener of listeners) listener()
}

/** The row height of all tables: 32 or 40 pixels. */
export const useDensity = (): Density => useSyncExternalStore(subscribe, get)

/** Changes the row height; remembered per user. */
export const DensityButton = () => {
  const isComfortable = useDensity() === 'comfortable'
  return (
    <Tooltip title={`Row height: ${isComfortable ? 'comfortable' : 'compact'}`}>
      <IconButton aria-label="Comfortable row height" aria-pressed={isComfortable} onClick={toggle}>
        <RowHeightIcon />
      </IconButton>
    </Tooltip>
  )
}
