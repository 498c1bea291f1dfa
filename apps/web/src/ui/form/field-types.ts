import type { Permission } from '@lis/contract/access/permissions.ts'
import type { LookupName, Option } from '@lis/contract/lookups.ts'
import type { ReactNode, Ref } from 'react'
import type { DatePart } from './date-parts.ts'

/** All kinds of input, in forms, filters and cells (1§3). */
export type FieldKind =
  | 'phone'
  | 'radio'
  | 'checkbox'
  | 'singleCheckbox'
  | 'select'
  | 'reqPassCodeMultiSelect'
  | 'testPassCodeMultiSelect'
  | 'testFailCodeMultiSelect'
  | 'lookupMultiSelect'
  | 'password'
  | 'text'
  | 'number'
  | 'input'
  | 'multiline'
  | 'autocomplete'
  | 'dateRange'
  | 'date'
  | 'time'
  | 'custom'

export type Values = Record<string, unknown>

/** One field of a form or filter, as data. */
export interface FieldDef<Name extends string = string> {
  name: Name
  label: string
  kind: FieldKind
  lookup?: LookupName
  /** Parameters of the lookup; null while they are unknown, and then nothing is read. */
  lookupParams?: (values: Values) => Record<string, string | number> | null
  /** Instead of a lookup. */
  options?: readonly Option[]
  /** The record's current option, which it may keep even if it is no longer in the list; null if it belongs to another list. */
  keptOption?: (values: Values) => Option | null
  visibleTo?: Permission
  /** Neither shown nor validated nor sent. */
  isHidden?: (values: Values) => boolean
  isRequired?: boolean
  /** Shown and sent, but read-only. */
  isDisabled?: boolean
  hint?: string
  /** Default for a new record. */
  initial?: string | number
  /** If the lookup has a single option, it is preselected. */
  selectsOnlyOption?: boolean
  /** Typed in one go with the other parts of a date or time. */
  part?: DatePart
  /** Several choices: the list closes after each, so that Enter moves to the next field. */
  closesOnChoice?: boolean
  /** Filled by another field: Enter passes over it, always or while it is filled. */
  preset?: 'always' | 'filled'
  /** Shown in the empty field while `lookupParams` is null: why nothing can be chosen yet. */
  waitingHint?: string
  /** What other fields get when this one changes: a weight is converted with its unit. */
  converts?: (values: Values, next: unknown) => Values
  /** Fields to clear when this one changes: a country clears its state. */
  clears?: readonly Name[]
  min?: number
  max?: number
  /** Kind 'date': the calendar offers the last 100 years up to today, the years first (TABLE-058..TABLE-060). */
  isBirthDate?: boolean
  /** Never part of a draft, which is stored on the server as typed. */
  isSecret?: boolean
  /** Full width of the form. */
  isWide?: boolean
  /** Width in twelfths; up to 4 it is part of a date or measure, and keeps its neighbours beside it on phones too. */
  span?: number
  /** Visible label of a part ('Day'); the full label, which ends with it, is used for accessibility and messages. */
  shortLabel?: string
  /** The heading above it and its neighbours of the same section; see `inSection`. */
  section?: string
  /** The order of the chosen options matters: lists show the first sales rep. */
  isOrdered?: boolean
  /** The composite value it belongs to; the same object for all its parts. */
  composite?: CompositeField
  /** Kind 'custom': renders the control with its label and message. */
  render?: (props: FieldInputProps) => ReactNode
}

/** A value of several fields, such as a date: in a conflict it is taken as a whole. */
export interface CompositeField {
  label: string
  /** The value as text; '' for none. */
  show: (values: Values) => string
  /** Fields that display it, if that needs a lookup; `show` then only serves for comparison. */
  shownBy?: (values: Values) => readonly FieldDef[]
}

/** Puts fields under one heading. */
export const inSection = <Name extends string>(section: string, fields: readonly FieldDef<Name>[]): FieldDef<Name>[] =>
  fields.map((field) => ({ ...field, section }))

/** A controlled input; the type of the value depends on the kind (see `emptyValue`). */
export interface FieldInputProps {
  field: FieldDef
  value: unknown
  onChange: (value: unknown) => void
  onBlur?: (() => void) | undefined
  error?: string | undefined
  disabled?: boolean | undefined
  /** Kind 'select': the choice is being saved; the field keeps the focus and accepts no other choice. */
  isBusy?: boolean
  /** The values of the other fields. */
  values?: Values | undefined
  /** Shown while nothing is chosen: 'Any' in filters. */
  placeholder?: string | undefined
  /** Receives the focus when validation fails here. */
  inputRef?: Ref<HTMLInputElement> | undefined
}

/**
 * The value of an untouched input: '' for text and single choices, [] for several choices, 0 for a checkbox. Dates are YYYY-MM-DD, times
 * HH:mm, ranges '[MM/DD/YYYY-MM/DD/YYYY]', phone numbers as typed.
 */
export const emptyValue = (kind: FieldKind): unknown => {
  if (kind === 'singleCheckbox') return 0
  return isMultiple(kind) ? [] : ''
}

export const isMultiple = (kind: FieldKind): boolean => kind === 'checkbox' || kind.endsWith('MultiSelect')
