import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import { specimenLabels as label, type SpecimenInput, usualContainer } from '@lis/contract/specimens.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef, FieldInputProps } from '../../ui/form/field-types.ts'
import { FieldMessage } from '../../ui/form/group-field.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const Row = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(3, minmax(0, 3fr)) minmax(0, 2fr) 32px',
  gap: 8,
  alignItems: 'end',
  [theme.breakpoints.down('sm')]: { gridTemplateColumns: 'repeat(2, minmax(0, 1fr)) 32px' },
}))

type Specimen = Partial<Record<keyof SpecimenInput, unknown>>

const columns: readonly FieldDef[] = [
  { name: 'specimenTypeCode', label: label.specimenTypeCode, kind: 'select', lookup: 'specimenType', isRequired: true },
  {
    name: 'temperatureTypeCode',
    label: label.temperatureTypeCode,
    kind: 'select',
    lookup: 'temperatureType',
    isRequired: true,
  },
  {
    name: 'containerTypeCode',
    label: label.containerTypeCode,
    kind: 'select',
    lookup: 'containerType',
    isRequired: true,
  },
  { name: 'tubeCount', label: label.tubeCount, kind: 'number', isRequired: true },
]
const empty: Specimen = { specimenTypeCode: '', temperatureTypeCode: '', containerTypeCode: '', tubeCount: '1' }

/** Specimens that arrived with the order; received now. */
export const specimensField: FieldDef = {
  name: 'specimens',
  label: requisitionLabels.specimens,
  kind: 'custom',
  isWide: true,
  visibleTo: 'specimens.add',
  render: (props) => <Specimens {...props} />,
}

const Specimens = ({ value, onChange, error, disabled }: FieldInputProps) => {
  const id = useId()
  const rows = Array.isArray(value) ? (value as Specimen[]) : []
  const change = (at: number, name: string, next: unknown) =>
    onChange(rows.map((row, index) => (index === at ? withContainer({ ...row, [name]: next }, name) : row)))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out like the cards beside it
    <div
      role="group"
      aria-label={requisitionLabels.specimens}
      style={{ display: 'flex', flexDirection: 'column', gap: 8 }}
    >
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else to be known by
        <Row key={at}>
          {columns.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={row[field.name as keyof Specimen]}
              onChange={(next) => change(at, field.name, next)}
              disabled={disabled}
            />
          ))}
          <IconButton
            size="small"
            aria-label={`Remove specimen ${at + 1}`}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            <CloseIcon />
          </IconButton>
        </Row>
      ))}
      <div>
        <Button startIcon={<PlusIcon />} disabled={disabled ?? false} onClick={() => onChange([...rows, empty])}>
          Add specimen
        </Button>
      </div>
      <FieldMessage id={id} error={error} hint={undefined} />
    </div>
  )
}

/** A specimen type brings its usual container. */
const withContainer = (row: Specimen, name: string): Specimen => {
  const container = name === 'specimenTypeCode' ? usualContainer(String(row.specimenTypeCode)) : undefined
  return container && !row.containerTypeCode ? { ...row, containerTypeCode: container } : row
}
