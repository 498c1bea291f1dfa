import { describe, expect, it } from 'vitest'
import { priceInput } from './client-records.ts'
import { clientInput, clientUpdate, isTimeZone } from './clients.ts'

const aClient = {
  clientName: ' Acme ',
  clientAddr1: '1 Main St',
  clientCountryId: '1',
  clientCity: 'Boston',
  clientStateId: 2,
  clientZip: '02101',
  clientPhone: '+1 (617) 555-0100',
  colaId: 3,
  labIds: [4, '4'],
  clientTransmitMethodCode: 'PORTAL',
  clientBillTypeCode: 'CLIENT',
}
const faults = (input: object) =>
  (clientInput.safeParse({ ...aClient, ...input }).error?.issues ?? []).map(({ path, message }) => [path[0], message])

describe('the client form', () => {
  it('CLI-066 fills in the defaults of missing fields', () => {
    expect(clientInput.parse(aClient)).toMatchObject({
      clientName: 'Acme',
      clientCountryId: 1,
      clientPhone: '16175550100',
      labIds: [4],
      salesIds: [],
      isContractPhleb: 0,
      clientNote: null,
      clientTz: null,
    })
  })

  it.each([
    ['CLI-078', 'clientName', 'Name'],
    ['CLI-079', 'clientAddr1', 'Address 1'],
    ['CLI-080', 'clientCountryId', 'Country'],
    ['CLI-081', 'clientCity', 'City'],
    ['CLI-082', 'clientZip', 'Zip'],
    ['CLI-083', 'clientStateId', 'State'],
    ['CLI-084', 'clientPhone', 'Phone'],
    ['CLI-085', 'clientBillTypeCode', 'Bill To'],
    ['CLI-086', 'colaId', 'Collaborator'],
    ['CLI-087', 'clientTransmitMethodCode', 'Test Result Delivery Method'],
    ['CLI-088 CLI-G3', 'labIds', 'Performing Laboratories'],
  ])('%s refuses an empty %s by its label', (_id, field, label) => {
    for (const empty of [undefined, null, field === 'labIds' ? [] : ' '])
      expect(faults({ [field]: empty })).toEqual([[field, `${label} is required`]])
  })

  it.each([
    [{ clientPhone: '555-0100' }, ['clientPhone', 'Phone number allowed in format 00(000) 000-0000']],
    [{ clientEmail: 'nobody' }, ['clientEmail', 'Invalid email']],
    [{ clientFaxEmail: 'a@b' }, ['clientFaxEmail', 'Invalid email']],
    [{ clientPhone2: '12' }, ['clientPhone2', 'Invalid phone number']],
    [{ clientTransmitMethodCode: 'FAX' }, ['clientFaxEmail', 'Secure Fax is required']],
    [{ clientTransmitMethodCode: 'EMAIL' }, ['clientEmail', 'Email is required']],
    [{ clientNote: 'x'.repeat(1001) }, ['clientNote', 'Note must be at most 1000 characters']],
    [{ isContractPhleb: 2 }, ['isContractPhleb', 'Contract Phlebotomy is invalid']],
    [{ clientTz: 'Mars/Olympus' }, ['clientTz', 'Timezone is invalid']],
    [{ salesIds: ['x'] }, ['salesIds', 'Sales Reps is required']],
  ])('CLI-G4 refuses %j', (input, fault) => {
    expect(faults(input)).toEqual([fault])
  })
})

describe('an update of a client', () => {
  it('has only the fields that were sent', () => {
    expect(clientUpdate.parse({ clientNote: 'Call first' })).toEqual({
      clientNote: 'Call first',
    })
    expect(clientUpdate.parse({ clientNote: ' ', physIds: ['7', 7] })).toEqual({
      clientNote: null,
      physIds: [7],
    })
  })
  it('has the error messages of the form', () => {
    const { error } = clientUpdate.safeParse({ clientName: '', labIds: [], colaId: null, clientPhone: '1' })
    expect(error?.issues.map(({ message }) => message)).toEqual([
      'Name is required',
      'Phone number allowed in format 00(000) 000-0000',
      'Collaborator is required',
      'Performing Laboratories is required',
    ])
  })
})

describe('isTimeZone', () => {
  it.each(['America/New_York', 'America/Indiana/Indianapolis', 'Pacific/Honolulu', 'UTC', 'Asia/Ho_Chi_Minh'])(
    'knows %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(true)
    },
  )
  it.each(['', 'TZNA', 'EST', '+05:00', 'America', 'America/Nowhere', '../etc/passwd', 'America/New_York; x'])(
    'refuses %j',
    (zone) => {
      expect(isTimeZone(zone)).toBe(false)
    },
  )
})

describe('a test price', () => {
  const faultsOf = (input: object) =>
    (priceInput.safeParse({ testId: 1, price: 1, ...input }).error?.issues ?? []).map(({ path, message }) => [
      path[0],
      message,
    ])

  it.each([
    [0, '0'],
    [12.5, '12.5'],
    ['9999999999.99', '9999999999.99'],
    [' 7 ', '7'],
  ])('CLI-108 keeps %j exactly', (price, kept) => {
    expect(priceInput.parse({ testId: 1, price }).price).toBe(kept)
  })

  it.each([
    ['', 'Price is required'],
    [null, 'Price is required'],
    [undefined, 'Price is required'],
    [-1, 'Price must be 0 or more'],
    ['-0.01', 'Price must be 0 or more'],
    [Number.NaN, 'Price is invalid'],
    ['NaN', 'Price is invalid'],
    [1e99, 'Price is invalid'],
    ['1e99', 'Price is invalid'],
    [0.001, 'Price is invalid'],
    [10_000_000_000, 'Price is invalid'],
    ['1,5', 'Price is invalid'],
    [{}, 'Price is invalid'],
    [Number.POSITIVE_INFINITY, 'Price is invalid'],
  ])('CLI-118 CLI-G14 refuses %j: %s', (price, message) => {
    expect(faultsOf({ price })).toEqual([['price', message]])
  })
  it('CLI-119 needs a test', () => {
    expect(faultsOf({ testId: '' })).toEqual([['testId', 'Test Code is required']])
  })
})
