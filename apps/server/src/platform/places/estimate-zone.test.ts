import { describe, expect, it } from 'vitest'
import { type Address, estimateZone } from './estimate-zone.ts'
import { plainName } from './names.ts'

const inTheUsa = (city: string, code: string, zip = ''): Address => ({
  country: 'US',
  state: { code, name: '' },
  city,
  zip,
})

// City, state, a ZIP code of it, and what its clocks show.
const american: [string, string, string, string][] = [
  // Places that share a name
  ['Springfield', 'IL', '62701', 'America/Chicago'],
  ['Springfield', 'MA', '01103', 'America/New_York'],
  ['Springfield', 'MO', '65806', 'America/Chicago'],
  ['Springfield', 'OR', '97477', 'America/Los_Angeles'],
  ['Springfield', 'OH', '45502', 'America/New_York'],
  ['Portland', 'OR', '97205', 'America/Los_Angeles'],
  ['Portland', 'ME', '04101', 'America/New_York'],
  ['Columbus', 'OH', '43215', 'America/New_York'],
  ['Columbus', 'GA', '31901', 'America/New_York'],
  ['Columbus', 'IN', '47201', 'America/Indiana/Indianapolis'],
  ['Columbus', 'NE', '68601', 'America/Chicago'],
  ['Kansas City', 'KS', '66101', 'America/Chicago'],
  ['Kansas City', 'MO', '64106', 'America/Chicago'],
  ['Aurora', 'CO', '80012', 'America/Denver'],
  ['Aurora', 'IL', '60505', 'America/Chicago'],
  ['Jackson', 'MS', '39201', 'America/Chicago'],
  ['Jackson', 'MI', '49201', 'America/Detroit'],
  ['Jackson', 'WY', '83001', 'America/Denver'],
  ['Ontario', 'CA', '91761', 'America/Los_Angeles'],
  ['Las Vegas', 'NV', '89101', 'America/Los_Angeles'],
  ['Las Vegas', 'NM', '87701', 'America/Denver'],
  ['Miami', 'OK', '74354', 'America/Chicago'],
  // States with two zones
  ['Gary', 'IN', '46402', 'America/Chicago'],
  ['Evansville', 'IN', '47708', 'America/Chicago'],
  ['Indianapolis', 'IN', '46204', 'America/Indiana/Indianapolis'],
  ['Fort Wayne', 'IN', '46802', 'America/Indiana/Indianapolis'],
  ['Memphis', 'TN', '38103', 'America/Chicago'],
  ['Nashville', 'TN', '37203', 'America/Chicago'],
  ['Knoxville', 'TN', '37902', 'America/New_York'],
  ['Chattanooga', 'TN', '37402', 'America/New_York'],
  ['Pensacola', 'FL', '32502', 'America/Chicago'],
  ['Panama City', 'FL', '32401', 'America/Chicago'],
  ['Tallahassee', 'FL', '32301', 'America/New_York'],
  ['Miami', 'FL', '33130', 'America/New_York'],
  ['El Paso', 'TX', '79901', 'America/Denver'],
  ['Houston', 'TX', '77002', 'America/Chicago'],
  ['Laredo', 'TX', '78040', 'America/Chicago'],
  ['Boise', 'ID', '83702', 'America/Boise'],
  ['Idaho Falls', 'ID', '83402', 'America/Boise'],
  ["Coeur d'Alene", 'ID', '83814', 'America/Los_Angeles'],
  ['Lewiston', 'ID', '83501', 'America/Los_Angeles'],
  ['Phoenix', 'AZ', '85004', 'America/Phoenix'],
  ['Yuma', 'AZ', '85364', 'America/Phoenix'],
  ['Page', 'AZ', '86040', 'America/Phoenix'],
  ['Window Rock', 'AZ', '86515', 'America/Denver'],
  ['Tuba City', 'AZ', '86045', 'America/Denver'],
  ['Louisville', 'KY', '40202', 'America/Kentucky/Louisville'],
  ['Lexington', 'KY', '40507', 'America/New_York'],
  ['Bowling Green', 'KY', '42101', 'America/Chicago'],
  ['Paducah', 'KY', '42001', 'America/Chicago'],
  ['Fargo', 'ND', '58102', 'America/Chicago'],
  ['Williston', 'ND', '58801', 'America/Chicago'],
  ['Dickinson', 'ND', '58601', 'America/Denver'],
  ['Sioux Falls', 'SD', '57104', 'America/Chicago'],
  ['Pierre', 'SD', '57501', 'America/Chicago'],
  ['Rapid City', 'SD', '57701', 'America/Denver'],
  ['Omaha', 'NE', '68102', 'America/Chicago'],
  ['North Platte', 'NE', '69101', 'America/Chicago'],
  ['Scottsbluff', 'NE', '69361', 'America/Denver'],
  ['Wichita', 'KS', '67202', 'America/Chicago'],
  ['Goodland', 'KS', '67735', 'America/Denver'],
  ['Ulysses', 'KS', '67880', 'America/Chicago'],
  ['Bend', 'OR', '97701', 'America/Los_Angeles'],
  ['Ontario', 'OR', '97914', 'America/Boise'],
  ['Detroit', 'MI', '48226', 'America/Detroit'],
  ['Iron Mountain', 'MI', '49801', 'America/Menominee'],
  ['West Wendover', 'NV', '89883', 'America/Denver'],
  ['Anchorage', 'AK', '99501', 'America/Anchorage'],
  ['Juneau', 'AK', '99801', 'America/Juneau'],
  ['Honolulu', 'HI', '96813', 'Pacific/Honolulu'],
  // Close to a border, where a coarse map shows the neighbour's zone
  ['Buffalo', 'NY', '14202', 'America/New_York'],
  ['Needles', 'CA', '92363', 'America/Los_Angeles'],
  ['Blaine', 'WA', '98230', 'America/Los_Angeles'],
  ['San Juan', 'PR', '00901', 'America/Puerto_Rico'],
]

