import { specimenLabels as label } from '@lis/contract/specimens.ts'
import type { DatePart } from '../../ui/form/date-parts.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'

/** The parts of a date or time are side by side, also on a phone. */
const span = 4
const received = { month: 'dateReceivedMonth', day: 'dateReceivedDay', year: 'dateReceivedYear' }
const part = (name: keyof typeof label, of: DatePart['of']): FieldDef => ({
  name,
  part: { of, date: received },
  label: label[name],
  kind: 'text',
  isRequired: true,
  span,
})

export const specimenFields: readonly FieldDef[] = [
  {
    name: 'specimenTypeCode',
    label: label.specimenTypeCode,
    kind: 'select',
    lookup: 'specimenType',
    isRequired: true,
    isWide: true,
  },
  {
    name: 'temperatureTypeCode',
    label: label.temperatureTypeCode,
    kind: 'select',
    lookup: 'temperatureType',
    isRequired: true,
    isWide: true,
  },
  {
    name: 'containerTypeCode',
    label: label.containerTypeCode,
    kind: 'select',
    lookup: 'containerType',
    isRequired: true,
    isWide: true,
  },
  { name: 'tubeCount', label: label.tubeCount, kind: 'number', min: 1, isRequired: true, isWide: true },
  part('dateReceivedMonth', 'month'),
  part('dateReceivedDay', 'day'),
  part('dateReceivedYear', 'year'),
  part('timeReceivedHours', 'hours'),
  part('timeReceivedMinutes', 'minutes'),
  {
    name: 'timeReceivedAmPm',
    label: label.timeReceivedAmPm,
    kind: 'select',
    options: [
      { value: 'am', label: 'AM', shortKeyCode: 'A' },
      { value: 'pm', label: 'PM', shortKeyCode: 'P' },
    ],
    isRequired: true,
    span,
  },
]
