import { formatBirthDate } from '@lis/contract/patients.ts'
import { toPaymentInput } from '@lis/contract/payments.ts'
import { timeOfDay } from '@lis/contract/zoned-time.ts'
import { expect, it } from 'vitest'
import { formatTimeParts } from './patient-fields.ts'

it('a time entered in parts is shown as hh:mm A', () => {
  const shown = (hours: number, minutes: number) => {
    const time = timeOfDay(hours, minutes)
    return formatTimeParts(time.hours, time.minutes, time.half)
  }
  expect([shown(0, 5), shown(9, 30), shown(12, 0), shown(18, 40)]).toEqual([
    '12:05 AM',
    '09:30 AM',
    '12:00 PM',
    '06:40 PM',
  ])
})

it('TABLE-091 patient and payment dates entered in parts are sent as M/D/Y', () => {
  const sent = toPaymentInput({ paymentMonth: 1, paymentDay: 2, paymentYear: 2026 } as Parameters<
    typeof toPaymentInput
  >[0])
  expect(formatBirthDate({ patientDobMonth: 1, patientDobDate: 2, patientDobYear: 1960 })).toBe('1/2/1960')
  expect(sent.paymentDate).toBe('1/2/2026')
})
