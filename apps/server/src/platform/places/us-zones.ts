import { plainName } from './names.ts'

/** States of the USA and its territories that have one zone (49 CFR 71). */
const singleZoneStates: Record<string, string> = {
  'America/New_York': 'CT DC DE GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV',
  'America/Chicago': 'AL AR IA IL LA MN MO MS OK WI',
  'America/Denver': 'CO MT NM UT WY',
  'America/Los_Angeles': 'CA WA',
  'Pacific/Honolulu': 'HI',
  'America/Puerto_Rico': 'PR',
  'America/St_Thomas': 'VI',
  'Pacific/Guam': 'GU',
  'Pacific/Saipan': 'MP',
  'Pacific/Pago_Pago': 'AS',
}

interface DividedState {
  /** The zone of all places that are not listed below; absent where the map must decide. */
  main?: string
  /** By county, since zone borders follow county borders. */
  counties?: Record<string, string>
  /** Counties with two zones; there the map decides. */
  cut?: string
  /** Single towns, where no complete county has the zone. */
  towns?: Record<string, string>
}

/** The states with several zones. */
const divided: Record<string, DividedState> = {
  AK: {},
  AZ: {
    main: 'America/Phoenix',
    towns: {
      // The Navajo Nation observes daylight saving time; the Hopi villages inside it and the rest of Arizona do not.
      'America/Denver':
        'Window Rock, Fort Defiance, Saint Michaels, Chinle, Kayenta, Tuba City, Ganado, Many Farms, Pinon, Lukachukai, Tsaile, Rock Point, Round Rock, Dennehotso, Teec Nos Pos, Red Valley, Red Mesa, Houck, Lupton, Sawmill, Steamboat, Leupp, Cameron, Kaibeto, Kaibito, Shonto, Tonalea, LeChee, Nazlini, Klagetoh, Cornfields, Dilkon, Greasewood, Indian Wells, Blue Gap, Sanders, Chambers, Burnside, Rough Rock, Chilchinbito, Del Muerto',
    },
  },
  FL: {
    main: 'America/New_York',
    counties: {
      'America/Chicago': 'Bay, Calhoun, Escambia, Holmes, Jackson, Okaloosa, Santa Rosa, Walton, Washington',
    },
    cut: 'Gulf',
  },
  ID: {
    main: 'America/Boise',
    counties: {
      'America/Los_Angeles': 'Benewah, Bonner, Boundary, Clearwater, Kootenai, Latah, Lewis, Nez Perce, Shoshone',
    },
    cut: 'Idaho',
  },
  IN: {
    main: 'America/Indiana/Indianapolis',
    counties: {
      'America/Chicago': 'Gibson, Jasper, Lake, LaPorte, Newton, Porter, Posey, Spencer, Vanderburgh, Warrick',
      'America/Indiana/Knox': 'Starke',
      'America/Indiana/Tell_City': 'Perry',
      'America/Indiana/Petersburg': 'Pike',
      'America/Indiana/Vincennes': 'Daviess, Dubois, Knox, Martin',
      'America/Indiana/Marengo': 'Crawford',
      'America/Indiana/Winamac': 'Pulaski',
      'America/Indiana/Vevay': 'Switzerland',
      'America/Kentucky/Louisville': 'Clark, Floyd, Harrison',
      'America/New_York': 'Dearborn, Ohio',
    },
  },
  KS: { main: 'America/Chicago', counties: { 'America/Denver': 'Greeley, Hamilton, Sherman, Wallace' } },
  KY: {
    main: 'America/New_York',
    counties: {
      'America/Chicago':
        'Adair, Allen, Ballard, Barren, Breckinridge, Butler, Caldwell, Calloway, Carlisle, Christian, Clinton, Crittenden, Cumberland, Daviess, Edmonson, Fulton, Graves, Grayson, Green, Hancock, Hart, Henderson, Hickman, Hopkins, Livingston, Logan, Lyon, McCracken, McLean, Marshall, Metcalfe, Monroe, Muhlenberg, Ohio, Russell, Simpson, Todd, Trigg, Union, Warren, Webster',
      'America/Kentucky/Louisville': 'Jefferson',
      'America/Kentucky/Monticello': 'Wayne',
    },
  },
  MI: { main: 'America/Detroit', counties: { 'America/Menominee': 'Dickinson, Gogebic, Iron, Menominee' } },
  ND: {
    main: 'America/Chicago',
    counties: {
      'America/Denver': 'Adams, Billings, Bowman, Dunn, Golden Valley, Grant, Hettinger, Slope, Stark',
      'America/North_Dakota/Beulah': 'Mercer',
      'America/North_Dakota/Center': 'Oliver',
      'America/North_Dakota/New_Salem': 'Morton',
    },
  },
  NE: {
    main: 'America/Chicago',
    counties: {
      'America/Denver':
        'Arthur, Banner, Box Butte, Chase, Cheyenne, Dawes, Deuel, Dundy, Garden, Grant, Hooker, Keith, Kimball, Morrill, Perkins, Scotts Bluff, Sheridan, Sioux',
    },
    cut: 'Cherry',
  },
  NV: { main: 'America/Los_Angeles', towns: { 'America/Denver': 'West Wendover' } },
  OR: { main: 'America/Los_Angeles', counties: { 'America/Boise': 'Malheur' } },
  SD: {
    main: 'America/Chicago',
    counties: {
      'America/Denver':
        'Bennett, Butte, Corson, Custer, Dewey, Fall River, Haakon, Harding, Jackson, Lawrence, Meade, Oglala Lakota, Pennington, Perkins, Ziebach',
    },
    cut: 'Stanley',
  },
  TN: {
    main: 'America/Chicago',
    counties: {
      'America/New_York':
        'Anderson, Blount, Bradley, Campbell, Carter, Claiborne, Cocke, Grainger, Greene, Hamblen, Hamilton, Hancock, Hawkins, Jefferson, Johnson, Knox, Loudon, McMinn, Meigs, Monroe, Morgan, Polk, Rhea, Roane, Scott, Sevier, Sullivan, Unicoi, Union, Washington',
    },
  },
  TX: { main: 'America/Chicago', counties: { 'America/Denver': 'El Paso, Hudspeth' } },
}
const alaska =
  'America/Anchorage America/Juneau America/Sitka America/Metlakatla America/Yakutat America/Nome America/Adak'

