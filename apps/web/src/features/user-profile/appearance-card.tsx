import { useColorScheme } from '@mui/material/styles'
import { useState } from 'react'
import { hasLetterKeys, setLetterKeys } from '../../lib/key-setting.ts'
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

const keysField: FieldDef = { name: 'letterKeys', label: 'Single letters are keys of a page', kind: 'singleCheckbox' }

/** Light or dark, and whether single letters are keys, kept on this device. */
export const AppearanceCard = () => {
  const { mode, setMode } = useColorScheme()
  const [isOn, setOn] = useState(hasLetterKeys)
  return (
    <Card title="Appearance">
      <FieldInput
        field={field}
        value={mode ?? 'system'}
        onChange={(value) => setMode(value as 'system' | 'light' | 'dark')}
      />
      <FieldInput
        field={keysField}
        value={isOn ? 1 : 0}
        onChange={(value) => {
          setLetterKeys(value === 1)
          setOn(value === 1)
        }}
      />
    </Card>
  )
}