const abroad: [string, string, string, string, string][] = [
  ['CA', 'ON', 'Ontario', 'Toronto', 'America/Toronto'],
  ['CA', 'ON', 'Ontario', 'London', 'America/Toronto'],
  ['CA', 'QC', 'Quebec', 'Montreal', 'America/Toronto'],
  ['CA', 'BC', 'British Columbia', 'Vancouver', 'America/Vancouver'],
  ['CA', 'AB', 'Alberta', 'Calgary', 'America/Edmonton'],
  ['CA', 'MB', 'Manitoba', 'Winnipeg', 'America/Winnipeg'],
  ['CA', 'NS', 'Nova Scotia', 'Halifax', 'America/Halifax'],
  ['CA', 'NL', 'Newfoundland and Labrador', "St. John's", 'America/St_Johns'],
  ['CA', 'SK', 'Saskatchewan', 'Regina', 'America/Regina'],
  ['MX', 'BCN', 'Baja California', 'Tijuana', 'America/Tijuana'],
  ['MX', 'ROO', 'Quintana Roo', 'Cancún', 'America/Cancun'],
  ['MX', 'SON', 'Sonora', 'Hermosillo', 'America/Hermosillo'],
  ['AU', 'NSW', 'New South Wales', 'Sydney', 'Australia/Sydney'],
  ['AU', 'WA', 'Western Australia', 'Perth', 'Australia/Perth'],
  ['AU', 'QLD', 'Queensland', 'Brisbane', 'Australia/Brisbane'],
  ['BR', 'SP', 'São Paulo', 'SAO PAULO', 'America/Sao_Paulo'],
  ['BR', 'AM', 'Amazonas', 'Manaus', 'America/Manaus'],
  ['GB', 'LND', 'London, City of', 'London', 'Europe/London'],
  ['DE', 'BY', 'Bayern', 'München', 'Europe/Berlin'],
  ['ES', 'CN', 'Canarias', 'Las Palmas de Gran Canaria', 'Atlantic/Canary'],
  ['ES', 'MD', 'Madrid', 'Madrid', 'Europe/Madrid'],
  ['IN', 'MH', 'Maharashtra', 'Mumbai', 'Asia/Kolkata'],
  ['JP', '13', 'Tokyo', 'Tokyo', 'Asia/Tokyo'],
  ['PR', 'SJ', 'San Juan', 'San Juan', 'America/Puerto_Rico'],
]

