import { hourInZone } from '../../lib/formats.ts'

const minuteMs = 60_000

/** '22 min', '1 h 54', '14 h', '3 d 04 h': short enough for a cell, exact enough to act on. */
export const formatDuration = (ms: number): string => {
  const minutes = Math.max(0, Math.floor(ms / minuteMs))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 10) return `${hours} h ${pad(minutes % 60)}`
  if (hours < 48) return `${hours} h`
  return `${Math.floor(hours / 24)} d ${pad(hours % 24)} h`
}
const pad = (part: number) => String(part).padStart(2, '0')

/** A limit in words: '30 min', '4 h', '2 d'. */
export const formatLimit = (ms: number): string => {
  const hours = ms / (60 * minuteMs)
  if (hours < 1) return `${Math.round(hours * 60)} min`
  return hours >= 48 && hours % 24 === 0 ? `${hours / 24} d` : `${Math.round(hours * 10) / 10} h`
}

/** Hours of a stage: '36 min', '9.4 h', '–' where there is none. */
export const formatHours = (hours: number | null): string => {
  if (hours === null) return '–'
  return hours < 1 ? `${Math.round(hours * 60)} min` : `${hours.toFixed(1).replace(/\.0$/, '')} h`
}

/** Greets by the clock of the laboratory. */
export const greetingAt = (at: Date, zone: string): string => {
  const hour = hourInZone(at.toISOString(), zone)
  if (hour >= 5 && hour < 12) return 'Good morning'
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening'
}