/** The zones of a state; none for codes without a place, such as those of army post offices. */
export const zonesOfState = (code: string): string[] => {
  const one = Object.keys(singleZoneStates).find((zone) => singleZoneStates[zone]?.split(' ').includes(code))
  if (one) return [one]
  if (code === 'AK') return alaska.split(' ')
  const { main, counties, towns } = divided[code] ?? {}
  return main ? [main, ...Object.keys({ ...counties, ...towns })] : []
}

/** The zone of a town in a divided state by its name and county; null where the map must decide. */
export const zoneOfTown = (state: string, town: string, county: string): string | null => {
  const { main, counties, towns, cut } = tableOf(state)
  const where = plainName(county.replace(/ (county|parish|borough)$/i, ''))
  if (!main || cut.has(where)) return null
  return towns.get(plainName(town)) ?? counties.get(where) ?? main
}

const tables = new Map<string, ReturnType<typeof makeTable>>()
const tableOf = (state: string) => {
  const table = tables.get(state) ?? makeTable(divided[state] ?? {})
  tables.set(state, table)
  return table
}

const makeTable = ({ main, counties = {}, towns = {}, cut = '' }: DividedState) => ({
  main,
  counties: zonesByName(counties),
  towns: zonesByName(towns),
  cut: new Set(namesIn(cut)),
})
const namesIn = (list: string) => list.split(', ').filter(Boolean).map(plainName)
const zonesByName = (zones: Record<string, string>) =>
  new Map(Object.entries(zones).flatMap(([zone, list]) => namesIn(list).map((name) => [name, zone] as const)))