describe('estimateZone', () => {
  it.each(american)('CLI-067 CLI-G15 knows %s, %s by its ZIP code %s: %s', async (city, state, zip, zone) => {
    expect(await estimateZone(inTheUsa(city, state, zip))).toBe(zone)
    expect(await estimateZone(inTheUsa('misspelt', state, `${zip}-1234`))).toBe(zone)
  })

  // Towns that the list of cities does not have, so that only their ZIP code tells
  it.each(american.filter(([city]) => city !== 'San Juan'))('knows %s, %s without its ZIP code', async (...place) => {
    const [city, state, , zone] = place
    expect(await estimateZone(inTheUsa(city, state))).toBe(zone)
    expect(await estimateZone(inTheUsa(city.toUpperCase(), state, '00000'))).toBe(zone)
  })

  it.each(abroad)('CLI-067 knows in %s %s %s the city %s: %s', async (country, code, name, city, zone) => {
    expect(await estimateZone({ country, state: { code, name }, city, zip: '' })).toBe(zone)
  })

  it('ignores a ZIP code of another state', async () => {
    expect(await estimateZone(inTheUsa('Portland', 'ME', '97205'))).toBe('America/New_York')
    expect(await estimateZone(inTheUsa('Nowhere', 'ME', '97205'))).toBeNull()
  })

  it.each([
    ['St. Louis', 'MO', 'America/Chicago'],
    ['Saint Louis', 'MO', 'America/Chicago'],
    ['st paul', 'MN', 'America/Chicago'],
    ['New York', 'NY', 'America/New_York'],
    ['Mt. Pleasant', 'SC', 'America/New_York'],
    ['Ft Worth', 'TX', 'America/Chicago'],
    ['Winston Salem', 'NC', 'America/New_York'],
    ['Cañon City', 'CO', 'America/Denver'],
  ])('reads %s, %s', async (city, state, zone) => {
    expect(await estimateZone(inTheUsa(city, state))).toBe(zone)
  })

  it.each([
    ['a city without its state', { country: 'US', state: null, city: 'Springfield', zip: '' }],
    ['an unknown city', inTheUsa('Atlantis', 'TX')],
    ['a city in the wrong state', inTheUsa('Honolulu', 'TX', '96813')],
    ['nothing', { country: 'US', state: null, city: '', zip: '' }],
    ['a city of no letters', inTheUsa('...', 'MA')],
    ['an army post office', inTheUsa('APO', 'AE', '09012')],
    ['a country of several zones without a state', { country: 'CA', state: null, city: 'London', zip: '' }],
    [
      'an unknown city of such a country',
      { country: 'CA', state: { code: 'ON', name: 'Ontario' }, city: 'x', zip: '' },
    ],
    ['an unknown country', { country: 'ZZ', state: null, city: 'Boston', zip: '' }],
    ['a country that is none', { country: '"}', state: null, city: 'Boston', zip: '' }],
  ])('CLI-068 says nothing of %s', async (_what, address) => {
    expect(await estimateZone(address as Address)).toBeNull()
  })

  it('needs no city in a country with one clock', async () => {
    expect(await estimateZone({ country: 'DE', state: null, city: '', zip: '' })).toBe('Europe/Berlin')
    expect(await estimateZone({ country: 'FR', state: { code: 'IDF', name: 'x' }, city: 'Nulle part', zip: '' })).toBe(
      'Europe/Paris',
    )
  })
})

describe('plainName', () => {
  it.each([
    ["Coeur d'Alene", 'COEUR D ALENE'],
    ['Saint-Étienne', 'St. Etienne'],
    ['Łódź', 'lodz'],
    ['North  Platte', 'N. Platte'],
  ])('takes %s for %s', (one, other) => {
    expect(plainName(one)).toBe(plainName(other))
  })
})
