import type { TestSeed } from '../seed-data.ts'
import { isoInstant } from './clock.ts'
import { emailOf, npiNumber, personName, phoneNumber, plainLetters, streetAddress } from './people.ts'
import { clientPlaces, placeNamed } from './places.ts'
import type { SeedContext } from './seed-context.ts'

/** Limits of a collaborator, which override those of the catalogue. */
type OwnRanges = ReadonlyMap<string, Partial<TestSeed>>

export interface Collaborator {
  id: number
  name: string
  hasOrderIds: boolean
  reportNameFormat: string
  ranges: OwnRanges
}

/** What the create form presets. */
export const houseCollaborator = 'Sonoran Health Partners'
const named = [
  {
    name: houseCollaborator,
    alias: 'SONORAN',
    place: placeNamed('Phoenix', 'AZ'),
    format: 'REQID',
    hasOrderIds: true,
    method: 'PORTAL',
  },
  {
    name: 'Lakeshore Reference Laboratory',
    alias: 'LAKESHORE',
    place: placeNamed('Cleveland', 'OH'),
    format: 'REQIDLAST',
    hasOrderIds: true,
    method: 'HL7',
  },
  {
    name: 'Gulf & Plains Diagnostics',
    alias: 'GULFPLAINS',
    place: placeNamed('Houston', 'TX'),
    format: 'LASTFIRSTDOB',
    hasOrderIds: false,
    method: 'EMAIL',
  },
] as const

const furtherWords = ['Pacific Rim', 'Blue Ridge', 'Ozark', 'Bay State', 'High Plains', 'Great Basin', 'Chesapeake']

/** The second collaborator reads some tests by tighter limits, and HbA1c with two decimals. */
const lakeshoreRanges: OwnRanges = new Map([
  ['LDL', both({ NormalHi: 89, BorderLo: 90, BorderHi: 149, UnfavLo: 150 })],
  ['HSCRP', both({ NormalHi: 0.7, BorderLo: 0.8, BorderHi: 2.5, UnfavLo: 2.6 })],
  ['A1C', { significantDigits: 2, ...both({ NormalHi: 5.69, BorderLo: 5.7, BorderHi: 6.49, UnfavLo: 6.5 }) }],
])

function both(limits: Record<string, number>): Partial<TestSeed> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => [
      [`m${name}`, value],
      [`f${name}`, value],
    ]),
  )
}

export const addCollaborators = (context: SeedContext): Collaborator[] =>
  Array.from({ length: context.plan.collaborators }, (_, index) => addCollaborator(context, index))

const addCollaborator = (context: SeedContext, index: number): Collaborator => {
  const { ids, rows, random, catalogue, createdAt } = context
  const given = named[index] ?? further(index)
  const { place } = given
  const [contact, director] = [personName(random, 'FEMALE'), personName(random, 'MALE')]
  const domain = `${plainLetters(given.alias)}.example.com`
  const id = ids.next('collaborator')
  rows.add('collaborator', {
    id,
    name: given.name,
    alias: given.alias,
    country_id: catalogue.countryId(place.country),
    state_id: catalogue.stateId(place.country, place.state),
    city: place.city,
    zip: place.zip,
    addr1: streetAddress(random),
    phone: phoneNumber(random, place.area),
    email: `results@${domain}`,
    fax_email: `securefax@${domain}`,
    fax: phoneNumber(random, place.area),
    office_contact: `${contact.first} ${contact.last}, ${emailOf(contact, domain)}`,
    lab_director: `${director.first} ${director.last}, MD`,
    lab_npi: npiNumber(`1${random.digits(8)}`),
    transmit_method_code: given.method,
    bill_type_code: 'COLA',
    delivery_note: index === 1 ? 'Send final reports only; preliminary results by telephone.' : null,
    report_name_format_code: given.format,
    report_deliver_to_code: index === 0 ? 'CLIENT' : 'BOTH',
    id_printout_code: given.hasOrderIds ? 'BOTH' : 'REQID',
    is_lis_interface: given.method === 'HL7',
    is_order_id_available: given.hasOrderIds,
    portal_pref_code: 'RELEASED',
    created_at: isoInstant(createdAt),
  })
  const ranges: OwnRanges = index === 1 ? lakeshoreRanges : new Map()
  for (const [code, own] of ranges) addRange(context, id, code, own)
  return { id, name: given.name, hasOrderIds: given.hasOrderIds, reportNameFormat: given.format, ranges }
}

const further = (index: number) => {
  const words = furtherWords[(index - named.length) % furtherWords.length] as string
  const place = clientPlaces[(index * 5) % clientPlaces.length] as (typeof clientPlaces)[number]
  return {
    name: `${words} Laboratory Network`,
    alias: plainLetters(words).toUpperCase(),
    place,
    format: 'REQID',
    hasOrderIds: index % 2 === 0,
    method: 'PORTAL',
  }
}

/** As in the form: the values of the catalogue, overridden by those of the collaborator. */
const addRange = (
  { ids, rows, catalogue }: SeedContext,
  collaboratorId: number,
  code: string,
  own: Partial<TestSeed>,
) => {
  const base = catalogue.tests.get(code)
  if (!base) throw new Error(`No test ${code}`)
  const test = { ...base, ...own }
  rows.add('collaborator_test_range', {
    id: ids.next('collaborator_test_range'),
    collaborator_id: collaboratorId,
    test_id: base.id,
    significant_digits: test.significantDigits,
    unit: test.units,
    report_lo: test.reportLo,
    report_hi: test.reportHi,
    m_normal_lo: test.mNormalLo,
    m_normal_hi: test.mNormalHi,
    m_border_lo: test.mBorderLo,
    m_border_hi: test.mBorderHi,
    m_unfav_lo: test.mUnfavLo,
    m_unfav_hi: test.mUnfavHi,
    f_normal_lo: test.fNormalLo,
    f_normal_hi: test.fNormalHi,
    f_border_lo: test.fBorderLo,
    f_border_hi: test.fBorderHi,
    f_unfav_lo: test.fUnfavLo,
    f_unfav_hi: test.fUnfavHi,
  })
}
