import '../src/ui/style-nonce.ts'
import '../src/ui/tokens.css'
import '../src/ui/base.css'
import { messages } from '@lis/contract/messages.ts'
import {
  dayPart,
  hoursPart,
  minutesPart,
  monthPart,
  optionalId,
  optionalText,
  pastDate,
  phoneEdit,
  required,
  requiredCode,
  requiredId,
  requiredIds,
  yearPart,
} from '@lis/contract/validation.ts'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { Providers } from '../src/app/providers.tsx'
import { halves } from '../src/domain/patient-fields.ts'
import { FieldInput } from '../src/ui/form/field-input.tsx'
import type { FieldDef, Values } from '../src/ui/form/field-types.ts'
import { RecordForm } from '../src/ui/form/record-form.tsx'

const today = () => new Date().toISOString().slice(0, 10)

// Every kind of input on one page, for the journeys; not part of the product.
const units = [
  { value: 'KG', label: 'Kilogram', shortKeyCode: 'K' },
  { value: 'LB', label: 'Pound', shortKeyCode: 'L' },
]

const fields: FieldDef[] = [
  { name: 'text', label: 'Text', kind: 'text', isRequired: true },
  { name: 'code', label: 'Identifier', kind: 'input' },
  { name: 'number', label: 'Number', kind: 'number', isRequired: true },
  { name: 'phone', label: 'Phone', kind: 'phone', isRequired: true },
  { name: 'unit', label: 'Unit', kind: 'select', options: units, isRequired: true },
  { name: 'gender', label: 'Gender', kind: 'radio', lookup: 'gender', isRequired: true },
  { name: 'countryId', label: 'Country', kind: 'select', lookup: 'countries', isRequired: true, clears: ['stateId'] },
  {
    name: 'stateId',
    label: 'State',
    kind: 'select',
    lookup: 'countryStates',
    lookupParams: ({ countryId }) => (countryId ? { id: Number(countryId) } : null),
  },
  { name: 'icdId', label: 'ICD Code', kind: 'autocomplete', lookup: 'icds' },
  { name: 'birth', label: 'Date of Birth', kind: 'date', isRequired: true, isBirthDate: true },
  { name: 'range', label: 'Date Collected', kind: 'dateRange' },
  { name: 'time', label: 'Time', kind: 'time' },
  { name: 'reqPass', label: 'Pass Codes', kind: 'reqPassCodeMultiSelect' },
  { name: 'testPass', label: 'Test Pass Codes', kind: 'testPassCodeMultiSelect' },
  { name: 'testFail', label: 'Test Fail Codes', kind: 'testFailCodeMultiSelect' },
  { name: 'isFasting', label: 'Fasting', kind: 'singleCheckbox' },
  {
    name: 'hours',
    label: 'Hours fasted',
    kind: 'number',
    isRequired: true,
    isHidden: ({ isFasting }) => isFasting !== 1,
  },
  { name: 'secret', label: 'Password', kind: 'password' },
  { name: 'own', label: 'Own', kind: 'custom', render: ({ field }) => <p>{field.label} control</p> },
  { name: 'lost', label: 'Lost', kind: 'custom' },
  { name: 'depts', label: 'Departments', kind: 'checkbox', lookup: 'depts', isRequired: true, isWide: true },
  { name: 'note', label: 'Note', kind: 'multiline', isWide: true },
]

const schema = z.object({
  text: required('Text'),
  code: optionalText('Identifier'),
  number: required('Number').pipe(z.coerce.number({ error: messages.invalid('Number') })),
  phone: phoneEdit,
  unit: requiredCode('Unit'),
  gender: requiredCode('Gender'),
  countryId: requiredId('Country'),
  stateId: optionalId('State'),
  icdId: optionalId('ICD Code'),
  birth: pastDate('Date of Birth', today),
  range: optionalText('Date Collected'),
  time: optionalText('Time'),
  reqPass: z.array(z.number()),
  testPass: z.array(z.number()),
  testFail: z.array(z.number()),
  isFasting: z.literal([0, 1]),
  hours: required('Hours fasted'),
  secret: optionalText('Password'),
  depts: requiredIds('Departments'),
  note: optionalText('Note'),
})

const parts = z.object({
  month: monthPart('Month'),
  day: dayPart('Day'),
  year: yearPart('Year'),
  hours: hoursPart('Hours'),
  minutes: minutesPart('Minutes'),
})
const partFields: FieldDef[] = [
  { name: 'month', label: 'DOB Month', kind: 'input', isRequired: true },
  { name: 'day', label: 'Day', kind: 'input', isRequired: true },
  { name: 'year', label: 'Year', kind: 'input', isRequired: true },
  { name: 'hours', label: 'Hours', kind: 'input' },
  { name: 'minutes', label: 'Minutes', kind: 'input' },
  { name: 'half', label: 'AM/PM', kind: 'select', options: halves },
]

const Parts = () => {
  const [values, setValues] = useState<Values>({ month: '', day: '', year: '', hours: '', minutes: '', half: 'AM' })
  const issues = parts.safeParse(values).error?.issues ?? []
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: 24, margin: '16px 0' }}>
      {partFields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name]}
          error={issues.find(({ path }) => path[0] === field.name)?.message}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
    </div>
  )
}

const Alone = () => {
  const [value, setValue] = useState<unknown>('')
  return (
    <FieldInput field={{ name: 'alone', label: 'Outside a form', kind: 'text' }} value={value} onChange={setValue} />
  )
}

const Gallery = () => {
  const [saved, setSaved] = useState<unknown>(null)
  return (
    <main style={{ padding: 16 }}>
      <h1>Form gallery</h1>
      <RecordForm
        title="Every kind"
        schema={schema}
        fields={fields}
        submitLabel="Save"
        onSubmit={async (values) => setSaved(values)}
        onCancel={() => undefined}
      />
      <Parts />
      <Alone />
      {saved !== null && <pre data-testid="saved">{JSON.stringify(saved)}</pre>}
    </main>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <Providers>
    <Gallery />
  </Providers>,
)
