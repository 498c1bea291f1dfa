import fc from 'fast-check'
import { type JsonSchema, nasty } from './fuzz-values.ts'

/** Values that a call takes under this name: ids of records that exist, codes of lists, and texts of the right form. */
export type Known = Record<string, unknown>

const forms: [RegExp, string | number][] = [
  [/email/i, 'ann.lee@example.com'],
  [/phone|^fax$/i, '16175550100'],
  [/npi/i, '1234567893'],
  [/^(fromDate|toDate|paymentDate)$/, '2026-11-01'],
  [/dob$/i, '1980-02-03'],
  [/^dateCollected$/, '2026-11-01T10:00:00Z'],
  [/zip$/i, '85004'],
  [/pwd$/i, 'Fuzzed-Password-2026!'],
  [/ssn$/i, '123-45-6789'],
  [/file_?names?(\[\])?$/i, 'a.pdf'],
  [/titleCode$|title$/i, 'MD'],
  [/portalPrefCode$/i, 'ALL'],
  [/transmitMethodCode$/i, 'EMAIL'],
  [/reqBillTypeCode$/i, 'CLIENT'],
  [/billTypeCode$/i, 'CLIENT'],
  [/reqTypeCode$/i, 'PAPER'],
  [/genderCode$/i, 'FEMALE'],
  [/dateReceivedMonth|dateReceivedDay|timeReceivedHours/, '10'],
  [/timeReceivedMinutes/, '30'],
  [/dateReceivedYear/, '2026'],
  [/timeReceivedAmPm/, 'AM'],
  [/^is[A-Z]/, 1],
  [/(lo|hi)$/i, '1'],
  [/amount|price$/i, '12.50'],
  [/^sbp$/, '3'],
  [/tubeCount|aliquot|billingOrder|dbp|weight$|height/i, '2'],
]
const codes: Known = {
  clientTz: 'America/Phoenix',
  currencyCode: 'USD',
  reportNameFormatCode: 'REQID',
  reportDeliverToCode: 'COLA',
  idPrintOutCode: 'REQID',
  salesTypeCode: 'SLS',
  collectCode: 'VENI',
  patientRaceCode: 'WHITE',
  patientEthnicityCode: 'HISP',
  famHistT2DCode: null,
  weightUom: 'KG',
  heightUom: 'CM',
  specimenTypeCode: 'SERUM',
  temperatureTypeCode: 'REF',
  containerTypeCode: 'SST',
  specLocTypeCode: 'SERUM',
  sampleSizeCode: 'CRYO05',
  relationTypeCode: 'SELF',
  paymentTypeCode: 'CHECK',
  payerTypeCode: 'CLIENT',
  issueCode: null,
  icdCode: 'E11.9',
  smartScreen: 'requisitions',
  timeCentrifuged: '10:15',
}

let serial = 0

/** One value that the call should take; a name no list knows gives a word that has not been used before. */
export const exactFor = (schema: JsonSchema, name: string, known: Known): unknown => {
  if (name in known) return known[name]
  if (name in codes) return codes[name]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[serial++ % schema.enum.length]
  const form = forms.find(([pattern]) => pattern.test(name))
  if (schema.properties) {
    const { properties } = schema
    return Object.fromEntries(Object.entries(properties).map(([field, one]) => [field, exactFor(one, field, known)]))
  }
  const either = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.type !== 'null')
  if (either && !form) return exactFor(either.at(serial++ % either.length) ?? {}, name, known)
  const type = [schema.type].flat()[0]
  if (type === 'array') return [exactFor(schema.items ?? {}, `${name}[]`, known)]
  if (form) return form[1]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return /Ids?(\[\])?$/.test(name) ? 1 : `w${serial++}`
}

/** Every place of a value that can be changed, the value itself left out. */
export const placesOf = (value: unknown, at: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, part]) => [[...at, name], ...placesOf(part, [...at, name])])
    : []

const gone = Symbol('gone')
export const withChange = (value: unknown, [name, ...rest]: string[], to: unknown): unknown => {
  if (name === undefined) return to
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  if (rest.length === 0 && to === gone) delete copy[name]
  else copy[name] = withChange(copy[name], rest, to)
  return copy
}

/** What fits, with one place changed, left out or added; once in three as it is. */
export const nearlyRight = (schema: JsonSchema, known: Known): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.nat(), fc.oneof({ weight: 1, arbitrary: fc.constant(gone) }, { weight: 6, arbitrary: nasty }))
    .map(([pick, to]) => {
      const right = exactFor(schema, '', known)
      if (pick % 3 === 0) return right
      if (pick % 31 === 1) return { ...(right as object), ...extra }
      const places = placesOf(right)
      const place = places[pick % Math.max(1, places.length)]
      return place ? withChange(right, place, to) : right
    })

/** Fields that no call has: what a caller would like to set. */
const extra = {
  id: 1,
  version: -1,
  userRoleCode: 'ADM',
  roleCode: 'ADM',
  clientId: 1,
  createdBy: 1,
  createdAt: '1970-01-01',
  deletedAt: null,
  constructor: { prototype: { role: 'ADM' } },
}
