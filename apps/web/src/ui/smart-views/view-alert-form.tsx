import { alertChannels, alertKinds, type ViewAlert, viewAlertRoutes } from '@lis/contract/view-alerts.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../action-button.tsx'
import { FieldInput } from '../form/field-input.tsx'
import type { FieldDef } from '../form/field-types.ts'

const kindField: FieldDef = {
  name: 'alertKind',
  label: 'Tell me when it is',
  kind: 'select',
  options: Object.entries(alertKinds).map(([value, label]) => ({ value, label })),
}
const valueField: FieldDef = { name: 'alertValue', label: 'Number', kind: 'number', min: 0 }
const channelField: FieldDef = {
  name: 'channels',
  label: 'By',
  kind: 'checkbox',
  options: Object.entries(alertChannels).map(([value, label]) => ({ value, label })),
}

/** When the user wants to be notified about the rows of the view. */
export const ViewAlertForm = ({ id }: { id: number }) => {
  const query = useQuery(read(viewAlertRoutes.read, { params: { id } }))
  const stored = query.data?.data ?? null
  const [isOpen, setOpen] = useState(false)
  if (!query.data) return null
  if (!isOpen)
    return (
      <div>
        <Button type="button" onClick={() => setOpen(true)}>
          {stored ? `Alert: ${alertKinds[stored.alertKind]}${stored.alertValue ?? ''}` : 'Set an alert'}
        </Button>
      </div>
    )
  return <AlertFields id={id} stored={stored} onClose={() => setOpen(false)} />
}

const AlertFields = ({ id, stored, onClose }: { id: number; stored: ViewAlert | null; onClose: () => void }) => {
  const set = useSave(viewAlertRoutes.set)
  const end = useSave(viewAlertRoutes.end)
  const [isBusy, whileBusy] = useBusy()
  const [kind, setKind] = useState<unknown>(stored?.alertKind ?? 'NOT_EMPTY')
  const [value, setValue] = useState<unknown>(stored?.alertValue ?? '')
  const [channels, setChannels] = useState<unknown>(stored?.channels ?? ['BELL'])
  const save = () =>
    whileBusy(async () => {
      const alertValue = kind === 'NOT_EMPTY' || value === '' ? null : Number(value)
      const body = { alertKind: kind, alertValue, channels } as ViewAlert
      await set({ params: { id }, body })
      onClose()
    })
  const stop = () =>
    whileBusy(async () => {
      await end({ params: { id } })
      onClose()
    })
  return (
    <fieldset
      aria-label="Alert"
      style={{ display: 'flex', flexDirection: 'column', gap: 8, margin: 0, padding: 0, border: 0 }}
    >
      <FieldInput field={kindField} value={kind} onChange={setKind} />
      {kind !== 'NOT_EMPTY' && <FieldInput field={valueField} value={value} onChange={setValue} />}
      <FieldInput field={channelField} value={channels} onChange={setChannels} />
      <div className="actions">
        <ActionButton type="button" isBusy={isBusy} onClick={save}>
          Save alert
        </ActionButton>
        {stored && (
          <ActionButton type="button" isBusy={isBusy} onClick={stop}>
            End alert
          </ActionButton>
        )}
        <Button type="button" variant="text" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </fieldset>
  )
}
