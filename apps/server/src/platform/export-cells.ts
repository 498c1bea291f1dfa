import { usDate } from '@lis/contract/kit/date-range.ts'
import type { FormattedCell } from './xlsx.ts'
import { formatTimeInZone, isoTimeInZone } from './zones.ts'

// Cells that a spreadsheet can sort and calculate with, formatted as on the screen.

/** A date: MM/DD/YYYY. */
export const dayCell = (iso: string): FormattedCell => ({
  value: new Date(`${iso.slice(0, 10)}T00:00:00Z`),
  format: 'mm/dd/yyyy',
  text: usDate(iso.slice(0, 10)),
})

/** A local time with the abbreviation of its zone: a spreadsheet has no zones. */
export const momentCell = (instant: string, zone: string): FormattedCell => {
  const local = isoTimeInZone(instant, zone)
  return {
    // To the minute, as it is shown.
    value: new Date(`${local.slice(0, 16)}:00Z`),
    format: `mm/dd/yy hh:mm "${local.slice(20)}"`,
    text: formatTimeInZone(instant, zone),
  }
}

/** Hours as a number: 51, with the text '2 d 3 h'. */
export const hoursCell = (hours: number): FormattedCell => ({
  value: hours,
  format: '0 "h"',
  text: `${Math.floor(hours / 24)} d ${hours % 24} h`,
})
