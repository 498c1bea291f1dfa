import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import {
  billingOrderOptions,
  billingPatientInput,
  clearedByRelation,
  customIcdInput,
  guarantorInput,
  icdInput,
  insuranceChange,
  insuranceInput,
  isGuarantorHidden,
  previousInsuranceInput,
} from './billing.ts'
import { batchIds } from './billing-batches.ts'
import { icdFormatError, icdRangeError } from './icd-code.ts'
import { paymentCurrency, paymentForm, paymentInput, toPaymentInput } from './payments.ts'

const faults = (schema: z.ZodType, input: unknown) =>
  Object.fromEntries(
    (schema.safeParse(input).error?.issues ?? []).map((issue) => [issue.path.join('.'), issue.message]),
  )

describe("the patient's address", () => {
  it('needs street, city, state, ZIP and e-mail BLG-011..BLG-015', () => {
    expect(faults(billingPatientInput, {})).toEqual({
      patientAddr1: 'Address 1 is required',
      patientCity: 'City is required',
      patientStateId: 'State is required',
      patientZip: 'ZIP is required',
      patientEmail: 'Email is required',
    })
  })
})

describe('the guarantor', () => {
  it('requires every field except the middle name and address 2', () => {
    expect(faults(guarantorInput, {})).toEqual({
      relationTypeCode: 'Relationship is required',
      guarantorFirstName: 'First Name is required',
      guarantorLastName: 'Last Name is required',
      guarantorDob: 'Date of Birth is required',
      guarantorGenderCode: 'Gender is required',
      guarantorStateId: 'State is required',
      guarantorCity: 'City is required',
      guarantorZip: 'ZIP is required',
      guarantorAddr1: 'Address 1 is required',
    })
  })

  it('has a name of letters, as has the policy holder', () => {
    for (const name of ['<b>Ann</b>', 'Ann 😀', '12']) {
      expect(faults(guarantorInput, { guarantorFirstName: name }).guarantorFirstName).toBe('First Name is invalid')
      expect(faults(insuranceInput, { policyHolder: name }).policyHolder).toBe('Policy Holder is invalid')
    }
    expect(faults(guarantorInput, { guarantorFirstName: "Zoë O'Neil-Łuk" }).guarantorFirstName).toBeUndefined()
  })

  it.each([
    ['BLG-034', 'relationTypeCode'],
    ['BLG-035', 'guarantorFirstName'],
    ['BLG-036', 'guarantorLastName'],
    ['BLG-037', 'guarantorDob'],
    ['BLG-038', 'guarantorGenderCode'],
    ['BLG-039', 'guarantorStateId'],
    ['BLG-040', 'guarantorCity'],
    ['BLG-041', 'guarantorZip'],
    ['BLG-042', 'guarantorAddr1'],
  ])('%s asks for %s', (_, field) => {
    expect(faults(guarantorInput, {})[field]).toMatch(/ is required$/)
  })

  it('is hidden for SELF except in LOG and ACC BLG-031', () => {
    expect(['LOG', 'ACC', 'PROCESS', 'DELIVER', 'BILL'].map((status) => isGuarantorHidden('SELF', status))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
    expect(isGuarantorHidden('DEP', 'BILL')).toBe(false)
  })

  it('clears the personal fields on a new relation, and the address too for DEP BLG-032, BLG-033', () => {
    expect(clearedByRelation('SPOUSE')).not.toContain('guarantorCity')
    expect(clearedByRelation('SPOUSE')).toContain('guarantorFirstName')
    expect(clearedByRelation('DEP')).toEqual(
      expect.arrayContaining(['guarantorFirstName', 'guarantorCity', 'guarantorZip']),
    )
  })
})

describe('insurances', () => {
  it('offer only the orders 1 to 4 BLG-059..BLG-063', () => {
    expect(billingOrderOptions).toEqual([
      { value: 1, label: '1 Primary' },
      { value: 2, label: '2 Secondary' },
      { value: 3, label: '3 3th' },
      { value: 4, label: '4 4th' },
    ])
    for (const billingOrder of [0, 5, 1.5, 'x'])
      expect(faults(insuranceInput, { billingOrder, insuranceCompany: 'A' })).toEqual({
        billingOrder: 'Billing Order must be 1 to 4',
      })
  })

  it('require an order, also on edit BLG-064, BLG-065', () => {
    expect(faults(insuranceInput, { billingOrder: '', insuranceCompany: 'A' })).toEqual({
      billingOrder: 'Billing Order is required',
    })
    expect(faults(insuranceChange, { billingOrder: null })).toEqual({ billingOrder: 'New Billing Order is required' })
    expect(insuranceChange.parse({})).toEqual({})
  })

  it('refuse a policy number with spaces inside; those around it are dropped', () => {
    const one = { billingOrder: 1, insuranceCompany: 'A' }
    expect(faults(insuranceInput, { ...one, policyNo: 'AB 12' })).toEqual({
      policyNo: 'Policy Number must not contain spaces',
    })
    expect(insuranceInput.parse({ ...one, policyNo: ' AB12 ' }).policyNo).toBe('AB12')
  })

  it('have a separate message when no previous one is selected BLG-068', () => {
    expect(faults(previousInsuranceInput, { patientId: 1, useBillId: 1 })).toEqual({
      useInsuranceId: 'Please select insurance',
    })
    expect(Object.keys(faults(previousInsuranceInput, { patientId: 1, useInsuranceId: 1 }))).toEqual(['useInsuranceId'])
    expect(faults(previousInsuranceInput, { patientId: 1, useBillId: 1, useInsuranceId: 1 })).toEqual({})
  })
})

describe('ICD codes', () => {
  it.each([
    ['', 'ICD Code is required'],
    ['   ', 'ICD Code is required'],
    ['1A', 'ICD Code should not start with number'],
    ['-A1', 'ICD Code should not start with number'],
    ['A01-', 'No special symbols are allowed at the end of the ICD Code name'],
    ['A01.', 'No special symbols are allowed at the end of the ICD Code name'],
    ['a01', null],
    ['E11.9', null],
  ])('checks the format of %j BLG-078..BLG-080', (code, message) => {
    expect(icdFormatError(code)).toBe(message)
  })

  it.each([
    ['E800', 'ICD Codes E800-E999 not available'],
    ['e850', 'ICD Codes E800-E999 not available'],
    ['E999.9', 'ICD Codes E800-E999 not available'],
    ['E799', null],
    ['E80.0', null],
    ['E88.810', null],
    ['V01', 'ICD Codes V01-V82 not available'],
    ['V01.5', 'ICD Codes V01-V82 not available'],
    ['V01-V82', 'ICD Codes V01-V82 not available'],
    ['V82', 'ICD Codes V01-V82 not available'],
    ['V83', null],
    ['V00', null],
    ['M8000', 'ICD Codes M8000-M9970 not available'],
    ['m9970', 'ICD Codes M8000-M9970 not available'],
    ['M9971', null],
    ['M80.00', null],
  ])('checks whether %s is in a closed range BLG-081..BLG-083', (code, message) => {
    expect(icdRangeError(code)).toBe(message)
  })

  it('require a selection, or a code with its description BLG-084, BLG-085', () => {
    expect(faults(icdInput, {})).toEqual({ icdIds: 'Select ICD is required' })
    expect(faults(customIcdInput, { icdCode: 'E11.9; DROP', icdDesc: 'x' })).toEqual({ icdCode: 'ICD Code is invalid' })
    expect(faults(customIcdInput, { icdCode: 'Q1' })).toEqual({ icdDesc: 'ICD Description is required' })
    expect(customIcdInput.parse({ icdCode: ' q1.x ', icdDesc: 'Own' })).toEqual({ icdCode: 'Q1.X', icdDesc: 'Own' })
  })
})

describe('payments', () => {
  const form = {
    paymentTypeCode: 'CHECK',
    payerTypeCode: 'INS',
    payer: 'Acme',
    amount: '12.50',
    paymentNo: '1001',
    paymentNote: 'ok',
    paymentMonth: '11',
    paymentDay: '5',
    paymentYear: '2026',
  }

  it('need every field, the date in three parts', () => {
    expect(faults(paymentForm, {})).toEqual({
      paymentTypeCode: 'Payment Type is required',
      payerTypeCode: 'Payer Type is required',
      payer: 'Paid By is required',
      amount: 'Amount is required',
      paymentNo: 'Check/Confirmation Number is required',
      paymentNote: 'Note is required',
      paymentMonth: 'Payment Month is required',
      paymentDay: 'Payment Day is required',
      paymentYear: 'Payment Year is required',
    })
  })

  it.each([
    ['BLG-109', 'paymentTypeCode'],
    ['BLG-110', 'payerTypeCode'],
    ['BLG-111', 'payer'],
    ['BLG-112', 'amount'],
    ['BLG-113', 'paymentNote'],
    ['BLG-114', 'paymentMonth'],
    ['BLG-115', 'paymentDay'],
    ['BLG-116', 'paymentYear'],
    ['BLG-117', 'paymentNo'],
  ])('%s asks for %s', (_, field) => {
    expect(faults(paymentForm, {})[field]).toMatch(/ is required$/)
  })

  it('send the parts as M/D/Y BLG-104..BLG-108', () => {
    const sent = toPaymentInput(paymentForm.parse(form))
    expect(sent.paymentDate).toBe('11/5/2026')
    expect(paymentInput.parse(sent).paymentDate).toBe('2026-11-05')
    expect(faults(paymentForm, { ...form, paymentMonth: '2', paymentDay: '30' })).toEqual({
      paymentDay: 'Invalid date',
    })
    expect(faults(paymentInput, { ...form, paymentDate: '2026-11-05' })).toEqual({ paymentDate: 'Invalid date' })
  })

  it.each([
    ['0.001', 'Amount may have at most two decimals'],
    ['-5', 'Amount must be more than 0'],
    ['1e12', 'Amount must be at most 9,999,999,999.99'],
    [1e12, 'Amount must be at most 9,999,999,999.99'],
    ['1e2', 'Amount may have at most two decimals'],
    ['0', 'Amount must not be 0'],
    ['abc', 'Amount must be a number'],
    ['', 'Amount is required'],
  ])('refuse the amount %j BLG-112', (amount, message) => {
    expect(faults(paymentForm, { ...form, amount })).toEqual({ amount: message })
  })

  it('accept only negative refunds, and adjustments of either sign', () => {
    expect(faults(paymentForm, { ...form, paymentTypeCode: 'REFUND' })).toEqual({
      amount: 'The amount of a refund must be less than 0',
    })
    expect(faults(paymentForm, { ...form, paymentTypeCode: 'REFUND', amount: '-5' })).toEqual({})
    expect(faults(paymentForm, { ...form, paymentTypeCode: 'ADJUST', amount: '-5' })).toEqual({})
    expect(paymentForm.parse({ ...form, amount: '$1,234.50' }).amount).toBe('1234.50')
  })
})

describe('the selection of batches', () => {
  it('requires one with a valid id BLG-139, BLG-140', () => {
    expect(faults(batchIds, [])).toEqual({ '': 'Please select at least one billing batch to download' })
    expect(faults(batchIds, undefined)).toEqual({ '': 'Please select at least one billing batch to download' })
    expect(faults(batchIds, [null, 'x', -1])).toEqual({ '': 'No valid billing batch IDs found in the selection' })
    expect(batchIds.parse([3, '3', null, 4])).toEqual([3, 4])
  })
})

it('a payment is in the currency charged, in US dollars where nothing was charged or several were', () => {
  const currency = (...codes: (string | null)[]) => paymentCurrency(codes.map((currencyCode) => ({ currencyCode })))
  expect([currency(), currency(null), currency('EUR', null, 'EUR'), currency('EUR', 'CAD')]).toEqual([
    'USD',
    'USD',
    'EUR',
    'USD',
  ])
})
