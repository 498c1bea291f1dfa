import { useQueryClient } from '@tanstack/react-query'
import { events } from '../lib/events.ts'
import { Switch } from '../ui/form/toggles.tsx'
import { CellStatus } from '../ui/table/cell-status.tsx'
import { useAutoSave } from '../ui/table/use-auto-save.ts'
import { invalidateRequisitions } from './invalidate-requisitions.ts'

type Flag = 0 | 1

interface FlagCellProps {
  /** Accessible name: 'Demographic QC of #1000123'. */
  label: string
  value: Flag
  version: number
  /** The field name of the flag, to read it from a conflict reply. */
  name: string
  texts: readonly [off: string, on: string]
  isDisabled: boolean
  save: (value: Flag, version: number) => Promise<{ data: { version: number }; message: string }>
}

/** Yes or no in a cell, saved half a second after the last click. */
export const FlagCell = ({ label, value, version, name, texts, isDisabled, save }: FlagCellProps) => {
  const client = useQueryClient()
  const cell = useAutoSave<Flag>({
    label,
    value,
    version,
    delayMs: 500,
    save: async (flag, known) => {
      const { data, message } = await save(flag, known)
      invalidateRequisitions(client, { isShown: true })
      events.emit('notice', { type: 'info', message })
      return data
    },
  })
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
      <Switch
        checked={cell.draft === 1}
        disabled={isDisabled}
        onChange={({ target }) => cell.change(target.checked ? 1 : 0)}
        aria-label={label}
      />
      {texts[cell.draft]}
      <CellStatus
        cell={cell}
        label={label}
        valueIn={({ [name]: theirs }) => (theirs === 0 || theirs === 1 ? theirs : undefined)}
        show={(flag) => texts[flag]}
      />
    </span>
  )
}
