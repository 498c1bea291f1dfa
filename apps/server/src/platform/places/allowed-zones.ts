import zoneAt from '@photostructure/tz-lookup'

/** The zones of a country; null when they are unknown. */
export const zonesOfCountry = (iso2: string): string[] | null => {
  if (!/^[A-Z]{2}$/.test(iso2)) return null
  const region = new Intl.Locale(`und-${iso2}`) as Intl.Locale & { getTimeZones?: () => string[] | undefined }
  return region.getTimeZones?.() ?? null
}

const official = new Map<string, string>()
/** A zone may have an old and a new name; this returns the same one for both. */
const officialName = (zone: string): string => {
  const known = official.get(zone)
  if (known) return known
  const name = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  official.set(zone, name)
  return name
}

const degrees = [0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1, 1.3]
const directions = Array.from({ length: 16 }, (_, step) => (step * Math.PI) / 8)

/** The zone at a point. The map is coarse at borders, so the nearest zone that the country or state has is used. */
export const zoneNear = (latitude: number, longitude: number, allowed: readonly string[] | null): string | null => {
  const names = allowed && new Set(allowed.map(officialName))
  for (const distance of degrees) {
    for (const direction of distance === 0 ? [0] : directions) {
      const zone = zoneAt(
        Math.max(-90, Math.min(90, latitude + distance * Math.sin(direction))),
        Math.max(-180, Math.min(180, longitude + distance * Math.cos(direction))),
      )
      if (!names || names.has(officialName(zone))) return zone
    }
  }
  return null
}

/** Whether all these zones have the same time all year; then it does not matter which one is used. */
export const haveSameClock = (zones: readonly string[]): boolean => {
  const year = new Date().getUTCFullYear()
  const clocks = zones.map((timeZone) => {
    const format = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    return [0, 3, 6, 9].map((month) => format.format(Date.UTC(year, month, 15))).join()
  })
  return new Set(clocks).size === 1
}
