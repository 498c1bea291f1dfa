import { useColorScheme } from '@mui/material/styles'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'

const field: FieldDef = {
  name: 'colours',
  label: 'Colours',
  kind: 'radio',
  options: [
    { value: 'system', label: 'As this device' },
    { value: 'light', label: 'Light' },
    { value: 'dark', label: 'Dark' },
  ],
}

/** Light or dark, kept on this device. */
export const AppearanceCard = () => {
  const { mode, setMode } = useColorScheme()
  return (
    <Card title="Appearance">
      <FieldInput
        field={field}
        value={mode ?? 'system'}
        onChange={(value) => setMode(value as 'system' | 'light' | 'dark')}
      />
    </Card>
  )
}
