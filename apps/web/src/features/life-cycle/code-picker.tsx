import type { Option } from '@lis/contract/lookups.ts'
import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { type ReactNode, useId } from 'react'
import { GroupField, labelId } from '../../ui/form/group-field.tsx'
import { menuProps, SelectChevron, selectSx } from '../../ui/form/select-parts.tsx'
import { CheckMark } from '../../ui/form/toggles.tsx'
import { focusedPopupContainer } from '../../ui/form/use-popup-container.ts'

interface CodePickerProps {
  label: string
  options: readonly Option[]
  chosen: readonly number[]
  isDisabled: boolean
  onChange: (chosen: readonly number[]) => void
  onClose: () => void
  status: ReactNode
}

/** A multi-select that shows each option in full. */
export const CodePicker = ({ label, options, chosen, isDisabled, onChange, onClose, status }: CodePickerProps) => {
  const id = useId()
  const names = options.filter(({ value }) => chosen.includes(Number(value))).map(({ label: name }) => name)
  return (
    <div style={{ marginBottom: 12 }}>
      <GroupField id={id} label={label}>
        <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
          <Select
            multiple
            displayEmpty
            value={[...chosen]}
            disabled={isDisabled}
            onChange={({ target }) => onChange([target.value].flat().map(Number))}
            onClose={onClose}
            renderValue={() => names.join(', ')}
            IconComponent={SelectChevron}
            SelectDisplayProps={{ 'aria-labelledby': labelId(id) }}
            MenuProps={{
              ...menuProps,
              container: focusedPopupContainer,
              slotProps: { ...menuProps.slotProps, list: { 'aria-labelledby': labelId(id) } },
            }}
            sx={{ ...selectSx, flex: '1 1 auto', minWidth: 0 }}
          >
            {options.map(({ value, label: name }) => (
              <MenuItem key={value} value={Number(value)} sx={{ gap: 2 }}>
                <CheckMark isOn={chosen.includes(Number(value))} />
                {name}
              </MenuItem>
            ))}
          </Select>
          {status}
        </span>
      </GroupField>
    </div>
  )
}
