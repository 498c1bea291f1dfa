import { timeOfDay } from '@lis/contract/zoned-time.ts'
import { expect, it } from 'vitest'
import { clockOf } from './patient-fields.ts'

it('a time that forms take in parts reads hh:mm A', () => {
  const shown = (hours: number, minutes: number) => {
    const time = timeOfDay(hours, minutes)
    return clockOf(time.hours, time.minutes, time.half)
  }
  expect([shown(0, 5), shown(9, 30), shown(12, 0), shown(18, 40)]).toEqual([
    '12:05 AM',
    '09:30 AM',
    '12:00 PM',
    '06:40 PM',
  ])
})
