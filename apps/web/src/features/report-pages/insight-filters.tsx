import { reportPageLabels } from '@lis/contract/reports-pages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { type Chosen, daysOf, spanOf, spans } from './insights-address.ts'

const Bar = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '150px 150px max-content repeat(3, minmax(120px, 200px)) max-content',
  gap: 8,
  alignItems: 'end',
  padding: '8px 16px',
  background: 'var(--surface)',
  borderBottom: '1px solid var(--line)',
  '& .spans': { display: 'flex', gap: 4 },
  [theme.breakpoints.down('lg')]: { gridTemplateColumns: 'repeat(3, minmax(0, 1fr))' },
  [theme.breakpoints.down('sm')]: {
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    '& .spans': { gridColumn: '1 / -1' },
  },
}))

const dates = [
  { name: 'fromDate', address: 'from', label: reportPageLabels.fromDate },
  { name: 'toDate', address: 'to', label: reportPageLabels.toDate },
] as const
const filterFields: readonly FieldDef[] = [
  { name: 'labId', label: 'Laboratory', kind: 'select', lookup: 'labs' },
  { name: 'clientId', label: 'Client', kind: 'autocomplete', lookup: 'filterClients' },
  { name: 'colaId', label: 'Collaborator', kind: 'autocomplete', lookup: 'collaborators' },
]

interface InsightFiltersProps {
  chosen: Chosen
  zone: string
  /** Values in the address; empty ones are removed. */
  onChange: (values: Record<string, string>) => void
}

/** One period and one set of filters for all reports. */
export const InsightFilters = ({ chosen, zone, onChange }: InsightFiltersProps) => {
  const { period, errors, filters } = chosen
  const days = daysOf(period)
  const isToToday = period.toDate === spanOf(1, zone).toDate
  return (
    <Bar role="group" aria-label="Period and filters">
      {dates.map(({ name, address, label }) => (
        <FieldInput
          key={name}
          field={{ name, label, kind: 'date', isRequired: true }}
          value={period[name]}
          error={errors?.[name]}
          onChange={(value) => onChange({ [address]: String(value) })}
        />
      ))}
      <div className="spans">
        {spans.map(([text, length]) => (
          <Button
            key={text}
            size="small"
            aria-pressed={isToToday && days === length}
            variant={isToToday && days === length ? 'contained' : 'outlined'}
            onClick={() => {
              const { fromDate, toDate } = spanOf(length, zone)
              onChange({ from: fromDate, to: toDate })
            }}
          >
            {text}
          </Button>
        ))}
      </div>
      {filterFields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={filters[field.name as keyof typeof filters] ?? ''}
          placeholder="All"
          onChange={(value) => onChange({ [field.name]: value ? String(value) : '' })}
        />
      ))}
      {Object.keys(filters).length > 0 && (
        <Button onClick={() => onChange({ labId: '', clientId: '', colaId: '' })}>Clear All</Button>
      )}
    </Bar>
  )
}
