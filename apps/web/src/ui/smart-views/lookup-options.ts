import type { Option } from '@lis/contract/lookups.ts'
import type { QueryClient } from '@tanstack/react-query'
import { lookupRequest } from '../../lib/lookup-request.ts'
import type { FieldDef, Values } from '../form/field-types.ts'
import { lookupOf } from '../form/use-field-options.ts'

/** The options of a field that have been loaded so far; a chosen option is among them. */
export const lookupOptions = (client: QueryClient, field: FieldDef, values: Values): readonly Option[] => {
  if (field.options) return field.options
  const { lookup, params } = lookupOf(field, values)
  if (lookup === undefined || params === null) return []
  const { path } = lookupRequest(lookup, params)
  // Other queries of this path cache whole replies, not options.
  return client.getQueriesData<unknown>({ queryKey: [path] }).flatMap(([, data]) => (Array.isArray(data) ? data : []))
}
