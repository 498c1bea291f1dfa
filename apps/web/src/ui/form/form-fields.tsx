import { dayAt } from '@lis/contract/zoned-time.ts'
import { styled } from '@mui/material/styles'
import { type CSSProperties, useEffect, useId } from 'react'
import { Controller } from 'react-hook-form'
import { useOnlyOption } from '../../lib/use-lookup.ts'
import { useZone } from '../timestamp.tsx'
import { readPart, wholeYear } from './date-parts.ts'
import { FieldInput } from './field-input.tsx'
import type { FieldDef, Values } from './field-types.ts'
import { goOn } from './form-keys.ts'
import { bySection, visibleFields } from './form-values.ts'
import { lookupOf } from './use-field-options.ts'
import type { RecordFormState } from './use-record-form.ts'

// A grid of twelve columns. Below 900 px there are two fields in a row, on phones one; the parts of a date stay together in thirds.
const Grid = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(12, minmax(0, 1fr))',
  gap: '10px 8px',
  alignItems: 'start',
  '& > *': { gridColumn: 'span var(--span)' },
  '& > .wide': { gridColumn: '1 / -1' },
  [theme.breakpoints.down('md')]: {
    '& > *': { gridColumn: 'span max(6, var(--span))' },
    '& > .part': { gridColumn: 'span 4' },
  },
  [theme.breakpoints.down('sm')]: {
    gap: '14px 8px',
    '& > *': { gridColumn: '1 / -1' },
    '& > .part': { gridColumn: 'span 4' },
  },
}))
const Section = styled('div')({
  '& + &': { marginTop: 16, paddingTop: 12, borderTop: '1px solid var(--line)' },
  '& > h3': { marginBottom: 8, fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-2)' },
})

interface FormFieldsProps {
  form: Pick<RecordFormState, 'form' | 'role' | 'serverErrors' | 'change'>
  fields: readonly FieldDef[]
  values: Values
  /** Fields in a row from 900 px on; two below, one on phones. */
  columns: number
  /** See `FormField`. */
  isLocked?: boolean
}

/** The fields that this user sees with these values, under their headings. */
export const FormFields = ({ form, fields, values, columns, isLocked }: FormFieldsProps) =>
  bySection(visibleFields(fields, values, form.role)).map(({ section, fields: together }) => {
    const grid = (
      <Grid>
        {together.map((field) => (
          <div
            key={`${field.name} ${field.label}`}
            data-preset={field.preset}
            className={field.isWide ? 'wide' : isPart(field) ? 'part' : undefined}
            style={{ '--span': field.span ?? 12 / columns } as CSSProperties}
          >
            <FormField form={form} field={field} values={values} isLocked={isLocked} />
          </div>
        ))}
      </Grid>
    )
    return <TitledSection key={section ?? ''} title={section} body={grid} />
  })

const isPart = ({ span = 12 }: FieldDef) => span <= 4

const TitledSection = ({ title, body }: { title: string | undefined; body: React.ReactNode }) => {
  const id = useId()
  if (title === undefined) return body
  return (
    <Section role="group" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {body}
    </Section>
  )
}

interface FormFieldProps {
  form: Pick<RecordFormState, 'form' | 'serverErrors' | 'change'>
  field: FieldDef
  /** All values, for fields that depend on others. */
  values?: Values
  /** The form is being sent and will close: it accepts no input, which would be lost. The focus stays. */
  isLocked?: boolean | undefined
}

/** A single field, for forms with their own layout. */
export const FormField = ({ form, field, values, isLocked = false }: FormFieldProps) => {
  usePreselectOnlyOption(form.form, field, values)
  const enter = useEnter(form, field)
  return (
    <Controller
      control={form.form.control}
      name={field.name}
      render={({ field: { ref, value, onBlur }, fieldState: { error } }) => (
        <FieldInput
          field={field}
          value={value}
          {...(values && { values })}
          onChange={(next) => isLocked || enter.change(next)}
          onBlur={() => {
            enter.leave(isLocked)
            onBlur()
          }}
          error={error?.message ?? form.serverErrors[field.name]}
          disabled={field.isDisabled}
          inputRef={ref}
        />
      )}
    />
  )
}

/** What is typed into a field. A complete part of a date moves the focus on; a whole date fills all parts. */
const useEnter = ({ form, change }: Pick<RecordFormState, 'form' | 'change'>, { name, part }: FieldDef) => {
  const today = dayAt(Date.now(), useZone())
  const textIn = (field: string | undefined) => String((field && form.getValues(field)) ?? '')
  return {
    change: (next: unknown) => {
      if (!part) return change(name, next)
      const from = document.activeElement
      const read = readPart(part, String(next), textIn(name), today)
      if ('value' in read) {
        change(name, read.value)
        if (read.isFull) goOn(from)
        return
      }
      for (const name of ['month', 'day', 'year'] as const) if (part.date) change(part.date[name], read[name])
      const last = from?.closest('form')?.querySelector(`[name="${part.date?.year}"]`)
      goOn(last ?? null)
    },
    leave: (isLocked: boolean) => {
      if (part?.of !== 'year' || isLocked) return
      const typed = textIn(name)
      const year = wholeYear(typed, { month: textIn(part.date?.month), day: textIn(part.date?.day) }, today)
      if (year !== typed) change(name, year)
    },
  }
}

/** Preselects once per list: a user may clear the field. It does not make the form dirty. */
const usePreselectOnlyOption = (form: RecordFormState['form'], field: FieldDef, values: Values = {}) => {
  const { lookup, params } = lookupOf(field, values)
  const only = useOnlyOption(field.selectsOnlyOption ? lookup : undefined, params)?.value
  useEffect(() => {
    if (only !== undefined && form.getValues(field.name) === '') form.resetField(field.name, { defaultValue: only })
  }, [form, field.name, only])
}
