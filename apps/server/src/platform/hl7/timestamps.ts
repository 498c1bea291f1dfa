import { isIsoDate } from '@lis/contract/kit/date-range.ts'

const pattern = /^(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:\.\d{1,4})?)?)?)?)?)?([+-]\d{4})?$/

export interface Hl7Time {
  /** YYYY-MM-DD; null where only a month or a year was sent. */
  date: string | null
  /** YYYY-MM-DDTHH:MM:SS with its offset, or without one as local time; null without a time of day. */
  dateTime: string | null
}

/** A date or time of HL7, to the hour or finer; null when it is none. */
export const parseHl7Time = (text: string): Hl7Time | null => {
  const [, year, month, day, hours, minutes = '00', seconds = '00', offset] = pattern.exec(text) ?? []
  if (year === undefined || (month !== undefined && (Number(month) < 1 || Number(month) > 12))) return null
  if (month === undefined || day === undefined) return { date: null, dateTime: null }
  const date = `${year}-${month}-${day}`
  if (!isIsoDate(date) || !isOffset(offset)) return null
  if (hours === undefined) return { date, dateTime: null }
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null
  const zone = offset ? `${offset.slice(0, 3)}:${offset.slice(3)}` : ''
  return { date, dateTime: `${date}T${hours}:${minutes}:${seconds}${zone}` }
}

const isOffset = (offset: string | undefined) =>
  offset === undefined || (Number(offset.slice(1, 3)) <= 14 && Number(offset.slice(3)) <= 59)
