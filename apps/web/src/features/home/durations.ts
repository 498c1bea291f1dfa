import { hourInZone } from '../../lib/formats.ts'

const minuteMs = 60_000

/** A limit as text: '30 min', '4 h', '2 d'. */
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
