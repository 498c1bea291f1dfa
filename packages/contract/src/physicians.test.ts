import { describe, expect, it } from 'vitest'
import { isNpi, physicianInput, physicianUpdate } from './physicians.ts'

const aPhysician = { physFirstName: 'Paula', physLastName: 'Weber', physTitle: 'MD', npiNumber: '1234567893' }

describe('isNpi', () => {
  it.each(['1234567893', '1245319599', '1003000126'])('accepts %s', (npi) => {
    expect(isNpi(npi)).toBe(true)
  })
  it.each(['1234567890', '1245319598', '123456789', '12345678931', '123456789x', ''])('rejects %j', (npi) => {
    expect(isNpi(npi)).toBe(false)
  })
})

describe('the physician form', () => {
  it('PHY-82 PHY-83 needs neither PTAN nor middle name', () => {
    expect(physicianInput.parse(aPhysician)).toEqual({
      ...aPhysician,
      physMiddleName: null,
      ptanNumber: null,
      physPortalPrefCode: null,
      clientIds: [],
    })
  })
  it.each([
    ['PHY-78', 'physFirstName', 'First Name is required'],
    ['PHY-79', 'physLastName', 'Last Name is required'],
    ['PHY-80', 'physTitle', 'Title is required'],
    ['PHY-81', 'npiNumber', 'NPI# is required'],
  ])('%s refuses an empty %s', (_id, field, message) => {
    for (const empty of [undefined, null, '', '  ']) {
      const { error } = physicianInput.safeParse({ ...aPhysician, [field]: empty })
      expect(error?.issues.map((issue) => [issue.path[0], issue.message])).toContainEqual([field, message])
    }
  })
  it.each(['123456789', '12345678901', '12345-7893', 'abcdefghij'])('refuses the NPI %s: ten digits', (npiNumber) => {
    expect(physicianInput.safeParse({ ...aPhysician, npiNumber }).error?.issues[0]?.message).toBe(
      'NPI# must be 10 digits',
    )
  })
  it('accepts an NPI with a wrong check digit', () => {
    expect(physicianInput.parse({ ...aPhysician, npiNumber: '1234567890' }).npiNumber).toBe('1234567890')
  })
  it('PHY-87 an update has only the fields that were sent', () => {
    expect(physicianUpdate.parse({ clientIds: [3, '3'] })).toEqual({ clientIds: [3] })
  })
})
