import type { ReceivedParts } from '@lis/contract/specimens.ts'
import { timeOfDay, wallTimeAt } from '@lis/contract/zoned-time.ts'

type PartText = { [K in keyof ReceivedParts]: string }

const two = (value: number) => String(value).padStart(2, '0')

/** The parts of date and time as the clocks of the laboratory show them. */
export const receivedAt = (instant: Date, zone: string): PartText => {
  const at = wallTimeAt(instant, zone)
  const { hours, minutes, half } = timeOfDay(at.hours, at.minutes)
  return {
    dateReceivedMonth: two(at.month),
    dateReceivedDay: two(at.day),
    dateReceivedYear: String(at.year),
    timeReceivedHours: two(hours),
    timeReceivedMinutes: two(minutes),
    timeReceivedAmPm: half,
  }
}
