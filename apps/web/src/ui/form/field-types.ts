import type { Permission } from '@lis/contract/access/permissions.ts'
import type { LookupName, Option } from '@lis/contract/lookups.ts'
import type { ReactNode, Ref } from 'react'

/** Every kind of input of the product, in forms, filters and cells alike (1§3). */
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
  /** What the lookup's path or filter needs; null while that is not known yet, and then nothing is read. */
  lookupParams?: (values: Values) => Record<string, string | number> | null
  /** Instead of a lookup. */
  options?: readonly Option[]
  /** What the record has and may keep, also when it has left the list since; null where that list is another one by now. */
  kept?: (values: Values) => Option | null
  visibleTo?: Permission
  /** Not shown, not checked, not sent. */
  isHidden?: (values: Values) => boolean
  isRequired?: boolean
  /** Shown and sent, but not to be changed here. */
  isDisabled?: boolean
  hint?: string
  /** What a new record starts with. */
  initial?: string | number
  /** Where the lookup has one option alone, it is chosen already. */
  takesOnly?: boolean
  /** Fields that lose their value when this one changes: a country clears its state. */
  clears?: readonly Name[]
  min?: number
  max?: number
  /** Kind 'date': the calendar offers the last 100 years up to today, the years first (TABLE-058..TABLE-060). */
  isBirthDate?: boolean
  /** Never part of a draft, which lies on the server as it was typed. */
  isSecret?: boolean
  /** Takes the whole width of the form. */
  isWide?: boolean
  /** Twelfths of the width that it takes; up to 4 it is part of a date or a measure, and keeps its neighbours beside it on phones too. */
  span?: number
  /** What stands above a part ('Day'); the whole label, which ends with it, is what is heard and what messages say. */
  shortLabel?: string
  /** The heading that it stands under, together with its neighbours of the same section; see `inSection`. */
  section?: string
  /** The order of what is chosen says something: the first sales rep is the one that lists show. */
  isOrdered?: boolean
  /** What it is a part of, where only all parts together say something; one object for all of them. */
  whole?: Whole
  /** Kind 'custom': the control with its label and message. */
  render?: (props: FieldInputProps) => ReactNode
}

/** A value that is typed in parts, such as a date: of two versions one is right, never half of each. */
export interface Whole {
  label: string
  /** As people read it; '' for none. */
  show: (values: Values) => string
  /** The fields that say it with these values, where it takes the name behind an id; `show` then only tells whether two are the same. */
  saidBy?: (values: Values) => readonly FieldDef[]
}

/** Fields under one heading. */
export const inSection = <Name extends string>(section: string, fields: readonly FieldDef<Name>[]): FieldDef<Name>[] =>
  fields.map((field) => ({ ...field, section }))

/** A controlled input; what the value is depends on the kind (see `emptyValue`). */
export interface FieldInputProps {
  field: FieldDef
  value: unknown
  onChange: (value: unknown) => void
  onBlur?: (() => void) | undefined
  error?: string | undefined
  disabled?: boolean | undefined
  /** Kind 'select': what was chosen is being saved; it keeps the focus and takes no other choice. */
  isBusy?: boolean
  /** The other values, for what depends on them. */
  values?: Values | undefined
  /** What a choice shows while nothing is chosen: 'Any' in filters. */
  placeholder?: string | undefined
  /** Takes the focus when a check fails here. */
  inputRef?: Ref<HTMLInputElement> | undefined
}

/**
 * What an untouched input holds. Text and single choices '', several choices [], a tick 0. Dates travel as YYYY-MM-DD, times as HH:mm,
 * ranges as '[MM/DD/YYYY-MM/DD/YYYY]', phones as typed.
 */
export const emptyValue = (kind: FieldKind): unknown => {
  if (kind === 'singleCheckbox') return 0
  return isMany(kind) ? [] : ''
}

export const isMany = (kind: FieldKind): boolean => kind === 'checkbox' || kind.endsWith('MultiSelect')
