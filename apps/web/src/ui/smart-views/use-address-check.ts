import { useEffect } from 'react'
import type { ChangeList, ListAddress } from '../../lib/list-address.ts'
import type { FieldDef } from '../form/field-types.ts'
import { useNotify } from '../notices.tsx'
import { splitFilters } from './smart-filter.ts'

interface CheckOptions {
  isReady?: boolean
  isOfView?: boolean
  /** The label of a filter that this list does not have, but another tab. */
  labelOfFilter?: ((id: string) => string | undefined) | undefined
}

/** An address may be edited, truncated by a mail program, or outdated: invalid filters are reported and removed. */
export const useAddressCheck = (
  address: ListAddress,
  fields: readonly FieldDef[],
  onChange: ChangeList,
  { isReady = true, isOfView = false, labelOfFilter }: CheckOptions = {},
) => {
  const notify = useNotify()
  const { known, unknown, faults } = splitFilters(fields, address.filters)
  const dropped = [
    ...(unknown.length > 0 ? [unknownFilter(unknown, labelOfFilter)] : []),
    ...faults.map(wrongFilter),
  ].join(' ')
  const fault = address.isFilterBroken ? brokenFilter : dropped || null
  const wanted = JSON.stringify(known)
  useEffect(() => {
    if (fault === null || !isReady) return
    notify.warning(fault)
    if (!isOfView) onChange({ filters: JSON.parse(wanted) }, { isCorrection: true })
  }, [fault, isReady, isOfView, wanted, notify, onChange])
}

const brokenFilter = 'The filter in the address could not be read. The list is shown without it.'
const unknownFilter = (entries: { id: string }[], labelOf: CheckOptions['labelOfFilter']) =>
  `This list has no filter ${entries.map(({ id }) => `'${labelOf?.(id) ?? id.slice(0, 40)}'`).join(', ')}. It is shown without.`
const wrongFilter = (fault: string) => `${fault}. The list is shown without this filter.`
