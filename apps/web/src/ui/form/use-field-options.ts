import type { LookupName } from '@lis/contract/lookups.ts'
import { requisitionCodes, testCodes } from '../../lib/code-ids.ts'
import type { LookupParams } from '../../lib/lookup-request.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import type { FieldDef, FieldKind, Values } from './field-types.ts'

/** The lookups of the code multi-selects; a filter, which compares codes, names another one (LOOK-G3). */
const ownLookups: Partial<Record<FieldKind, { lookup: LookupName; params: LookupParams }>> = {
  reqPassCodeMultiSelect: { lookup: 'passReasons', params: requisitionCodes },
  testPassCodeMultiSelect: { lookup: 'passReasons', params: testCodes },
  testFailCodeMultiSelect: { lookup: 'failReasons', params: testCodes },
}

/** The lookup of a field; none if it has its own options. */
export const lookupOf = (field: FieldDef, values: Values): { lookup?: LookupName; params: LookupParams | null } => {
  if (field.options) return { params: null }
  if (field.lookup) return { lookup: field.lookup, params: field.lookupParams ? field.lookupParams(values) : {} }
  return ownLookups[field.kind] ?? { params: null }
}

/** The options of a field. */
export const useFieldOptions = (field: FieldDef, values: Values = {}) => {
  const { lookup, params } = lookupOf(field, values)
  const found = useLookup(lookup, params)
  // A state cannot be chosen before its country.
  const isWaiting = lookup !== undefined && params === null
  const kept = found.isLoading ? null : field.keptOption?.(values)
  const hasLeft = kept && !found.options.some(({ value }) => value === kept.value)
  const options = field.options ?? (hasLeft ? [...found.options, kept] : found.options)
  return { ...found, isWaiting, options }
}
