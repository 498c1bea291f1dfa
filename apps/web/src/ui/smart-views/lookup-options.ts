import type { Option } from '@lis/contract/lookups.ts'
import type { QueryClient } from '@tanstack/react-query'
import { lookupRequest } from '../../lib/lookup-request.ts'
import type { FieldDef, Values } from '../form/field-types.ts'
import { lookupOf } from '../form/use-field-options.ts'

/** The options of a field that have been read so far. What somebody chose is among them: it was offered. */
export const lookupOptions = (client: QueryClient, field: FieldDef, values: Values): readonly Option[] => {
  if (field.options) return field.options
  const { lookup, params } = lookupOf(field, values)
  if (lookup === undefined || params === null) return []
  const { path } = lookupRequest(lookup, params)
  // Other readers of the path keep whole replies, not lists of options.
  return client.getQueriesData<unknown>({ queryKey: [path] }).flatMap(([, data]) => (Array.isArray(data) ? data : []))
}
