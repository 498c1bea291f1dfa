import { IANAZone } from 'luxon'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

const offsets = new Map<string, Map<number, number>>()

/** Offset of a zone on a day, taken at its noon; remembered, because asking the time-zone data for every row would take minutes. */
const offsetOn = (zone: string, epochDay: number): number => {
  let known = offsets.get(zone)
  if (!known) {
    known = new Map()
    offsets.set(zone, known)
  }
  let offset = known.get(epochDay)
  if (offset === undefined) {
    offset = IANAZone.create(zone).offset(epochDay * day + day / 2) * minute
    known.set(epochDay, offset)
  }
  return offset
}

const dayOf = (instant: number): number => Math.floor(instant / day)

/** The calendar day in the zone, as days since 1970. */
export const localDay = (zone: string, instant: number): number => dayOf(instant + offsetOn(zone, dayOf(instant)))

/** The instant at which the zone's clock shows so many minutes after midnight on that day. */
export const atLocalTime = (zone: string, epochDay: number, minutes: number): number =>
  epochDay * day + minutes * minute - offsetOn(zone, epochDay)

const minutesOfDay = (zone: string, instant: number): number => {
  const local = instant + offsetOn(zone, dayOf(instant))
  return Math.floor((local - dayOf(local) * day) / minute)
}

const opens = 6 * 60
const closes = 22 * 60

/** Nobody works at night: what would happen then is done the next morning. */
export const inLabHours = (zone: string, instant: number, spread: number): number => {
  const now = minutesOfDay(zone, instant)
  if (now >= opens && now < closes) return instant
  const morning = localDay(zone, instant) + (now >= closes ? 1 : 0)
  return atLocalTime(zone, morning, opens + Math.floor(spread * 120))
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const dates = new Map<number, string>()

const dateText = (epochDay: number): string => {
  let text = dates.get(epochDay)
  if (text === undefined) {
    text = new Date(epochDay * day).toISOString().slice(0, 10)
    dates.set(epochDay, text)
  }
  return text
}

/** To the second, in UTC. Written by hand: a large set has thirty million of these. */
export const isoInstant = (instant: number): string => {
  const epochDay = dayOf(instant)
  const seconds = Math.floor((instant - epochDay * day) / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${dateText(epochDay)} ${twoDigits[hours]}:${twoDigits[minutes - hours * 60]}:${twoDigits[seconds - minutes * 60]}Z`
}

export const isoDate = (instant: number): string => dateText(dayOf(instant))
