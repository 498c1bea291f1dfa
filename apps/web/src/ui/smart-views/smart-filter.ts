import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { dateRangeFault, parseDateRange, readDay } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { lookups, type Option } from '@lis/contract/lookups.ts'
import type { SmartFilterEntry } from '../../lib/list-address.ts'
import { emptyValue, type FieldDef, isMany, type Values } from '../form/field-types.ts'

type Plain = string | number | boolean
type SavedValue = Plain | Plain[] | null
/** The values of a saved view, by the id of their input. */
export type SmartValues = Record<string, { value: SavedValue; viewValue?: SavedValue | undefined }>

/** The filters that a role has on a screen. */
export const fieldsFor = (fields: readonly FieldDef[], role: Role): FieldDef[] =>
  fields.filter(({ visibleTo }) => visibleTo === undefined || can(role, visibleTo))

/** What the form shows for the filters of the address. */
export const valuesOf = (fields: readonly FieldDef[], entries: readonly SmartFilterEntry[]): Values =>
  Object.fromEntries(
    fields.map((field) => {
      const { name, kind } = field
      const given = entries.find(({ id }) => id === name)?.value
      if (given === undefined) return [name, emptyValue(kind)]
      if (kind === 'singleCheckbox') return [name, Number(given) === 1 ? 1 : 0]
      const values = [given].flat().map((text) => inputValue(field, text))
      return [name, isMany(kind) ? values : values[0]]
    }),
  )

/**
 * The filters that the form asks for: what is empty asks for nothing. A value that stood in the address before keeps its text, whose
 * options need not have been read yet; and where the form shows only the first of several, the others stay until another is typed.
 */
export const entriesOf = (
  fields: readonly FieldDef[],
  values: Values,
  optionsOf: (field: FieldDef) => readonly Option[],
  before: readonly SmartFilterEntry[] = [],
): SmartFilterEntry[] =>
  fields.flatMap((field) => {
    if (field.isHidden?.(values)) return []
    const value = filterValue(values[field.name])
    if (value.length === 0) return []
    const isStill = (entry: SmartFilterEntry) => String(shownBy(field, entry)) === String(value)
    const known = before.find((entry) => entry.id === field.name && isStill(entry))
    return [known ?? { id: field.name, value, viewValue: viewValueOf(field, value, optionsOf(field)) }]
  })

/** Parts the filters that the screen can be asked from those that somebody else's address, or an older view, names or asks wrongly. */
export const partKnown = (fields: readonly FieldDef[], entries: readonly SmartFilterEntry[]) => {
  const known: SmartFilterEntry[] = []
  const unknown: SmartFilterEntry[] = []
  const faults: string[] = []
  for (const entry of entries) {
    const field = fields.find(({ name }) => name === entry.id)
    const fault = field && filterFault(field, entry.value)
    if (fault !== undefined) faults.push(fault)
    else (field ? known : unknown).push(entry)
  }
  return { known, unknown, faults }
}

/** What is wrong in the form, by the name of the field. */
export const faultsIn = (fields: readonly FieldDef[], values: Values): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const fault = filterFault(field, filterValue(values[field.name]))
      return fault === undefined ? [] : [[field.name, fault]]
    }),
  )

/** Why the server would refuse a value, in words for the person who gave it; what is empty asks for nothing. */
export const filterFault = ({ kind, label, min, max }: FieldDef, value: FilterValue): string | undefined => {
  for (const text of [value].flat().filter(Boolean)) {
    if (kind === 'number') {
      if (!/^\d{1,15}$/.test(text)) return `${label} must be a whole number`
      if (Number(text) < Number(min ?? 0) || Number(text) > Number(max ?? Infinity))
        return `${label} must be from ${min} to ${max}`
    }
    const isRange = parseDateRange(text) !== null
    // A link may ask for a range of birth dates, too.
    if (kind === 'date' && !isRange && readDay(text) === undefined) return `${label} must be a date: MM/DD/YYYY`
    if (kind === 'dateRange' && !isRange) return dateRangeFault(label, text, 'MM/DD/YYYY-MM/DD/YYYY')
  }
  return undefined
}

