import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { dateRangeError, findRelativeDays, parseDate, parseDateRange } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { lookups, type Option } from '@lis/contract/lookups.ts'
import type { SmartFilterEntry } from '../../lib/list-address.ts'
import { showRelative } from '../form/date-text.ts'
import { emptyValue, type FieldDef, isMultiple, type Values } from '../form/field-types.ts'

type Plain = string | number | boolean
type SavedValue = Plain | Plain[] | null
/** The values of a saved view, by input id. */
export type SmartValues = Record<string, { value: SavedValue; viewValue?: SavedValue | undefined }>

/** The filters of a screen that a role may use. */
export const fieldsFor = (fields: readonly FieldDef[], role: Role): FieldDef[] =>
  fields.filter(({ visibleTo }) => visibleTo === undefined || can(role, visibleTo))

/** The form values for the filters in the address. */
export const valuesOf = (fields: readonly FieldDef[], entries: readonly SmartFilterEntry[]): Values =>
  Object.fromEntries(
    fields.map((field) => {
      const { name, kind } = field
      const given = entries.find(({ id }) => id === name)?.value
      if (given === undefined) return [name, emptyValue(kind)]
      if (kind === 'singleCheckbox') return [name, Number(given) === 1 ? 1 : 0]
      const values = [given].flat().map((text) => inputValue(field, text))
      return [name, isMultiple(kind) ? values : values[0]]
    }),
  )

/**
 * The filters of the form, without empty ones. A value that was in the address before keeps its text, because its options may not be loaded
 * yet; and where the form shows only the first of several values, the others stay until another is typed.
 */
export const entriesOf = (
  fields: readonly FieldDef[],
  values: Values,
  optionsOf: (field: FieldDef) => readonly Option[],
  before: readonly SmartFilterEntry[] = [],
): SmartFilterEntry[] =>
  fields.flatMap((field) => {
    if (field.isHidden?.(values)) return []
    const given = filterValue(values[field.name])
    // One choice of several is written as where only one can be chosen.
    const value = field.kind === 'lookupMultiSelect' && given.length === 1 ? String(given) : given
    if (value.length === 0) return []
    const isStill = (entry: SmartFilterEntry) => String(shownValue(field, entry)) === String(value)
    const known = before.find((entry) => entry.id === field.name && isStill(entry))
    return [known ?? { id: field.name, value, viewValue: viewValueOf(field, value, optionsOf(field)) }]
  })

/** Separates the filters that the screen supports from unknown or invalid ones in an edited address or an old view. */
export const splitFilters = (fields: readonly FieldDef[], entries: readonly SmartFilterEntry[]) => {
  const known: SmartFilterEntry[] = []
  const unknown: SmartFilterEntry[] = []
  const faults: string[] = []
  for (const entry of entries) {
    const field = fields.find(({ name }) => name === entry.id)
    const fault = field && filterError(field, entry.value)
    if (fault !== undefined) faults.push(fault)
    else (field ? known : unknown).push(entry)
  }
  return { known, unknown, faults }
}

/** Errors of the form, by field name. */
export const filterErrors = (fields: readonly FieldDef[], values: Values): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const fault = filterError(field, filterValue(values[field.name]))
      return fault === undefined ? [] : [[field.name, fault]]
    }),
  )

/** Why the server would refuse a value, as a message for the user; an empty value is not sent. */
export const filterError = ({ kind, label, min, max }: FieldDef, value: FilterValue): string | undefined => {
  for (const text of [value].flat().filter(Boolean)) {
    if (kind === 'number') {
      if (!/^\d{1,15}$/.test(text)) return `${label} must be a whole number`
      if (Number(text) < Number(min ?? 0) || Number(text) > Number(max ?? Infinity))
        return `${label} must be from ${min} to ${max}`
    }
    const isRange = parseDateRange(text) !== null
    // A link may also contain a range of birth dates.
    if (kind === 'date' && !isRange && parseDate(text) === undefined) return `${label} must be a date: MM/DD/YYYY`
    if (kind === 'dateRange' && !isRange && !findRelativeDays(text))
      return dateRangeError(label, text, 'MM/DD/YYYY-MM/DD/YYYY')
  }
  return undefined
}

