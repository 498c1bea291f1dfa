import { useColorScheme } from '@mui/material/styles'
import { useState } from 'react'
import { areLettersOff, setLettersOff } from '../../lib/letter-keys.ts'
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

const keysField: FieldDef = {
  name: 'letterKeys',
  label: 'Keys of one letter',
  kind: 'radio',
  options: [
    { value: 'on', label: 'On' },
    { value: 'off', label: 'Off' },
  ],
}

/** Light or dark, and whether letters work as keys; kept on this device. */
export const AppearanceCard = () => {
  const { mode, setMode } = useColorScheme()
  const [areOff, setOff] = useState(areLettersOff)
  const chooseKeys = (value: unknown) => {
    setLettersOff(value === 'off')
    setOff(value === 'off')
  }
  return (
    <Card title="Appearance">
      <FieldInput
        field={field}
        value={mode ?? 'system'}
        onChange={(value) => setMode(value as 'system' | 'light' | 'dark')}
      />
      <FieldInput field={keysField} value={areOff ? 'off' : 'on'} onChange={chooseKeys} />
    </Card>
  )
}
