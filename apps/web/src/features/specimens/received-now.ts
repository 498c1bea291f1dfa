import type { ReceivedParts } from '@lis/contract/specimens.ts'

type PartText = { [K in keyof ReceivedParts]: string }

/** The parts of date and time as the clocks of the laboratory show them. */
export const receivedAt = (instant: Date, zone: string): PartText => {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h12',
    })
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  ) as Record<Intl.DateTimeFormatPartTypes, string>
  return {
    dateReceivedMonth: parts.month,
    dateReceivedDay: parts.day,
    dateReceivedYear: parts.year,
    timeReceivedHours: parts.hour,
    timeReceivedMinutes: parts.minute,
    timeReceivedAmPm: parts.dayPeriod.toLowerCase(),
  }
}
