import { zoneNear } from './allowed-zones.ts'
import { openCityZones, zonesOfCity } from './city-zones.ts'
import { regionKey } from './names.ts'
import { readOnce, recordsWith } from './place-files.ts'
import { zonesOfState } from './us-zones.ts'

export interface Address {
  /** Two letters of ISO 3166. */
  country: string
  state: { code: string; name: string } | null
  city: string
  zip: string
}

/** Territories that address lists keep as states of the USA and the list of cities as countries. */
const territories = new Set(['PR', 'VI', 'GU', 'AS', 'MP'])

/**
 * The time zone of an address, without asking anybody outside; null when it is unknown or more than one is possible. A ZIP code
 * decides when it lies in the state that is named beside it. Otherwise the city does, but only together with its state: there are
 * Springfields in two zones. Where the clocks of a whole country agree, the city need not be known.
 */
export const estimateZone = async (address: Address): Promise<string | null> => {
  const { country, state } = address
  if (country !== 'US') return zoneAbroad(address)
  if (!state) return null
  const byZip = await zoneOfZip(address.zip, state.code)
  if (byZip) return byZip
  if (territories.has(state.code)) return (await openCityZones(state.code)).main
  return only(await zonesByName(address, state.code))
}

/** In a state with several zones the town of the ZIP code is looked up by its name, since zones end at counties; else by the map. */
const zoneOfZip = async (zip: string, state: string): Promise<string | null> => {
  const [, digits] = /^\s*(\d{5})(?:-?\d{4})?\s*$/.exec(zip) ?? []
  if (!digits) return null
  const place = await findZip(digits)
  if (place?.state !== state) return null
  const allowed = zonesOfState(state)
  if (allowed.length < 2) return only(allowed)
  const byTown = only(zonesOfCity(await openCityZones('US'), place.city ?? '', state))
  return byTown ?? zoneNear(Number(place.latitude), Number(place.longitude), allowed)
}

const findZip = readOnce(async (digits): Promise<Record<string, string> | undefined> => {
  for await (const [place] of recordsWith('zipcodes/lib/codes.js', `"zip":"${digits}"`)) if (place) return place
  return undefined
})

/** States are matched by name; where the lists disagree on it, all cities of the name must agree. */
const zoneAbroad = async (address: Address): Promise<string | null> => {
  const { regions, main } = await openCityZones(address.country)
  const { state } = address
  const found = state && only(await zonesByName(address, regions.get(regionKey(state.name))))
  return found ?? main
}

const zonesByName = async ({ country, city }: Address, region: string | undefined): Promise<string[]> => {
  const zones = await openCityZones(country)
  const exact = zonesOfCity(zones, city, region)
  return exact.length > 0 ? exact : zonesOfCity(zones, `${city} City`, region)
}

const only = (zones: readonly string[]): string | null => (zones.length === 1 ? (zones[0] as string) : null)
