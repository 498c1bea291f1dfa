import { type Client, type ClientFields, unknownTimeZone } from '@lis/contract/clients.ts'
import { type Address, estimateZone } from '../../platform/places/estimate-zone.ts'
import type { Place } from './queries.ts'

type Located = Pick<ClientFields, 'clientCountryId' | 'clientStateId' | 'clientCity' | 'clientZip'>

/**
 * A zone typed by hand stays until the client's country, state, city or zip changes or the field is emptied. `typed` is undefined when
 * the field was not sent; a value equal to the stored one was sent back by the form and not typed.
 */
export const decideZone = async (
  wanted: Located,
  place: Place,
  typed: string | null | undefined,
  before: (Located & Pick<Client, 'clientTz'>) | null,
): Promise<string> => {
  if (typed && typed !== before?.clientTz) return typed
  if (before && typed !== null && !hasMoved(wanted, before)) return before.clientTz
  return (await estimateZone(addressOf(wanted, place))) ?? unknownTimeZone
}

const hasMoved = (wanted: Located, before: Located) =>
  wanted.clientCountryId !== before.clientCountryId ||
  wanted.clientStateId !== before.clientStateId ||
  wanted.clientCity !== before.clientCity ||
  wanted.clientZip !== before.clientZip

const addressOf = ({ clientCity, clientZip }: Located, { country, state }: Place): Address => ({
  country,
  state,
  city: clientCity,
  zip: clientZip,
})