export const isSameFilter = (one: readonly SmartFilterEntry[], other: readonly SmartFilterEntry[]) =>
  one.length === other.length &&
  one.every(({ id, value }) => other.some((entry) => entry.id === id && String(entry.value) === String(value)))

export const toSmartValues = (entries: readonly SmartFilterEntry[]): SmartValues =>
  Object.fromEntries(entries.map(({ id, value, viewValue }) => [id, { value, viewValue }]))

/** The filters of a saved view; views of other programs may contain numbers, and no text. */
export const toEntries = (values: SmartValues): SmartFilterEntry[] =>
  Object.entries(values).flatMap(([id, { value, viewValue }]) => {
    const given = filterValue(value)
    return given.length === 0 ? [] : [{ id, value: given, viewValue: [viewValue ?? given].flat().join(', ') }]
  })

/** 'Flag: STAT, Client: Acme' under the name of a saved view; unknown fields are left out, as when it is applied. */
export const summaryOf = (fields: readonly FieldDef[], entries: readonly SmartFilterEntry[]): string =>
  entries
    .flatMap(({ id, viewValue }) => {
      const label = fields.find(({ name }) => name === id)?.label
      return label === undefined ? [] : [`${label}: ${viewValue}`]
    })
    .join(', ')

/** Short choices are shown in pairs; one without a neighbour takes the full width. */
export const isHalfWide = (fields: readonly FieldDef[], index: number): boolean => {
  const isShort = (field: FieldDef | undefined) =>
    field !== undefined && !field.isWide && (field.kind === 'select' || isMultiple(field.kind))
  if (!isShort(fields[index])) return false
  let first = index
  while (isShort(fields[first - 1])) first -= 1
  const isSecond = (index - first) % 2 === 1
  return isSecond || isShort(fields[index + 1])
}

/** The address contains text; a select compares with the option's value, which may be a number. */
const inputValue = ({ options, lookup }: FieldDef, text: string): string | number => {
  if (options) return options.find(({ value }) => String(value) === text)?.value ?? text
  if (lookup === undefined) return text
  const { row, value } = lookups[lookup]
  return (row.shape as Record<string, { type: string }>)[value]?.type === 'number' ? Number(text) : text
}

/** A single-value field shows the first of several values. */
const shownValue = ({ kind }: FieldDef, { value }: SmartFilterEntry): FilterValue | undefined =>
  isMultiple(kind) ? value : [value].flat()[0]

const filterValue = (value: unknown): FilterValue => {
  if (Array.isArray(value)) return value.map(String)
  // An unchecked checkbox does not filter.
  if (value === undefined || value === null || value === 0 || value === false) return ''
  return String(value).trim()
}

const viewValueOf = ({ kind }: FieldDef, value: FilterValue, options: readonly Option[]): string => {
  const labelOf = (one: string) => options.find((option) => String(option.value) === one)?.label ?? one
  if (Array.isArray(value)) return value.map(labelOf).join(', ')
  if (kind === 'singleCheckbox') return 'Yes'
  if (kind === 'date') return usDate(value)
  if (kind !== 'dateRange') return labelOf(value)
  const words = showRelative(value)
  if (words) return words
  const range = parseDateRange(value)
  return range === null ? value : `${usDate(range.from)}–${usDate(range.to)}`
}

const usDate = (iso: string) => iso.replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2/$3/$1')

/**
 * Addresses sent by a form return one by one, or only the last of them: returns those still pending after this one, or undefined if the
 * form did not send it.
 */
export const pendingAfter = (sent: readonly string[], arrived: string): string[] | undefined => {
  const at = sent.lastIndexOf(arrived)
  return at < 0 ? undefined : sent.slice(at + 1)
}
