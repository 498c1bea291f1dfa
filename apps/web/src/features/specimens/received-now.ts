import type { ReceivedParts } from '@lis/contract/specimens.ts'
import { timeOfDay, wallTimeAt } from '@lis/contract/zoned-time.ts'

type PartText = { [K in keyof ReceivedParts]: string }

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Date and time parts in the laboratory's time zone. */
export const receivedAt = (instant: Date, zone: string): PartText => {
  const at = wallTimeAt(instant, zone)
  const { hours, minutes, half } = timeOfDay(at.hours, at.minutes)
  return {
    dateReceivedMonth: twoDigits(at.month),
    dateReceivedDay: twoDigits(at.day),
    dateReceivedYear: String(at.year),
    timeReceivedHours: twoDigits(hours),
    timeReceivedMinutes: twoDigits(minutes),
    timeReceivedAmPm: half,
  }
}
