import { describe, expect, it } from 'vitest'
import { locationForm, locationInput } from './spec-locations.ts'
import { parseScannedCode, scannedReceipt, specimenForm, specimenInput } from './specimens.ts'

const whole = {
  specimenTypeCode: 'SERUM',
  temperatureTypeCode: 'REF',
  containerTypeCode: 'SST',
  tubeCount: '2',
  dateReceivedMonth: '11',
  dateReceivedDay: '8',
  dateReceivedYear: '2026',
  timeReceivedHours: '12',
  timeReceivedMinutes: '05',
  timeReceivedAmPm: 'AM',
}
const complaints = (schema: typeof specimenForm | typeof specimenInput, input: object) =>
  (schema as typeof specimenForm)
    .safeParse(input)
    .error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? []

describe('a receipt', () => {
  it('accepts numbers as text', () => {
    expect(specimenForm.parse(whole)).toMatchObject({ tubeCount: 2, timeReceivedHours: 12, timeReceivedAmPm: 'am' })
  })

  it('has one tube unless told otherwise, SPEC-016', () => {
    const { tubeCount: _, ...rest } = whole
    expect(specimenForm.parse(rest).tubeCount).toBe(1)
  })

  it.each([
    ['0', 'Number of Tubes must be at least 1'],
    [-3, 'Number of Tubes must be at least 1'],
    ['', 'Number of Tubes is required'],
    ['two', 'Number of Tubes is invalid'],
    ['1000', 'Number of Tubes must be at most 999'],
  ])('refuses %s tubes, SPEC-017 SPEC-023', (tubeCount, message) => {
    expect(complaints(specimenForm, { ...whole, tubeCount })).toEqual([['tubeCount', message]])
  })

  it.each([
    ['SPEC-020', 'specimenTypeCode', 'Specimen Type is required'],
    ['SPEC-021', 'temperatureTypeCode', 'Temperature is required'],
    ['SPEC-022', 'containerTypeCode', 'Container is required'],
    ['SPEC-024', 'dateReceivedMonth', 'Received Month is required'],
    ['SPEC-025', 'dateReceivedDay', 'Received Day is required'],
    ['SPEC-026', 'dateReceivedYear', 'Received Year is required'],
    ['SPEC-027', 'timeReceivedHours', 'Received Hours is required'],
    ['SPEC-028', 'timeReceivedMinutes', 'Received Minutes is required'],
    ['SPEC-029', 'timeReceivedAmPm', 'Time of day is required'],
  ])('%s needs %s, in the form and in the call', (_id, field, message) => {
    expect(complaints(specimenForm, { ...whole, [field]: '' })).toEqual([[field, message]])
    expect(complaints(specimenInput, { ...whole, [field]: '' })).toEqual([[field, message]])
    const { [field as keyof typeof whole]: _, ...rest } = whole
    expect(complaints(specimenInput, rest)).toEqual([[field, message]])
  })

  it('defaults to now without date and time, and refuses a partial date, SPEC-018 SPEC-019', () => {
    const { specimenTypeCode, temperatureTypeCode, containerTypeCode } = whole
    const codes = { specimenTypeCode, temperatureTypeCode, containerTypeCode }
    expect(specimenInput.parse(codes).dateReceivedDay).toBeUndefined()
    expect(complaints(specimenInput, { ...codes, dateReceivedDay: 3 })).toHaveLength(5)
  })
})

describe('a scanned code', () => {
  it.each([
    ['1000123', { reqId: 1000123, suffix: null }],
    [' 1000123S ', { reqId: 1000123, suffix: 'S' }],
    ['1000123dp', { reqId: 1000123, suffix: 'DP' }],
    ['#1000123', { reqId: 1000123, suffix: null }],
  ])('%s is recognized', (text, read) => {
    expect(parseScannedCode(text)).toEqual(read)
  })
  it.each(['', 'S', '1000123X', 'Doe, Jane', '0', '12345678901234567'])('%s is not recognized', (text) => {
    expect(parseScannedCode(text)).toBeNull()
  })
  it('presets the specimen type of the suffix', () => {
    expect(scannedReceipt({ reqId: 1, suffix: null })).toEqual({})
    expect(scannedReceipt({ reqId: 1, suffix: 'S' })).toEqual({ specimenTypeCode: 'SERUM', containerTypeCode: 'SST' })
  })
})

describe('a placement', () => {
  const form = { specLocTypeCode: 'SERUM', sampleSizeCode: 'CRYO10', aliquot: '2' }
  const messagesOf = (input: object) => locationInput.safeParse(input).error?.issues.map(({ message }) => message)

  it('places one aliquot unless told otherwise, SPEC-053', () => {
    expect(locationForm.parse({ specLocTypeCode: 'SERUM', sampleSizeCode: 'CRYO10' }).aliquot).toBe(1)
  })

  it.each([
    ['SPEC-054', 'specLocTypeCode', 'Specimen Type is required'],
    ['SPEC-055', 'sampleSizeCode', 'Aliquot/Container is required'],
    ['SPEC-056', 'aliquot', 'Aliquot is required'],
  ])('%s needs %s', (_id, field, message) => {
    expect(locationForm.safeParse({ ...form, [field]: '' }).error?.issues.map((issue) => issue.message)).toEqual([
      message,
    ])
  })

  it.each([[[]], [[1]], [[1, 1]], [[1, 2, 3]]])(
    'of two samples into %j is refused, SPEC-057 SPEC-058',
    (trackerIds) => {
      expect(messagesOf({ ...form, trackerIds })).toEqual(['You are only allowed to select 2 location'])
    },
  )

  it('accepts two samples in two slots, SPEC-052', () => {
    expect(locationInput.parse({ ...form, trackerIds: [7, '8'] }).trackerIds).toEqual([7, 8])
  })
})
