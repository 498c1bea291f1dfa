import { rangeInput, rangeLabels } from '@lis/contract/collaborator-ranges.ts'
import { lookups, toOption } from '@lis/contract/lookups.ts'
import { styled } from '@mui/material/styles'
import { useMemo } from 'react'
import { Controller, useWatch } from 'react-hook-form'
import type { z } from 'zod'
import { Banner } from '../../ui/form/banner.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormConflict } from '../../ui/form/form-conflict.tsx'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { type DefaultTest, rangeFields, valuesOfTest } from './range-values.ts'

const Grid = styled('form')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  gap: '10px 8px',
  alignItems: 'start',
  '& > .wide': { gridColumn: '1 / -1' },
})

interface RangeFormProps {
  id: string
  tests: readonly DefaultTest[]
  /** The stored range; undefined for a new one. */
  values?: Values | undefined
  version?: number | undefined
  onSubmit: (values: z.output<typeof rangeInput>, version: number | undefined) => Promise<unknown>
}

/** The range of one test. A custom form, because choosing the test fills in all other fields. */
export const RangeForm = ({ id, tests, values: given, version, onSubmit }: RangeFormProps) => {
  const fields = useMemo(() => [testField(tests), ...rangeFields], [tests])
  const { form, formErrors, serverErrors, isSending, submit, change, conflict } = useRecordForm({
    schema: rangeInput,
    fields,
    values: given,
    version,
    onSubmit: (range, context) => onSubmit(range, context.version),
  })
  const values = useWatch({ control: form.control })
  const set = (name: string, value: unknown) => {
    // Locked while it is being saved.
    if (isSending) return
    change(name, value)
    const test = name === 'testId' && tests.find(({ testId }) => testId === value)
    if (test) for (const [other, filled] of Object.entries(valuesOfTest(test))) change(other, filled)
  }
  return (
    <Grid id={id} noValidate onSubmit={submit} aria-label="Custom test reference range">
      {formErrors.map((message) => (
        <div key={message} className="wide">
          <Banner type="error">{message}</Banner>
        </div>
      ))}
      {fields.map((field) => (
        <div key={field.name} className={field.isWide ? 'wide' : undefined}>
          <Controller
            control={form.control}
            name={field.name}
            render={({ field: { ref, value, onBlur }, fieldState: { error } }) => (
              <FieldInput
                field={field}
                value={value}
                values={values}
                // The test of a stored range cannot be changed; another test is another range.
                disabled={field.name === 'testId' && given !== undefined}
                onChange={(next) => set(field.name, next)}
                onBlur={onBlur}
                error={error?.message ?? serverErrors[field.name]}
                inputRef={ref}
              />
            )}
          />
        </div>
      ))}
      <FormConflict form={{ conflict, isSending }} values={values} />
    </Grid>
  )
}

const testField = (tests: readonly DefaultTest[]): FieldDef => ({
  name: 'testId',
  label: rangeLabels.testDesc,
  kind: 'autocomplete',
  options: tests.map((test) => toOption(lookups.defaultTests, test)),
  isRequired: true,
  isWide: true,
})