export const isSameFilter = (one: readonly SmartFilterEntry[], other: readonly SmartFilterEntry[]) =>
  one.length === other.length &&
  one.every(({ id, value }) => other.some((entry) => entry.id === id && String(entry.value) === String(value)))

export const toSmartValues = (entries: readonly SmartFilterEntry[]): SmartValues =>
  Object.fromEntries(entries.map(({ id, value, viewValue }) => [id, { value, viewValue }]))

/** What a saved view filters by; views of other programs may hold numbers, and no text to show. */
export const toEntries = (values: SmartValues): SmartFilterEntry[] =>
  Object.entries(values).flatMap(([id, { value, viewValue }]) => {
    const given = filterValue(value)
    return given.length === 0 ? [] : [{ id, value: given, viewValue: [viewValue ?? given].flat().join(', ') }]
  })

/** 'Flag: STAT, Client: Acme' under the name of a saved view; an unknown field is left out, as it will be when applied. */
export const summaryOf = (fields: readonly FieldDef[], entries: readonly SmartFilterEntry[]): string =>
  entries
    .flatMap(({ id, viewValue }) => {
      const label = fields.find(({ name }) => name === id)?.label
      return label === undefined ? [] : [`${label}: ${viewValue}`]
    })
    .join(', ')

/** Short choices stand two in a row, as in the pictures; one that would stand alone takes the whole row. */
export const isHalfWide = (fields: readonly FieldDef[], index: number): boolean => {
  const isShort = (field: FieldDef | undefined) =>
    field !== undefined && !field.isWide && (field.kind === 'select' || isMany(field.kind))
  if (!isShort(fields[index])) return false
  let first = index
  while (isShort(fields[first - 1])) first -= 1
  const isSecond = (index - first) % 2 === 1
  return isSecond || isShort(fields[index + 1])
}

/** The address holds texts; a select compares with the option's own value, which may be a number. */
const inputValue = ({ options, lookup }: FieldDef, text: string): string | number => {
  if (options) return options.find(({ value }) => String(value) === text)?.value ?? text
  if (lookup === undefined) return text
  const { row, value } = lookups[lookup]
  return (row.shape as Record<string, { type: string }>)[value]?.type === 'number' ? Number(text) : text
}

/** Of an entry with several values a field for one shows the first. */
const shownBy = ({ kind }: FieldDef, { value }: SmartFilterEntry): FilterValue | undefined =>
  isMany(kind) ? value : [value].flat()[0]

const filterValue = (value: unknown): FilterValue => {
  if (Array.isArray(value)) return value.map(String)
  // An empty tick asks for both, not for those without.
  if (value === undefined || value === null || value === 0 || value === false) return ''
  return String(value).trim()
}

const viewValueOf = ({ kind }: FieldDef, value: FilterValue, options: readonly Option[]): string => {
  const labelOf = (one: string) => options.find((option) => String(option.value) === one)?.label ?? one
  if (Array.isArray(value)) return value.map(labelOf).join(', ')
  if (kind === 'singleCheckbox') return 'Yes'
  if (kind === 'date') return usDate(value)
  if (kind !== 'dateRange') return labelOf(value)
  const range = parseDateRange(value)
  return range === null ? value : `${usDate(range.from)}–${usDate(range.to)}`
}

const usDate = (iso: string) => iso.replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2/$3/$1')

/**
 * Addresses that a form has sent come back one after the other, or only the last of them: what is still to come after this one; undefined
 * when the form did not send it.
 */
export const stillToCome = (sent: readonly string[], arrived: string): string[] | undefined => {
  const at = sent.lastIndexOf(arrived)
  return at < 0 ? undefined : sent.slice(at + 1)
}
