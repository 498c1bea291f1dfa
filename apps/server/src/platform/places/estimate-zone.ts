import { zoneNear } from './allowed-zones.ts'
import { openCityZones, zonesOfCity } from './city-zones.ts'
import { regionKey } from './names.ts'
import { cached, recordsWith } from './place-files.ts'
import { zonesOfState } from './us-zones.ts'

export interface Address {
  /** Two letters of ISO 3166. */
  country: string
  state: { code: string; name: string } | null
  city: string
  zip: string
}

/** Territories that addresses treat as US states and the list of cities as countries. */
const territories = new Set(['PR', 'VI', 'GU', 'AS', 'MP'])

/**
 * The time zone of an address, without an external service; null when it is unknown or more than one is possible. The ZIP code decides
 * if it is in the given state. Otherwise the city does, but only together with its state: there are Springfields in two zones. In a
 * country with a single clock the city need not be known.
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

/** In a state with several zones the town of the ZIP code is looked up by name, since zones end at counties; otherwise by the map. */
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

const findZip = cached(async (digits): Promise<Record<string, string> | undefined> => {
  for await (const [place] of recordsWith('zipcodes/lib/codes.js', `"zip":"${digits}"`)) if (place) return place
  return undefined
})

/** States are matched by name; if a state is not found, all cities of that name must have the same zone. */
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
