import type { Filters } from '@lis/contract/kit/list-query.ts'
import Button from '@mui/material/Button'
import Popover from '@mui/material/Popover'
import { styled } from '@mui/material/styles'
import { type MouseEvent, useState } from 'react'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FilterIcon } from '../../ui/smart-views/icons.tsx'

/** Filters of the ordered tests (TEST-G13). Each is sent only when it is set. */
const fields: readonly FieldDef[] = [
  { name: 'testCodes', label: 'Test Codes', kind: 'autocomplete', lookup: 'testCode' },
  { name: 'testComboCode', label: 'Test Combo', kind: 'select', lookup: 'testCombo' },
  {
    name: 'isRetest',
    label: 'Retested',
    kind: 'select',
    options: [
      { value: '0', label: 'Without retested' },
      { value: '1', label: 'Retested only' },
    ],
  },
  {
    name: 'isNonResultedOnly',
    label: 'Results',
    kind: 'select',
    options: [{ value: '1', label: 'Non-resulted only' }],
  },
  {
    name: 'isCalculated',
    label: 'Calculated',
    kind: 'select',
    options: [
      { value: '0', label: 'Measured' },
      { value: '1', label: 'Calculated' },
    ],
  },
]

const Sheet = styled('div')({
  width: 280,
  display: 'flex',
  flexDirection: 'column',
  gap: 10,
  padding: 12,
  '& .actions': { display: 'flex', justifyContent: 'flex-end', gap: 8 },
})

interface TestFiltersProps {
  filters: Filters
  onChange: (filters: Filters) => void
}

export const TestFilters = ({ filters, onChange }: TestFiltersProps) => {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const count = Object.keys(filters).length
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = filters
    const text = value === null || value === undefined ? '' : String(value)
    onChange(text === '' ? others : { ...others, [name]: text })
  }
  return (
    <>
      <Button
        startIcon={<FilterIcon />}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event: MouseEvent<HTMLElement>) => setAnchor(event.currentTarget)}
      >
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </Button>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ paper: { role: 'dialog', 'aria-label': 'Filters of the tests' } }}
      >
        <Sheet>
          {fields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={filters[field.name] ?? ''}
              values={filters}
              onChange={(value) => set(field.name, value)}
              onBlur={() => undefined}
            />
          ))}
          <div className="actions">
            <Button disabled={count === 0} onClick={() => onChange({})}>
              Clear All
            </Button>
            <Button variant="contained" color="primary" onClick={() => setAnchor(null)}>
              Done
            </Button>
          </div>
        </Sheet>
      </Popover>
    </>
  )
}
